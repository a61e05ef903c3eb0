package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/spf13/cobra"

	"factgate/check"
	"factgate/facts"
	"factgate/parsers"
	"factgate/report"
)

// parsed is the JSON of factgate parse.
type parsed struct {
	Files  []parsedFile    `json:"files"`
	Counts facts.Counts    `json:"counts"`
	Cases  []facts.Case    `json:"cases"`
	Out    []facts.Outside `json:"outside,omitempty"`
}

type parsedFile struct {
	Path     string          `json:"path"`
	Format   string          `json:"format"`
	Complete bool            `json:"complete"`
	Problems []parsedProblem `json:"problems"`
	Claims   facts.Claims    `json:"claims"`
}

type parsedProblem struct {
	Code     string `json:"code"`
	Detail   string `json:"detail"`
	Blocking bool   `json:"blocking"`
	Offset   int64  `json:"offset"`
}

func (a *app) parse() *cobra.Command {
	var as, format string
	var counts bool
	cmd := &cobra.Command{
		Use:   "parse [--as FORMAT] [--counts] FILE...",
		Short: "Show what factgate makes of results files, without running anything",
		Long: `Show what factgate makes of results files, globs or folders of them, without running anything.
Without --as the format is guessed from the first bytes; a check always declares it. With --counts no case is kept and
none is listed: that is faster, and the way to look at files of a gigabyte.
Formats: ` + strings.Join(parsers.Formats(), ", ") + `

Exit codes: 0 all were read whole and no case failed, 1 a case failed, 3 a file is missing, foreign, cut off or
contradicts itself.`,
		Example: "  factgate parse build/reports/*.xml\n  factgate parse --as junit --format json results.xml\n  factgate parse --counts all.xml",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if as != "" && !slices.Contains(parsers.Formats(), as) {
				return fail("formats: "+strings.Join(parsers.Formats(), ", "), "--as %q is not a format that factgate reads", as)
			}
			if err := textOrJSON(format); err != nil {
				return err
			}
			all, blocked := a.parseAll(args, as, counts)
			a.code = exitPassed
			switch {
			case all.Counts.Failed+all.Counts.Errored+len(all.Out) > 0:
				a.code = exitFailed
			case blocked || all.Counts.Unknown > 0:
				a.code = exitUnproven
			}
			if format == "json" {
				return report.JSON(a.out, all)
			}
			return a.parsedText(all)
		},
	}
	cmd.Flags().StringVar(&as, "as", "", "read the files as `FORMAT`")
	cmd.Flags().BoolVar(&counts, "counts", false, "count the cases and keep none")
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT` of the answer: text or json")
	return cmd
}

// parseAll reads every file that the arguments name. A bad one is one finding; the others still count.
func (a *app) parseAll(args []string, as string, counts bool) (all parsed, blocked bool) {
	all.Files, all.Cases = []parsedFile{}, []facts.Case{}
	for _, arg := range args {
		paths, problem := a.expand(arg)
		if problem != "" {
			all.Files = append(all.Files, parsedFile{Path: arg, Format: as, Problems: []parsedProblem{{Code: "missing", Detail: problem, Blocking: true}}})
			blocked = true
		}
		for _, path := range paths {
			got := a.parseOne(path, as, counts, &all)
			blocked = blocked || got
		}
	}
	return all, blocked
}

func (a *app) parseOne(path, as string, counts bool, all *parsed) (blocked bool) {
	file := parsedFile{Path: path, Format: as, Problems: []parsedProblem{}}
	if as == "" {
		file.Format = sniff(path)
	}
	var got facts.Results
	if _, ok := parsers.Lookup(file.Format); ok {
		read := check.ReadFile
		if counts {
			read = check.CountFile
		}
		_, got = read(path, file.Format)
	} else {
		got = facts.Results{Problems: []facts.Problem{{Code: "foreign", Weight: facts.Malformed,
			Detail: fmt.Sprintf("not a results file that factgate knows (%s); name its format with --as", file.Format)}}}
		file.Format = ""
	}
	file.Complete, file.Claims = got.Complete, got.Claims
	for _, p := range got.Problems {
		blocked = blocked || p.Weight.Blocking()
		file.Problems = append(file.Problems, parsedProblem{Code: p.Code, Detail: p.Detail, Blocking: p.Weight.Blocking(), Offset: p.Offset})
	}
	blocked = blocked || !got.Complete
	for _, c := range got.Cases {
		c.Source = len(all.Files)
		all.Cases = append(all.Cases, c)
	}
	all.Out = append(all.Out, got.Outside...)
	sum := facts.Results{Counts: all.Counts}
	sum.Merge(facts.Results{Counts: got.Counts})
	all.Counts = sum.Counts
	all.Files = append(all.Files, file)
	return blocked
}

// expand turns a file, a folder or a glob into paths.
func (a *app) expand(arg string) (paths []string, problem string) {
	path := arg
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.dir, path)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.IsDir():
		return []string{path}, ""
	case err == nil:
		err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				paths = append(paths, p)
			}
			return err
		})
		if err != nil {
			return paths, err.Error()
		}
		if len(paths) == 0 {
			return nil, "the folder holds no file"
		}
		return paths, ""
	case strings.ContainsAny(arg, "*?[{"):
		paths, err = doublestar.FilepathGlob(path, doublestar.WithFilesOnly())
		if err != nil {
			return nil, err.Error()
		}
		if len(paths) == 0 {
			return nil, "the pattern matches no file"
		}
		return paths, ""
	}
	return nil, err.Error()
}

// sniff guesses the format from the first bytes of a regular file.
func sniff(path string) string {
	head, err := check.Head(path, 4096)
	if err != nil {
		return "unreadable"
	}
	return parsers.Sniff(head)
}

func (a *app) parsedText(all parsed) error {
	w := &writer{w: a.out}
	for _, f := range all.Files {
		state := "complete"
		if !f.Complete {
			state = "not complete"
		}
		w.line("%s: %s, %s", report.Clean(f.Path), orWord(f.Format, "no known format"), state)
		for _, p := range f.Problems {
			word := "note"
			if p.Blocking {
				word = "problem"
			}
			w.line("  %s: %s: %s", word, report.Clean(p.Code), report.Clean(p.Detail))
		}
	}
	for _, c := range all.Cases {
		if c.Status == facts.Passed || c.Status == facts.Skipped {
			continue
		}
		w.line("  %s %s", c.Status, report.Clean(c.ID))
		for _, f := range c.Failures {
			w.line("    | %s", report.Short(report.Clean(f.Message), 300))
		}
	}
	for _, o := range all.Out {
		w.line("  failed outside of cases: %s %s", report.Clean(o.Where), report.Short(report.Clean(o.Message), 300))
	}
	n := all.Counts
	w.line("%d cases: %d passed, %d failed, %d errored, %d skipped, %d flaky, %d cached", n.Cases, n.Passed, n.Failed, n.Errored, n.Skipped, n.Flaky, n.Cached)
	return w.err
}
