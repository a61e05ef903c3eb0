package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"factgate/check"
	"factgate/config"
	"factgate/facts"
	"factgate/record"
	"factgate/report"
)

func (a *app) log() *cobra.Command {
	var n int
	var format string
	cmd := &cobra.Command{
		Use:   "log [CHECK...]",
		Short: "List the records of this repository, newest first",
		Long: `List the records of this repository and root, newest first. With --format json each line is one check object, as in
the report of verify, with its time and tree.`,
		ValidArgsFunction: a.completeChecks,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := textOrJSON(format); err != nil {
				return err
			}
			k, err := a.recorded()
			if err != nil {
				return err
			}
			if n < 0 {
				return fail("factgate log -n 20; 0 for all", "-n %d is not a number of lines", n)
			}
			for _, name := range args {
				if !slices.ContainsFunc(k.Config.Checks, func(c config.Check) bool { return c.Name == name }) {
					return a.unknownCheck(check.UnknownCheckError{Name: name, Known: k.CheckNames()})
				}
			}
			return a.printLog(k, args, n, format)
		},
	}
	cmd.Flags().IntVarP(&n, "lines", "n", 20, "show at most `N` records; 0 for all")
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT`: text or json")
	return cmd
}

func (a *app) printLog(k check.Checker, checks []string, n int, format string) error {
	entries, err := k.Store.List(k.Chain, 0)
	if err != nil {
		return err
	}
	w := &writer{w: a.out}
	shown := 0
	for _, e := range entries {
		if len(checks) > 0 && !slices.Contains(checks, e.Check) {
			continue
		}
		if n > 0 && shown == n {
			break
		}
		shown++
		r, err := k.Store.Get(e.ID)
		if err != nil {
			w.line("%s  cannot be opened: %s", e.ID, report.Clean(err.Error()))
			continue
		}
		if format == "json" {
			if err := report.JSONLine(a.out, k.Tell(r)); err != nil {
				return nil
			}
			continue
		}
		w.line("%s  %s  %-8s  %s  %s", r.ID, r.Ended.Local().Format("2006-01-02 15:04:05 MST"), r.Verdict.Outcome, report.Clean(r.Check),
			report.Clean(summary(r)))
	}
	if shown == 0 && format == "text" {
		w.line("no records yet: factgate verify makes them")
	}
	return nil
}

// summary is one line about a record.
func summary(r record.Record) string {
	n := r.Run.Results.Counts
	parts := []string{}
	for _, reason := range r.Verdict.Reasons {
		parts = append(parts, string(reason))
	}
	if n.Cases > 0 {
		parts = append(parts, fmt.Sprintf("%d passed of %d", n.Passed, n.Cases))
	}
	if r.Run.Exit.StartError == "" && r.Run.NotStarted == nil {
		parts = append(parts, report.Duration(r.Run.Exit.Duration))
	}
	if r.Rerun != "" {
		parts = append(parts, fmt.Sprintf("rerun %q", r.Rerun))
	}
	return strings.Join(parts, ", ")
}

func (a *app) show() *cobra.Command {
	var format string
	var log bool
	cmd := &cobra.Command{
		Use:   "show [RECORD|CHECK]",
		Short: "Show one record: what was run, what was seen, what was decided",
		Long: `Show one record, named by its id or the beginning of it, or the newest record of a check; without an argument the
newest of all. The signature is checked and the outcome decided again before anything is shown.`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: a.completeChecks,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := textOrJSON(format); err != nil {
				return err
			}
			k, err := a.recorded()
			if err != nil {
				return err
			}
			r, err := a.pickRecord(k, args)
			if err != nil {
				return err
			}
			switch {
			case log:
				return a.printOutput(r)
			case format == "json":
				return printed(report.JSON(a.out, r))
			}
			return a.printRecord(k, r)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT`: text or json (the whole record)")
	cmd.Flags().BoolVar(&log, "log", false, "print what the program printed, as it was kept")
	return cmd
}

func (a *app) pickRecord(k check.Checker, args []string) (record.Record, error) {
	hint := "factgate log lists the records"
	if len(args) == 0 {
		entries, err := k.Store.List(k.Chain, 1)
		if err != nil {
			return record.Record{}, fail(hint, "%v", err)
		}
		if len(entries) == 0 {
			return record.Record{}, fail("factgate verify makes them", "there are no records yet")
		}
		args = []string{entries[0].ID}
	}
	for _, c := range k.Config.Checks {
		if c.Name != args[0] {
			continue
		}
		e, err := k.Store.Latest(k.Chain, c.Name)
		if errors.Is(err, record.ErrNotFound) {
			return record.Record{}, fail("factgate verify "+c.Name, "the check %s has no record yet", c.Name)
		}
		if err != nil {
			return record.Record{}, fail(hint, "%v", err)
		}
		args = []string{e.ID}
		break
	}
	r, err := k.Store.Get(args[0])
	if err != nil {
		if errors.Is(err, record.ErrNotFound) {
			return r, fail(hint, "%q is neither a check nor a record", args[0])
		}
		return r, fail(hint, "%v", err) // it names the record
	}
	return r, nil
}

