package check

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"factgate/facts"
	"factgate/parsers"
	"factgate/runners"
)

// maxResults bounds one results file; maxFiles how many are read of one run.
const (
	maxResults = 4 << 30
	maxFiles   = 20000
)

// read turns what a run left behind into facts. It never fails: what cannot be read is a problem.
func read(set runners.Set, p runners.Plan, root, runDir string, aside []string) facts.Results {
	switch {
	case p.NoCases:
		return facts.Results{Complete: true}
	case p.Source.Probe:
		return readProbes(set, p, root, runDir)
	}
	return readFiles(p, root, runDir, aside)
}

// readProbes reads the streams by which runner processes reported themselves, with what they attach.
func readProbes(set runners.Set, p runners.Plan, root, runDir string) facts.Results {
	names, err := list(runDir, "*.probe")
	if err != nil {
		return problem("unreadable", err.Error(), facts.Malformed)
	}
	var all facts.Results
	reported, own := 0, 0
	for _, name := range names {
		stream, part := readProbe(set, p, root, runDir, name)
		if stream.Nested {
			stream.Process.Nested = true
			all.Processes = append(all.Processes, stream.Process)
			continue
		}
		if reported > 0 {
			all.Merge(part)
		} else {
			part.Processes = append(all.Processes, part.Processes...)
			all = part
		}
		reported++
		if r := stream.Process.Runner; r == p.Runner || r == "" { // "": cut off before it said so, which is a problem of its own
			own++
		}
	}
	if own == 0 {
		all.Problems = append(all.Problems, facts.Problem{Code: "no_probe", Weight: facts.Missing,
			Detail: fmt.Sprintf("no %s process reported itself: the command did not start it, or dropped the environment that carries factgate's probe%s", p.Runner, carriers(set, p))})
	}
	return all
}

