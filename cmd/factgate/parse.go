package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"factgate/export"
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

	weight facts.Weight
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

With --format junit or ctrf all of it is printed as one JUnit XML or CTRF document for other tools. What forbids a pass and
is no case (a file that is cut off, a failed hook) stands in it as a case that failed.

Exit codes: 0 all were read whole and no case failed, 1 a case failed, 3 a file is missing, foreign, cut off or
contradicts itself.`,
		Example: "  factgate parse build/reports/*.xml\n  factgate parse --as junit --format json results.xml\n  factgate parse --counts all.xml\n  factgate parse --format junit TestResults/*.trx > junit.xml",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if as != "" && !slices.Contains(parsers.Formats(), as) {
				return fail("formats: "+strings.Join(parsers.Formats(), ", "), "--as %q is not a format that factgate reads", as)
			}
			if !slices.Contains([]string{"text", "json", "junit", "ctrf"}, format) {
				return fail("--format text, json, junit or ctrf", "unknown --format %q", format)
			}
			all, blocked := a.readNamed(args, as, counts)
			a.code = exitPassed
			switch {
			case all.Counts.Failed+all.Counts.Errored+len(all.Out) > 0:
				a.code = exitFailed
			case blocked || all.Counts.Unknown > 0:
				a.code = exitUnproven
			}
			switch format {
			case "json":
				return printed(report.JSON(a.out, all))
			case "junit":
				return printed(export.JUnit(a.out, all.results()))
			case "ctrf":
				return printed(export.CTRF(a.out, all.results(), Version))
			}
			return printed(a.parsedText(all))
		},
	}
	cmd.Flags().StringVar(&as, "as", "", "read the files as `FORMAT`")
	cmd.Flags().BoolVar(&counts, "counts", false, "count the cases and keep none")
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT` of the answer: text, json, junit or ctrf")
	return cmd
}

// results gives everything that was read as results of one run.
func (all *parsed) results() facts.Results {
	r := facts.Results{Cases: all.Cases, Outside: all.Out, Counts: all.Counts, Complete: true}
	for _, f := range all.Files {
		r.Complete = r.Complete && f.Complete
		for _, p := range f.Problems {
			r.Problems = append(r.Problems, facts.Problem{Code: p.Code, Detail: p.Detail, Weight: p.weight, Path: f.Path, Offset: p.Offset})
		}
	}
	return r
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
			where := ""
			if at := strconv.FormatInt(p.Offset, 10); p.Offset > 0 && !strings.Contains(p.Detail, "byte "+at) {
				where = " (at byte " + at + ")"
			}
			w.line("  %s: %s: %s%s", word, report.Clean(p.Code), report.Clean(p.Detail), where)
		}
	}
	for _, c := range all.Cases {
		if c.Status == facts.Passed || c.Status == facts.Skipped {
			continue
		}
		w.line("  %s %s", c.Status, report.Clean(c.ID))
		for _, f := range c.Failures {
			if said := report.Short(report.Clean(f.Message), 300); said != "" {
				w.line("    | %s", said)
			}
		}
	}
	for _, o := range all.Out {
		w.line("  failed outside of cases: %s %s", report.Clean(o.Where), report.Short(report.Clean(o.Message), 300))
	}
	w.line("%s", caseWords(plural(all.Counts.Cases, "case"), all.Counts))
	return w.err
}