func (a *app) printOutput(r record.Record) error {
	if r.Run.Exit.Output.Log == "" {
		return fail("", "record %s kept no output", r.ID)
	}
	f, err := os.Open(r.Run.Exit.Output.Log)
	if err != nil {
		return fail("logs are kept as long as retention says", "the output of %s is gone: %v", r.ID, err)
	}
	defer f.Close()
	if a.tty { // a terminal obeys control characters; a pipe gets the very bytes
		data, err := io.ReadAll(io.LimitReader(f, 64<<20))
		if err != nil {
			return err
		}
		_, err = io.WriteString(a.out, report.CleanLines(string(data)))
		return printed(err)
	}
	_, err = io.Copy(a.out, f)
	return printed(err)
}

func (a *app) printRecord(k check.Checker, r record.Record) error {
	t := k.Tell(r)
	w := &writer{w: a.out}
	w.line("record    %s  (signature sound, outcome follows from its facts)", r.ID)
	w.line("check     %s  runner %s  %s", report.Clean(r.Check), report.Clean(r.Runner), report.Clean(r.Tools.Runner))
	w.line("ended     %s  after %s", r.Ended.Local().Format(time.RFC1123), report.Duration(r.Run.Exit.Duration))
	w.line("command   %s  in %s", report.Clean(strings.Join(r.Argv, " ")), report.Clean(r.Dir))
	w.line("program   %s", report.Clean(orWord(r.Program.Path, "not found")))
	w.line("tree      %s  HEAD %s%s", r.Tree.ID, orWord(r.Tree.Head, "none"), dirty(r.Tree))
	for _, s := range r.Tree.Anomalies {
		w.line("          hides changes from git: %s", report.Clean(s))
	}
	w.line("inputs    %s", report.Clean(orWord(strings.Join(r.Inputs.Patterns, " "), "the whole tree")))
	w.line("exit      %s", exitWords(r.Run))
	if n := r.Run.Results.Counts; r.Run.NoCases && n.Cases == 0 {
		w.line("cases     not counted: runner %s counts no cases", report.Clean(r.Runner))
	} else {
		w.line("cases     %s", caseWords(strconv.Itoa(n.Cases), n))
	}
	for _, f := range r.Run.Results.Files {
		w.line("results   %s (%s, %d bytes, sha256 %.16s…)", report.Clean(f.Path), f.Format, f.Bytes, f.SHA256)
	}
	for _, p := range r.Run.Results.Problems {
		w.line("%-8s  %s: %s", p.Weight, report.Clean(p.Code), report.Clean(p.Detail))
	}
	if r.Rerun != "" {
		w.line("rerun     %s", report.Clean(r.Rerun))
	}
	w.line("key       %s", r.Key)
	if w.err != nil {
		return nil
	}
	o := a.options()
	o.Failures = 50
	return printed(report.Text(a.out, record.Report{Verdict: t.Outcome, Checks: []record.ReportCheck{t}}, o))
}

func dirty(t record.Tree) string {
	if t.Dirty {
		return ", with changes"
	}
	return ""
}

func exitWords(run facts.Run) string {
	e := run.Exit
	switch {
	case run.NotStarted != nil:
		return "not started: " + report.Clean(run.NotStarted.Detail)
	case e.Lost != "":
		return "not seen: " + e.Lost
	case e.StartError != "":
		return "could not be started: " + report.Clean(e.StartText)
	case e.Signal != "":
		return "ended by " + e.Signal
	}
	return fmt.Sprintf("code %d (%s)", e.Code, run.Meaning)
}

func (a *app) audit() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Open every record again: signature, outcome, and the chain from one to the next",
		Long: `Open every record of this repository again: check its signature, decide its outcome from its facts, and follow the
chain. Exit codes: 0 all is sound, 1 something is wrong and is named, 2 the records could not be read.

What it cannot see: a record that was cut off at the end of the chain leaves no trace here.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			k, err := a.recorded()
			if err != nil {
				return err
			}
			var chains []string
			if !all {
				chains = []string{k.Chain}
			}
			findings, err := k.Store.Audit(chains...)
			if err != nil {
				return fail("", "audit: %v", err)
			}
			entries, err := k.Store.List(k.Chain, 0)
			if err != nil {
				return fail("", "audit: %v", err)
			}
			w := &writer{w: a.out}
			for _, f := range findings {
				w.line("wrong: %s: %s", report.Clean(f.Path), report.Clean(f.What))
			}
			w.line("%s of this repository opened again, %s wrong", plural(len(entries), "record"), plural(len(findings), "thing"))
			if len(findings) > 0 {
				a.code = exitFailed
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "audit the records of every repository in the state directory")
	return cmd
}
