package verdict

import (
	"testing"

	"factgate/facts"
)

// TestWitnesses: the pass is said twice, by reasons that do not apply and by witnesses that are there. With every reason
// forgotten, a run that lacks one witness still does not pass.
func TestWitnesses(t *testing.T) {
	listed := func(statuses ...facts.Status) func(*facts.Run) {
		return func(r *facts.Run) {
			r.Results.Cases = nil
			for _, s := range statuses {
				r.Results.Cases = append(r.Results.Cases, facts.Case{Status: s})
			}
			r.Results.Counts = facts.Count(r.Results.Cases)
		}
	}
	process := func(p facts.Process) func(*facts.Run) {
		return func(r *facts.Run) { r.Results.Processes = []facts.Process{p} }
	}
	green := func(change func(*facts.Run)) facts.Run {
		r := facts.Run{Meaning: facts.Clean, Tree: facts.Tree{Before: "t", After: "t"}}
		r.Results.Complete = true
		listed(facts.Passed)(&r)
		change(&r)
		return r
	}
	nothing := func(r *facts.Run) { r.Results.Cases, r.Results.Counts = nil, facts.Counts{} }
	one, none := Rules{MinTests: 1}, Rules{AllowNoTests: true}
	for _, c := range []struct {
		name   string
		rules  Rules
		change func(*facts.Run)
		want   Outcome
	}{
		{"all there", one, func(*facts.Run) {}, Passed},
		{"a skip beside a pass", one, listed(facts.Passed, facts.Skipped), Passed},
		{"a command", one, func(r *facts.Run) { nothing(r); r.NoCases = true }, Passed},
		{"none, and none is fine", none, nothing, Passed},
		{"none, as the code says, and none is fine", none, func(r *facts.Run) { nothing(r); r.Meaning, r.Exit.Code = facts.NoTests, 5 }, Passed},
		{"a process", one, process(facts.Process{Ended: true, Meaning: facts.Clean}), Passed},
		{"a process of a test", one, process(facts.Process{Nested: true}), Passed},

		{"not started", one, func(r *facts.Run) { r.NotStarted = &facts.NotStarted{} }, Unproven},
		{"not found", one, func(r *facts.Run) { r.Exit.StartError = facts.NotFound }, Unproven},
		{"a signal of ours", one, func(r *facts.Run) { r.Exit.Sent = []string{"SIGTERM"} }, Unproven},
		{"its time was over", one, func(r *facts.Run) { r.Exit.TimedOut = true }, Unproven},
		{"cancelled", one, func(r *facts.Run) { r.Exit.Cancelled = "SIGINT" }, Unproven},
		{"a signal", one, func(r *facts.Run) { r.Exit.Signal = "SIGKILL" }, Unproven},
		{"no tree before", one, func(r *facts.Run) { r.Tree.Before = "" }, Unproven},
		{"no tree afterwards", one, func(r *facts.Run) { r.Tree.After = "" }, Unproven},
		{"a code without meaning", one, func(r *facts.Run) { r.Meaning = facts.Unknown }, Unproven},
		{"a clean code that is not 0", one, func(r *facts.Run) { r.Exit.Code = 1 }, Unproven},
		{"a process without end", one, process(facts.Process{Meaning: facts.Clean}), Unproven},
		{"a process with another code", one, process(facts.Process{Ended: true, Code: 1, Meaning: facts.TestsFailed}), Unproven},
		{"incomplete", one, func(r *facts.Run) { r.Results.Complete = false }, Unproven},
		{"too few", Rules{MinTests: 2}, func(*facts.Run) {}, Unproven},
		{"none", one, nothing, Unproven},
		{"none, and 0 is asked for", Rules{}, nothing, Unproven},
		{"none by the code", one, func(r *facts.Run) { nothing(r); r.Meaning, r.Exit.Code = facts.NoTests, 5 }, Unproven},
		{"one is listed where none is fine", none, func(r *facts.Run) { listed(facts.Failed)(r) }, Unproven},
		{"a failure beside a pass", one, listed(facts.Passed, facts.Failed), Unproven},
		{"a case of unknown status", one, listed(facts.Passed, facts.StatusUnknown), Unproven},
	} {
		if got := decide(look(ptr(green(c.change)), c.rules), nil); got.Outcome != c.want {
			t.Errorf("%s: %v %v", c.name, got.Outcome, got.Reasons)
		}
	}
}

func ptr(r facts.Run) *facts.Run { return &r }
