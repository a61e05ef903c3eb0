package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"factgate/check"
	"factgate/facts"
	"factgate/parsers"
)

// maxNamed bounds how many files of one folder parse reads.
const maxNamed = 20_000

// readNamed reads every file that the arguments name, each once. A bad one is one finding; the others still count.
func (a *app) readNamed(args []string, as string, counts bool) (all parsed, blocked bool) {
	all.Files, all.Cases = []parsedFile{}, []facts.Case{}
	var n named
	for _, arg := range args {
		a.expand(arg, &n)
	}
	var paths []string
	for _, f := range n.found {
		if f.bad == nil {
			paths = append(paths, f.path)
		}
	}
	_, repeats := check.Apart(paths)
	last := map[string]bool{}
	for _, r := range repeats {
		last[r.Name] = true
	}
	for _, f := range n.found {
		switch {
		case f.bad != nil:
			f.bad.Format = as
			all.Files, blocked = append(all.Files, *f.bad), true
		case !last[f.path]:
			last[f.path] = true // a file that is named again counts once
			format, got := a.readPath(f.path, as, counts)
			for _, r := range repeats {
				r.Part(f.path, got.Counts)
			}
			blocked = all.take(f.path, format, got) || blocked
		}
	}
	for _, r := range repeats {
		format, got := a.readPath(r.Name, as, counts)
		blocked = all.take(r.Name, format, r.Leave(got)) || blocked
	}
	return all, blocked
}

// readPath reads one file, as a format or as what it looks like.
func (a *app) readPath(path, format string, counts bool) (string, facts.Results) {
	foreign := func(code, detail string) (string, facts.Results) {
		return "", facts.Results{Problems: []facts.Problem{{Code: code, Weight: facts.Malformed, Detail: detail}}}
	}
	if format == "" {
		head, err := check.Head(path, 4096)
		if err != nil {
			return foreign("unreadable", err.Error())
		}
		name := parsers.Sniff(head)
		if _, ok := parsers.Lookup(name); !ok {
			if name = parsers.Describe(name); name == "" {
				name = "what it is cannot be told"
			}
			return foreign("foreign", fmt.Sprintf("not a results file that factgate knows: %s; if it is one, name its format with --as", name))
		}
		format = name
	}
	read := check.ReadFile
	if counts {
		read = check.CountFile
	}
	_, got := read(path, format)
	return format, got
}

// take adds what was read of a file. It reports whether that forbids to call it sound.
func (all *parsed) take(path, format string, got facts.Results) (blocked bool) {
	file := parsedFile{Path: path, Format: format, Problems: []parsedProblem{}, Complete: got.Complete, Claims: got.Claims}
	for _, p := range got.Problems {
		blocked = blocked || p.Weight.Blocking()
		file.Problems = append(file.Problems, parsedProblem{Code: p.Code, Detail: p.Detail, Blocking: p.Weight.Blocking(), Offset: p.Offset, weight: p.Weight})
	}
	for _, c := range got.Cases {
		c.Source = len(all.Files)
		all.Cases = append(all.Cases, c)
	}
	all.Out = append(all.Out, got.Outside...)
	sum := facts.Results{Counts: all.Counts}
	sum.Merge(facts.Results{Counts: got.Counts})
	all.Counts = sum.Counts
	all.Files = append(all.Files, file)
	return blocked || !got.Complete
}

// named is what arguments stand for, in order.
type named struct{ found []namedFile }

// namedFile is a path, with what is wrong with it where it cannot be read.
type namedFile struct {
	path string
	bad  *parsedFile
}

// expand turns a file, a folder or a glob into paths. Links are not followed below a folder or a glob: what they lead to
// is named where it lies, or lies outside.
func (a *app) expand(arg string, to *named) {
	path := filepath.Clean(arg)
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.dir, path)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.IsDir():
		to.add(path, info.Mode())
	case err == nil:
		to.folder(path)
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, "*?[{"):
		to.glob(arg, path)
	default:
		to.refuse(arg, "missing", err.Error())
	}
}

// add takes a regular file. Anything else is named as what it is, and is not opened: a FIFO would wait, and opening a
// device may do something.
func (n *named) add(path string, mode fs.FileMode) {
	if mode.IsRegular() {
		n.found = append(n.found, namedFile{path: path})
		return
	}
	n.refuse(path, "not_regular", fmt.Sprintf("it is a %s, not a regular file", check.Kind(mode)))
}

// folder takes all files in a folder and in those within it. One that cannot be read is one finding.
func (n *named) folder(path string) {
	before := len(n.found)
	top, err := filepath.EvalSymlinks(path) // the folder itself was named
	if err == nil {
		err = filepath.WalkDir(top, func(p string, entry fs.DirEntry, err error) error {
			shown := path
			if rel, err := filepath.Rel(top, p); err == nil {
				shown = filepath.Join(path, rel)
			}
			switch {
			case err != nil && entry != nil && entry.IsDir():
				n.refuse(shown, "unreadable", err.Error())
				return fs.SkipDir
			case err != nil:
				n.refuse(shown, "unreadable", err.Error())
			case len(n.found)-before > maxNamed:
				n.refuse(path, "too_many_files", fmt.Sprintf("more than %d files are in it", maxNamed))
				return fs.SkipAll
			case !entry.IsDir():
				n.add(shown, entry.Type())
			}
			return nil
		})
	}
	switch {
	case err != nil:
		n.refuse(path, "unreadable", err.Error())
	case len(n.found) == before:
		n.refuse(path, "missing", "the folder holds no file")
	}
}

func (n *named) glob(arg, path string) {
	found, err := doublestar.FilepathGlob(path, doublestar.WithFilesOnly(), doublestar.WithNoFollow())
	if err != nil {
		n.refuse(arg, "missing", err.Error())
		return
	}
	if len(found) == 0 {
		n.refuse(arg, "missing", "the pattern matches no file")
	}
	for _, p := range found {
		info, err := os.Lstat(p)
		if err != nil {
			n.refuse(p, "unreadable", err.Error())
			continue
		}
		n.add(p, info.Mode())
	}
}

// refuse is a finding about what was named and cannot be read.
func (n *named) refuse(path, code, detail string) {
	n.found = append(n.found, namedFile{path, &parsedFile{Path: path, Problems: []parsedProblem{{Code: code, Detail: detail, Blocking: true}}}})
}
