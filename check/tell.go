package check

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"factgate/config"
	"factgate/facts"
	"factgate/record"
	"factgate/verdict"
)

// maxTold is how many failures a report lists per check; the record holds them all.
const maxTold = 50

// tell turns a record and today's verdict on it into what the report says.
func (k Checker) tell(c config.Check, r record.Record, today verdict.Verdict, reused *record.Reused, stays bool) record.ReportCheck {
	run := r.Run
	t := record.ReportCheck{
		Name: c.Name, Runner: r.Runner, Outcome: today.Outcome.String(), Reasons: words(today.Reasons), Record: r.ID, ReusedFrom: reused,
		Focused: run.Focused, NoCases: run.NoCases, Counts: reportCounts(run.Results.Counts), Failures: []record.ReportFailure{},
		Notes: append([]string{}, run.Notes...), DurationMS: run.Exit.Duration.Milliseconds(), Log: run.Exit.Output.Log,
		Time: r.Ended, Rerun: r.Rerun,
	}
	if run.Unrecorded != "" {
		t.Record = ""
	}
	if run.NotStarted == nil {
		t.End = reportEnd(run)
	}
	for _, o := range run.Results.Outside {
		t.Failures = append(t.Failures, k.outside(c, o))
	}
	for i := range run.Results.Cases {
		one := &run.Results.Cases[i]
		running := one.Status == facts.StatusUnknown && len(one.Failures) > 0 // when the run was ended: what hangs is named
		if one.Status == facts.Failed || one.Status == facts.Errored || running {
			t.Failures = append(t.Failures, k.failure(c, one))
		}
	}
	if today.Outcome == verdict.Passed && !run.NoCases && run.Results.Counts.Cases == 0 {
		t.Notes = append(t.Notes, "no test ran, and allow_no_tests lets that pass")
	}
	if len(t.Failures) > maxTold {
		t.More = len(t.Failures) - maxTold
		t.Failures = t.Failures[:maxTold]
	}
	if today.Outcome != verdict.Passed {
		t.Details, t.Advice = details(c, r, today), advice(c, r.Run, today, stays)
		if !slices.ContainsFunc(t.Failures, func(f record.ReportFailure) bool { return f.Text != "" || f.File != "" }) && r.Run.Exit.Output.Log != "" {
			t.Tail = tail(r.Run.Exit.Output.Log)
		}
	}
	if run.Exit.Output.Log == "" || !exists(run.Exit.Output.Log) {
		t.Log = ""
	}
	return t
}