// carriers names the variables of the user's own to which our words were added: the ones that scripts like to set.
func carriers(set runners.Set, p runners.Plan) string {
	r, _ := set.Lookup(p.Runner)
	var names []string
	for _, w := range r.EnvAdd {
		if w.Name != "PATH" && !slices.Contains(names, w.Name) {
			names = append(names, w.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(" (whoever sets %s must keep what is in it)", strings.Join(names, " or "))
}

func readProbe(set runners.Set, p runners.Plan, root, runDir, name string) (parsers.Stream, facts.Results) {
	var stream parsers.Stream
	file, parts := open(runDir, name, true, func(r io.Reader) (facts.Results, error) {
		var err error
		stream, err = parsers.Probe(r)
		return stream.Results, err
	})
	file.Format = "probe"
	if r, ok := set.Lookup(stream.Process.Runner); ok && r.Results.Sealed && stream.Process.Ended && !stream.Sealed(p.Seal) {
		stream.Process.Ended = false
		stream.Results.Complete, parts.Complete = false, false
		parts.Problems = append(parts.Problems, facts.Problem{Code: "not_sealed", Weight: facts.Incomplete, Path: name,
			Detail: fmt.Sprintf("the end of what %s reported was not written by factgate's probe: a test wrote it, or the environment lost FACTGATE_SEAL", stream.Process.Runner)})
	}
	stream.Process.Meaning = meaning(set, stream.Process)
	parts.Files = []facts.File{file}
	parts.Processes = []facts.Process{stream.Process}
	locate(&parts, stream, p.Dir)
	near(&parts, root, p.Dir)
	for _, a := range stream.Attach {
		if a.File == "" || a.File != filepath.Base(a.File) {
			parts.Merge(problem("foreign_path", fmt.Sprintf("%s names results outside its folder: %q", name, a.File), facts.Malformed))
			continue
		}
		got := readOne(runDir, a.File, a.Format)
		locate(&got, stream, p.Dir)
		near(&got, root, p.Dir)
		if n := len(got.Files); n > 0 && a.SHA256 != "" && got.Files[0].SHA256 != a.SHA256 {
			got.Problems = append(got.Problems, facts.Problem{Code: "changed", Weight: facts.Incomplete, Path: a.File,
				Detail: fmt.Sprintf("%s is not what %s wrote: something changed it afterwards", a.File, stream.Process.Runner)})
		}
		complete := parts.Complete && got.Complete
		parts.Merge(got)
		parts.Complete = complete
	}
	return stream, parts
}

// meaning is what a process's own end says: its runner's table, refined by the probe where the table says only that the
// code is not clean, or does not have it: cargo hands on whatever a test binary ends with. A probe can never turn a code
// clean.
func meaning(set runners.Set, p facts.Process) facts.Meaning {
	if !p.Ended {
		return facts.Unknown
	}
	table := set.MeaningOf(p.Runner, p.Code)
	if (table == facts.NotClean || table == facts.Unknown) && p.Meaning != facts.Unknown && p.Meaning != facts.Clean {
		return p.Meaning
	}
	return table
}

// readFiles reads results that a program wrote at the path that it was given, or that it insists on.
func readFiles(p runners.Plan, root, runDir string, aside []string) facts.Results {
	dir, globs := runDir, []string{filepath.Base(p.Source.File), filepath.Base(p.Source.Dir) + "/**"}
	if p.Source.Glob != "" {
		dir, globs = root, []string{p.Source.Glob}
	}
	names, err := list(dir, globs...)
	if err != nil {
		return problem("unreadable", err.Error(), facts.Malformed)
	}
	if len(names) == 0 {
		if len(aside) > 0 {
			return problem("stale", fmt.Sprintf("the run wrote no results; %s was there before it started and proves nothing", strings.Join(aside, ", ")), facts.Stale)
		}
		return problem("no_file", fmt.Sprintf("the run wrote no results file (expected %s)", expected(p)), facts.Missing)
	}
	var repeats []*Repeat
	if p.Source.Format == "junit" {
		names, repeats = Apart(names)
	}
	take := func(name string) facts.Results {
		got := readOne(dir, name, p.Source.Format)
		near(&got, root, p.Dir)
		if p.Source.TotalsIgnored {
			got.Claims = facts.Claims{}
			got.Problems = withoutClaims(got.Problems)
		}
		return got
	}
	var all facts.Results
	for i, name := range names {
		got := take(name)
		for _, r := range repeats {
			r.Part(name, got.Counts)
		}
		if i == 0 {
			all = got
		} else {
			all.Merge(got)
		}
	}
	for _, r := range repeats {
		all.Merge(r.Leave(take(r.Name)))
	}
	return all
}

func expected(p runners.Plan) string {
	if p.Source.Glob != "" {
		return p.Source.Glob
	}
	return "it at {results} or in {results_dir}"
}

// totals are the problems that only compare what a file states with what was counted in it.
var totals = [...]string{"claims_above_counts", "tests_above_cases", "tests_without_cases", "claims_below_counts", "claims_count_retries"}

// withoutClaims drops what a runner's declaration says of its totals: that they count something else.
func withoutClaims(problems []facts.Problem) (kept []facts.Problem) {
	for _, p := range problems {
		if !slices.Contains(totals[:], p.Code) {
			kept = append(kept, p)
		}
	}
	return kept
}

func readOne(dir, name, format string) facts.Results {
	parse, ok := parsers.Lookup(format)
	if !ok {
		return problem("unknown_format", fmt.Sprintf("results of %q are in a format that factgate does not read: %q", name, format), facts.Malformed)
	}
	file, got := open(dir, name, true, parse)
	file.Format = format
	got.Files = append([]facts.File{file}, got.Files...)
	for i := range got.Problems {
		if got.Problems[i].Path == "" {
			got.Problems[i].Path = name
		}
	}
	return got
}

// open reads one file below dir: a regular file with one link, of bounded size, that does not change while it is read, and
// where own is set, one that no other user wrote. The digest is of the very bytes that were parsed.
func open(dir, name string, own bool, parse parsers.Parser) (facts.File, facts.Results) {
	file := facts.File{Path: name}
	bad := func(code, detail string, weight facts.Weight) (facts.File, facts.Results) {
		r := problem(code, detail, weight)
		r.Problems[0].Path = name
		return file, r
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return bad("unreadable", err.Error(), facts.Malformed)
	}
	defer root.Close()
	before, err := root.Lstat(name)
	if err != nil {
		return bad("unreadable", err.Error(), facts.Malformed)
	}
	if !before.Mode().IsRegular() {
		return bad("not_regular", fmt.Sprintf("%s is a %s, not a regular file", name, Kind(before.Mode())), facts.Malformed)
	}
	if before.Size() > maxResults {
		return bad("too_large", fmt.Sprintf("%s has %d bytes, more than %d", name, before.Size(), int64(maxResults)), facts.Malformed)
	}
	if links(before) > 1 {
		return bad("linked", fmt.Sprintf("%s is a hard link to another file, not a file that the run wrote", name), facts.Malformed)
	}
	if user, others := foreign(before, os.Geteuid()); own && others {
		return bad("foreign_owner", fmt.Sprintf("%s belongs to user %d, who is not the one that the run was started as", name, user), facts.Malformed)
	}
	f, err := root.OpenFile(name, os.O_RDONLY|noBlock, 0)
	if err != nil {
		return bad("unreadable", err.Error(), facts.Malformed)
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil || !os.SameFile(before, opened) || identity(name, before) != identity(name, opened) {
		return bad("changed", name+" was replaced while it was being opened", facts.Incomplete)
	}
	sum := &counting{sum: sha256.New()}
	got, err := parse(io.TeeReader(io.LimitReader(f, maxResults), sum))
	if err != nil {
		got.Problems = append(got.Problems, facts.Problem{Code: "unreadable", Detail: err.Error(), Weight: facts.Malformed, Path: name})
	}
	if _, err := io.Copy(sum, io.LimitReader(f, maxResults)); err != nil {
		got.Problems = append(got.Problems, facts.Problem{Code: "unreadable", Detail: err.Error(), Weight: facts.Malformed, Path: name})
	}
	after, err := root.Lstat(name)
	if err != nil || !os.SameFile(before, after) || identity(name, before) != identity(name, after) || after.Size() != sum.n {
		got.Problems = append(got.Problems, facts.Problem{Code: "changed", Weight: facts.Incomplete, Path: name,
			Detail: name + " changed while it was read: something is still writing it"})
	}
	file.Bytes, file.SHA256 = sum.n, hex.EncodeToString(sum.sum.Sum(nil))
	return file, got
}

type counting struct {
	sum hash.Hash
	n   int64
}

func (c *counting) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return c.sum.Write(b)
}

// Kind names what is no regular file.
func Kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "folder"
	case m&fs.ModeSymlink != 0:
		return "symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "FIFO"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

// locate makes the files that results name absolute where they are not relative to the check's dir: a process may work in
// a folder of its own, and go test names a file by its base alone.
func locate(r *facts.Results, s parsers.Stream, dir string) {
	for i := range r.Cases {
		c := &r.Cases[i]
		place := func(file string) string {
			folder, ok := s.Folders[c.Suite]
			if inside, below := strings.CutPrefix(file, c.Suite+"/"); ok && (below || filepath.Base(file) == file) {
				return under(inside, folder, dir)
			}
			return under(file, s.Process.Dir, dir)
		}
		c.File = place(c.File)
		for j := range c.Failures {
			c.Failures[j].File = place(c.Failures[j].File)
		}
	}
	for i := range r.Outside {
		r.Outside[i].File = under(r.Outside[i].File, s.Process.Dir, dir)
	}
}

// under makes a case's file relative to the check's dir where it was relative to the process's own.
func under(file, processDir, dir string) string {
	if file == "" || filepath.IsAbs(file) || processDir == "" || processDir == dir {
		return file
	}
	return filepath.Join(processDir, file)
}

func problem(code, detail string, weight facts.Weight) facts.Results {
	return facts.Results{Problems: []facts.Problem{{Code: code, Detail: detail, Weight: weight}}}
}

// ReadFile reads one results file that a user named.
func ReadFile(path, format string) (facts.File, facts.Results) {
	parse, ok := parsers.Lookup(format)
	if !ok {
		return facts.File{Path: path}, problem("unknown_format", fmt.Sprintf("%q is not a format", format), facts.Malformed)
	}
	file, got := open(filepath.Dir(path), filepath.Base(path), false, parse)
	file.Format = format
	return file, got
}

// CountFile reads one results file that a user named, and keeps no case of it.
func CountFile(path, format string) (facts.File, facts.Results) {
	if _, ok := parsers.Lookup(format); !ok {
		return ReadFile(path, format)
	}
	count := func(r io.Reader) (facts.Results, error) { return parsers.Count(format, r) }
	file, got := open(filepath.Dir(path), filepath.Base(path), false, count)
	file.Format = format
	return file, got
}

// Head returns the first n bytes of a regular file.
func Head(path string, n int) ([]byte, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("it is a %s, not a regular file", Kind(info.Mode()))
	}
	f, err := os.OpenFile(path, os.O_RDONLY|noBlock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	head := make([]byte, n)
	k, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && err != io.EOF {
		return nil, err
	}
	return head[:k], nil
}