// Tell shows one record as today's rules see it.
func (k Checker) Tell(r record.Record) record.ReportCheck {
	c := config.Check{Name: r.Check, Dir: r.Dir, Rules: r.Rules}
	t := k.tell(c, r, r.Verdict, nil, false)
	t.TreeID = r.Tree.ID
	return t
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func words(reasons []verdict.Reason) []string {
	out := []string{}
	for _, r := range reasons {
		out = append(out, string(r))
	}
	return out
}

func reportCounts(n facts.Counts) record.ReportCounts {
	return record.ReportCounts{Cases: n.Cases, Executed: n.Executed, Passed: n.Passed, Failed: n.Failed, Errored: n.Errored,
		Skipped: n.Skipped, Flaky: n.Flaky, Cached: n.Cached}
}

func reportEnd(run facts.Run) *record.ReportEnd {
	e := &record.ReportEnd{Meaning: run.Meaning, TimedOut: run.Exit.TimedOut, Strays: run.Exit.Strays}
	switch {
	case run.Exit.StartError != "", run.Exit.Lost != "":
	case run.Exit.Signal != "":
		e.Signal = &run.Exit.Signal
	default:
		e.Code = &run.Exit.Code
	}
	return e
}

func (k Checker) failure(c config.Check, one *facts.Case) record.ReportFailure {
	f := record.ReportFailure{ID: one.ID, File: k.relative(c, one.File), Line: one.Line}
	if len(one.Failures) > 0 {
		worst := one.Failures[0]
		f.Message, f.Text = worst.Message, worst.Text
		if worst.File != "" {
			f.File, f.Line = k.relative(c, worst.File), worst.Line
		}
	}
	return f
}

func (k Checker) outside(c config.Check, o facts.Outside) record.ReportFailure {
	where := o.Where
	if filepath.IsAbs(where) {
		where = k.relative(c, where)
	}
	if where == "" || where == "." {
		where = o.Kind.String()
	}
	return record.ReportFailure{ID: where, File: k.relative(c, o.File), Line: o.Line, Message: o.Message, Text: o.Text}
}

// relative makes a path of a runner relative to the root, where it lies below it.
func (k Checker) relative(c config.Check, file string) string {
	if file == "" {
		return ""
	}
	path := filepath.FromSlash(file)
	if !filepath.IsAbs(path) {
		path = filepath.Join(k.Config.Root, filepath.FromSlash(c.Dir), path)
	}
	rel, err := filepath.Rel(k.Config.Root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(file)
	}
	return filepath.ToSlash(rel)
}

// details says in one sentence each, with numbers and names, what the reasons mean for this run. It may be the run of
// another check with the same key, under other rules: those of c count.
func details(c config.Check, r record.Record, today verdict.Verdict) (out []string) {
	for _, reason := range today.Reasons {
		if s := detail(c, r, reason); s != "" {
			out = append(out, s)
		} else {
			out = append(out, verdict.Describe(reason).Means)
		}
	}
	return out
}

func detail(c config.Check, r record.Record, reason verdict.Reason) string {
	run := r.Run
	n, exit := run.Results.Counts, run.Exit
	switch reason {
	case verdict.TestsFailed:
		s := fmt.Sprintf("%d of %s failed", n.Failed+n.Errored, cases(n.Cases))
		if exit.Code == 0 && exit.Signal == "" {
			s += ", although the exit code is 0"
		}
		return s + "."
	case verdict.ExitSaysFailed:
		return fmt.Sprintf("It exited with %d%s, and no failing test explains it.", exit.Code, hidden(exit.Code))
	case verdict.TimedOut:
		return fmt.Sprintf("It was stopped after %s, the check's timeout%s.", r.Timeout, sent(exit))
	case verdict.Cancelled:
		return fmt.Sprintf("It was stopped by %s%s.", exit.Cancelled, sent(exit))
	case verdict.Crashed:
		if exit.Signal != "" {
			return fmt.Sprintf("It was ended by %s, which factgate did not send.", exit.Signal)
		}
		return "A process of the run died before its tests had ended."
	case verdict.NoTests:
		return noTests(run)
	case verdict.AllSkipped:
		if n.Skipped == 1 {
			return "The only case was skipped, so nothing was executed."
		}
		return fmt.Sprintf("All %d cases were skipped, so nothing was executed.", n.Skipped)
	case verdict.BelowMinTests:
		return fmt.Sprintf("%s passed, and min_tests asks for %d.", cases(n.Passed), c.Rules.MinTests)
	case verdict.Misused:
		if run.NotStarted != nil {
			return "check runs itself: " + run.NotStarted.Detail + "."
		}
		return fmt.Sprintf("Exit code %d: %s was called with wrong arguments or configuration.", code(run, facts.Misused), r.Runner)
	case verdict.Broke:
		return fmt.Sprintf("Exit code %d: %s broke with an internal error.", code(run, facts.Broke), r.Runner)
	case verdict.Interrupted:
		if exit.Lost != "" {
			return fmt.Sprintf("Nobody saw how it ended: %s. What was left of it was ended.", exit.Lost)
		}
	case verdict.UnknownExit:
		return fmt.Sprintf("Exit code %d is not one that %s documents.", exit.Code, r.Runner)
	case verdict.StartFailed:
		return fmt.Sprintf("%s could not be started (%s): %s.", quoted(r.Argv), exit.StartError, exit.StartText)
	case verdict.NeedNotPassed, verdict.RequirementFailed, verdict.InputsEmpty, verdict.TreeUnknown:
		if run.NotStarted != nil {
			return "Not started: " + run.NotStarted.Detail + "."
		}
		return "The tree could not be read: " + run.Tree.Unknown + "."
	case verdict.TreeMoved:
		return fmt.Sprintf("Files under test changed while it ran: %s.", paths(run.Tree.Moved))
	case verdict.StraysLeft:
		return many(exit.StraysLeft, "%d process of the run is still alive and could not be ended.", "%d processes of the run are still alive and could not be ended.")
	case verdict.Unrecorded:
		return "The record could not be written: " + run.Unrecorded + "."
	case verdict.FlakyCases:
		return "Cases failed and then passed on the very same code: " + paths(flaky(run)) + "."
	case verdict.ResultsMissing:
		return problems(run, facts.Missing)
	case verdict.ResultsStale:
		return problems(run, facts.Stale)
	case verdict.ResultsMalformed:
		return problems(run, facts.Malformed)
	case verdict.ResultsTruncated:
		return problems(run, facts.Truncated)
	case verdict.ResultsIncomplete:
		return incomplete(run)
	case verdict.ResultsContradict:
		return problems(run, facts.Contradict)
	}
	return ""
}

func cases(n int) string { return many(n, "%d case", "%d cases") }

// many puts n into the sentence for one, or into that for any other number.
func many(n int, one, more string) string {
	if n == 1 {
		return fmt.Sprintf(one, n)
	}
	return fmt.Sprintf(more, n)
}

// code is the exit code that means m: the leader's, or that of a runner process behind it.
func code(run facts.Run, m facts.Meaning) int {
	for _, p := range run.Results.Processes {
		if !p.Nested && p.Meaning == m {
			return p.Code
		}
	}
	return run.Exit.Code
}

func noTests(run facts.Run) string {
	for _, p := range run.Results.Processes {
		if p.Meaning == facts.NoTests && p.Runner == "pytest" {
			return "pytest said: no tests collected (exit code 5)."
		}
	}
	if run.Meaning == facts.NoTests {
		return fmt.Sprintf("No test ran: the runner found none (exit code %d).", run.Exit.Code)
	}
	return "No test ran: the results hold no case."
}

// hidden explains an exit code that a shell makes of a signal. It claims nothing: a runner may use the number itself.
func hidden(code int) string {
	if code > 128 && code < 160 {
		return fmt.Sprintf(" (a shell says so when signal %d ended its program)", code-128)
	}
	return ""
}

func sent(e facts.Exit) string {
	var told []string
	for _, s := range e.Sent {
		if s != "SIGCONT" { // only wakes what was stopped
			told = append(told, s)
		}
	}
	if len(told) == 0 {
		return ""
	}
	return " (sent " + strings.Join(told, ", then ") + ")"
}

func quoted(argv []string) string {
	if len(argv) == 0 {
		return "the command"
	}
	return fmt.Sprintf("%q", argv[0])
}

func paths(list []string) string {
	if len(list) > 5 {
		return strings.Join(list[:5], ", ") + fmt.Sprintf(" and %d more", len(list)-5)
	}
	return strings.Join(list, ", ")
}

// list5 is a TOML list of the first five paths.
func list5(paths []string) string {
	quoted := make([]string, min(len(paths), 5))
	for i := range quoted {
		quoted[i] = strconv.Quote(paths[i])
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func flaky(run facts.Run) (ids []string) {
	for _, c := range run.Results.Cases {
		if c.Flaky {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

func problems(run facts.Run, w facts.Weight) string {
	var out, bare []string
	for _, p := range run.Results.Problems {
		switch {
		case p.Weight != w:
		case p.Code == "no_end": // says nothing that another one does not say better
			bare = append(bare, p.Detail)
		default:
			out = append(out, p.Detail)
		}
	}
	if len(out) == 0 {
		out = bare
	}
	if len(out) > 3 {
		out = append(out[:3], fmt.Sprintf("and %d more", len(out)-3))
	}
	return strings.Join(out, "; ")
}

// endedBySomebody reports whether somebody ended the program, which says by itself why its results may be incomplete.
func endedBySomebody(e facts.Exit) bool {
	return len(e.Sent) > 0 || e.TimedOut || e.Cancelled != "" || e.Signal != ""
}

func incomplete(run facts.Run) string {
	if endedBySomebody(run.Exit) {
		for _, p := range run.Results.Processes {
			if !p.Ended && !p.Nested {
				return fmt.Sprintf("%s had not reached its end by then.", p.Runner)
			}
		}
	}
	if s := problems(run, facts.Incomplete); s != "" {
		return s
	}
	for _, p := range run.Results.Processes {
		if !p.Ended && !p.Nested {
			return fmt.Sprintf("%s started and never reached its end: something ended it early, such as an exit inside a test or a set-up file.", p.Runner)
		}
	}
	return ""
}

// advice is what to type next. A failure that stays is not run again without a reason.
func advice(c config.Check, run facts.Run, today verdict.Verdict, stays bool) (out []string) {
	seen := map[string]bool{}
	add := func(s string) {
		if s != "" && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	if stays {
		add(fmt.Sprintf("nothing changed since; fix it, or say why trying again counts: factgate verify %s --rerun \"REASON\"", c.Name))
	}
	if n := len(run.Tree.Moved); n > 0 && slices.Contains(today.Reasons, verdict.TreeMoved) {
		add(fmt.Sprintf("run it again with nothing else at work; where the check itself writes them, paste under [checks.%s]: outputs = %s", c.Name, list5(run.Tree.Moved)))
	}
	for _, reason := range today.Reasons {
		if reason == verdict.ResultsIncomplete && endedBySomebody(run.Exit) {
			continue
		}
		next := verdict.Describe(reason).Next
		next = strings.ReplaceAll(next, "`factgate verify`", "factgate verify "+c.Name)
		next = strings.ReplaceAll(next, "CHECK", c.Name)
		next = strings.ReplaceAll(next, "`factgate show --log`", "factgate show "+c.Name+" --log")
		if (!stays || reason != verdict.TestsFailed) && reason != verdict.TreeMoved {
			add(strings.ReplaceAll(next, "`", ""))
		}
		if len(out) == 2 {
			break
		}
	}
	return out
}
