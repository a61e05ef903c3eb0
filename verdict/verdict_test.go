package verdict_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"factgate/facts"
	"factgate/verdict"
)

var one = verdict.Rules{MinTests: 1}

// green is a run in which every witness is there.
func green(change ...func(*facts.Run)) facts.Run {
	r := facts.Run{Meaning: facts.Clean, Tree: facts.Tree{Before: "t", After: "t"}}
	r.Exit.Duration = time.Second
	r.Results.Complete = true
	r.Results.Files = []facts.File{{Path: "junit.xml"}}
	listed(facts.Case{ID: "a", Status: facts.Passed})(&r)
	for _, c := range change {
		c(&r)
	}
	return r
}

func exit(code int, m facts.Meaning) func(*facts.Run) {
	return func(r *facts.Run) { r.Exit.Code, r.Meaning = code, m }
}
func cases(cs ...facts.Case) func(*facts.Run) { return listed(cs...) }
func noResults(r *facts.Run)                  { r.Results = facts.Results{} }
func outside(k facts.OutsideKind) func(*facts.Run) {
	return func(r *facts.Run) { r.Results.Outside = []facts.Outside{{Kind: k}} }
}
func process(p facts.Process) func(*facts.Run) {
	return func(r *facts.Run) { r.Results.Processes = append(r.Results.Processes, p) }
}
func command(r *facts.Run) { r.Results, r.NoCases = facts.Results{}, true }
func weight(ws ...facts.Weight) func(*facts.Run) {
	return func(r *facts.Run) {
		for _, w := range ws {
			r.Results.Problems = append(r.Results.Problems, facts.Problem{Weight: w})
		}
	}
}
func why(o facts.Obstacle) facts.Run { return facts.Run{NotStarted: &facts.NotStarted{Why: o}} }

func TestDecide(t *testing.T) {
	pass, fail := facts.Case{ID: "a", Status: facts.Passed}, facts.Case{ID: "b", Status: facts.Failed}
	skip := facts.Case{ID: "c", Status: facts.Skipped}
	is := func(r ...verdict.Reason) []verdict.Reason { return r }
	for _, c := range []struct {
		name string
		run  facts.Run
		want []verdict.Reason
	}{
		{"green", green(), nil},
		{"nothing is known", facts.Run{}, is(verdict.ResultsMissing, verdict.UnknownExit, verdict.TreeUnknown)},
		{"a test failed", green(exit(1, facts.TestsFailed), cases(pass, fail)), is(verdict.TestsFailed)},
		{"a test failed and the code says clean", green(cases(pass, fail)), is(verdict.TestsFailed)},
		{"a failing code and green results", green(exit(1, facts.TestsFailed)), is(verdict.ExitSaysFailed)},
		{"make fails after pytest passed", green(exit(2, facts.NotClean), process(facts.Process{Ended: true, Meaning: facts.Clean})),
			is(verdict.ExitSaysFailed)},
		{"a failing code and no results", green(exit(1, facts.TestsFailed), noResults), is(verdict.ExitSaysFailed, verdict.ResultsMissing)},
		{"make hides a failing pytest", green(process(facts.Process{Ended: true, Code: 1, Meaning: facts.TestsFailed})),
			is(verdict.ExitSaysFailed)},
		{"make hides a pytest without tests", green(process(facts.Process{Ended: true, Code: 5, Meaning: facts.NoTests})),
			is(verdict.NoTests)},
		{"a nested failure is a note", green(process(facts.Process{Nested: true, Code: 1, Meaning: facts.TestsFailed})), nil},
		{"build error beside failing tests", green(exit(1, facts.TestsFailed), cases(fail), outside(facts.Build)),
			is(verdict.TestsFailed, verdict.BuildFailed)},
		{"build error alone", green(exit(101, facts.BuildFailed), noResults), is(verdict.BuildFailed)},
		{"collection error ends like an interrupt", green(exit(2, facts.Interrupted), outside(facts.Collection)), is(verdict.CollectionFailed)},
		{"conftest error ends like a usage error", green(exit(4, facts.Misused), outside(facts.Collection)), is(verdict.CollectionFailed)},
		{"interrupt without results", green(exit(2, facts.Interrupted), noResults), is(verdict.Interrupted)},
		{"usage error without results", green(exit(4, facts.Misused), noResults), is(verdict.Misused)},
		{"make hides a usage error", green(exit(2, facts.NotClean), cases(), process(facts.Process{Ended: true, Code: 4, Meaning: facts.Misused})),
			is(verdict.ExitSaysFailed, verdict.Misused)},
		{"internal error without results", green(exit(3, facts.Broke), noResults), is(verdict.Broke)},
		{"threshold", green(exit(1, facts.ThresholdFailed)), is(verdict.ThresholdFailed)},
		{"hook failure under a clean code", green(outside(facts.OutsideTests)), is(verdict.ErrorsOutsideTests)},
		{"set-up failed before the first test", green(cases(), exit(1, facts.NotClean), outside(facts.OutsideTests)), is(verdict.ErrorsOutsideTests)},
		{"set-up that failed before any test", green(cases(), outside(facts.OutsideTests)), is(verdict.ErrorsOutsideTests)},
		{"segfault", green(noResults, func(r *facts.Run) { r.Exit.Signal, r.Exit.Code, r.Meaning = "SIGSEGV", -1, facts.Unknown }),
			is(verdict.Crashed, verdict.ResultsMissing)},
		{"memory", green(noResults, func(r *facts.Run) {
			r.Exit.Signal, r.Exit.Code, r.Exit.OOMKills, r.Meaning = "SIGKILL", -1, 1, facts.Unknown
		}), is(verdict.Crashed, verdict.OutOfMemory, verdict.ResultsMissing)},
		{"timeout that ended with 0", green(func(r *facts.Run) { r.Exit.TimedOut, r.Exit.Sent = true, []string{"SIGTERM"} }),
			is(verdict.TimedOut)},
		{"timeout ended by our signal", green(func(r *facts.Run) {
			r.Exit.TimedOut, r.Exit.Sent, r.Exit.Signal, r.Meaning = true, []string{"SIGTERM"}, "SIGTERM", facts.Unknown
		}), is(verdict.TimedOut)},
		{"timeout in the middle of a test", green(cases(pass, facts.Case{ID: "x"}), outside(facts.Crash), func(r *facts.Run) {
			r.Exit.TimedOut, r.Exit.Sent, r.Exit.Signal, r.Meaning, r.Results.Complete = true, []string{"SIGTERM"}, "SIGTERM", facts.Unknown, false
		}), is(verdict.TimedOut, verdict.ResultsIncomplete)},
		{"cancel that pytest calls interrupted", green(exit(2, facts.Interrupted), func(r *facts.Run) {
			r.Exit.Cancelled, r.Exit.Sent = "SIGINT", []string{"SIGINT"}
		}), is(verdict.Cancelled)},
		{"a signal of ours without a word why", green(exit(1, facts.NotClean), func(r *facts.Run) { r.Exit.Sent = []string{"SIGTERM"} }),
			is(verdict.Interrupted)},
		{"pytest 5", green(exit(5, facts.NoTests), noResults), is(verdict.NoTests)},
		{"clean and empty", green(cases()), is(verdict.NoTests)},
		{"clean and no file", green(noResults), is(verdict.ResultsMissing)},
		{"all skipped", green(cases(skip, skip)), is(verdict.AllSkipped)},
		{"exit inside a test", green(func(r *facts.Run) { r.Results.Complete = false }), is(verdict.ResultsIncomplete)},
		{"a process without an end", green(process(facts.Process{Code: -1})), is(verdict.ResultsIncomplete)},
		{"cut off is not incomplete too", green(weight(facts.Truncated), func(r *facts.Run) { r.Results.Complete = false }), is(verdict.ResultsTruncated)},
		{"every problem", green(weight(facts.Note, facts.Contradict, facts.Incomplete, facts.Truncated, facts.Malformed, facts.Stale, facts.Missing)),
			is(verdict.ResultsMissing, verdict.ResultsStale, verdict.ResultsMalformed, verdict.ResultsTruncated,
				verdict.ResultsIncomplete, verdict.ResultsContradict)},
		{"a note", green(weight(facts.Note)), nil},
		{"a status nobody knows", green(cases(pass, facts.Case{ID: "x"})), is(verdict.ResultsMalformed)},
		{"counts of other cases", green(func(r *facts.Run) { r.Results.Counts.Passed++ }), is(verdict.ResultsContradict)},
		{"some cases not kept", green(func(r *facts.Run) { r.Results.Counts = facts.Counts{Cases: 3, Executed: 3, Passed: 3} }), nil},
		{"unknown code", green(exit(42, facts.Unknown)), is(verdict.UnknownExit)},
		{"clean by a code that is not 0", green(exit(3, facts.Clean)), is(verdict.UnknownExit)},
		{"not found", facts.Run{Exit: facts.Exit{StartError: facts.NotFound, Code: -1}, Tree: facts.Tree{Before: "t"}}, is(verdict.StartFailed)},
		{"need", why(facts.NeedNotPassed), is(verdict.NeedNotPassed)},
		{"requirement", why(facts.RequirementFailed), is(verdict.RequirementFailed)},
		{"inputs", why(facts.InputsEmpty), is(verdict.InputsEmpty)},
		{"tree", why(facts.TreeUnknown), is(verdict.TreeUnknown)},
		{"itself", why(facts.RunsItself), is(verdict.Misused)},
		{"an obstacle of a later version", why("moonlight"), is(verdict.StartFailed)},
		{"moved", green(func(r *facts.Run) { r.Tree.Moved = []string{"a"} }), is(verdict.TreeMoved)},
		{"rewritten with the same bytes", green(func(r *facts.Run) { r.Tree.Touched = []string{"a"} }), nil},
		{"strays that were ended", green(func(r *facts.Run) { r.Exit.Strays = 2 }), nil},
		{"flaky", green(cases(facts.Case{ID: "a", Status: facts.Passed, Flaky: true})), is(verdict.FlakyCases)},
		{"all from the cache", green(cases(facts.Case{ID: "a", Status: facts.Passed, Cached: true})), nil},
		{"command, clean", green(command), nil},
		{"command, not clean", green(command, exit(1, facts.NotClean)), is(verdict.ExitSaysFailed)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := verdict.Decide(c.run, one); !slices.Equal(got.Reasons, c.want) {
				t.Errorf("%s %v, want %v", got.Outcome, got.Reasons, c.want)
			}
		})
	}
}

func TestRules(t *testing.T) {
	cached := green(cases(facts.Case{ID: "a", Status: facts.Passed, Cached: true}))
	flaky := green(cases(facts.Case{ID: "a", Status: facts.Passed, Flaky: true}))
	empty := green(cases(), exit(5, facts.NoTests))
	for _, c := range []struct {
		name  string
		run   facts.Run
		rules verdict.Rules
		want  verdict.Outcome
	}{
		{"min_tests", green(), verdict.Rules{MinTests: 2}, verdict.Unproven},
		{"cached refused", cached, verdict.Rules{MinTests: 1, RefuseCached: true}, verdict.Unproven},
		{"flaky accepted", flaky, verdict.Rules{MinTests: 1, AcceptFlaky: true}, verdict.Passed},
		{"no tests allowed", empty, verdict.Rules{MinTests: 1, AllowNoTests: true}, verdict.Passed},
		{"no tests allowed, but no results either", green(noResults, exit(5, facts.NoTests)),
			verdict.Rules{MinTests: 1, AllowNoTests: true}, verdict.Unproven},
		{"no tests allowed, and some were recorded", green(exit(5, facts.NoTests)),
			verdict.Rules{MinTests: 1, AllowNoTests: true}, verdict.Unproven},
		{"no tests allowed does not lower min_tests", green(), verdict.Rules{MinTests: 2, AllowNoTests: true}, verdict.Unproven},
	} {
		if got := verdict.Decide(c.run, c.rules); got.Outcome != c.want {
			t.Errorf("%s: %s %v, want %s", c.name, got.Outcome, got.Reasons, c.want)
		}
	}
}

// TestReachable: every reason of the table is given by some run, but the standing ones by none.
func TestReachable(t *testing.T) {
	seen := map[verdict.Reason]bool{}
	dims := grid()
	origin := make([]int, len(dims))
	for d := range dims {
		for i := range dims[d].values {
			point := slices.Clone(origin)
			point[d] = i
			for _, rules := range gridRules() {
				for _, r := range verdict.Decide(at(dims, point), rules).Reasons {
					seen[r] = true
				}
			}
		}
	}
	for _, r := range verdict.Reasons() {
		d := verdict.Describe(r)
		if seen[r] == d.Standing {
			t.Errorf("%s: standing %v, given by a run %v", r, d.Standing, seen[r])
		}
		if d.Means == "" || d.Next == "" {
			t.Errorf("%s: no description", r)
		}
		if d.Outcome == verdict.Passed {
			t.Errorf("%s: a reason for a pass", r)
		}
	}
	if d := verdict.Describe("of_a_later_version"); d.Outcome != verdict.Unproven || d.Means == "" {
		t.Errorf("an unknown reason: %+v", d)
	}
}

func TestWith(t *testing.T) {
	passed := verdict.Decide(green(), one)
	got := passed.With(verdict.FlakyTree, verdict.FlakyCases, verdict.FlakyTree)
	want := verdict.Verdict{Reasons: []verdict.Reason{verdict.FlakyCases, verdict.FlakyTree}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(passed.Reasons) != 0 || !passed.With().Equal(passed) {
		t.Error("the verdict that was added to has changed")
	}
	if got := verdict.Decide(green(exit(1, facts.TestsFailed)), one).With(verdict.CasesVanished); got.Outcome != verdict.Failed {
		t.Errorf("a failed run with a standing reason: %s", got.Outcome)
	}
	if got := passed.With("of_a_later_version"); got.Outcome != verdict.Unproven {
		t.Errorf("an unknown standing reason: %s", got.Outcome)
	}
}

func TestFold(t *testing.T) {
	ended := func(v verdict.Verdict) verdict.State { return verdict.State{Status: verdict.StatusEnded, Verdict: v} }
	passed := ended(verdict.Verdict{Outcome: verdict.Passed})
	failed := ended(verdict.Verdict{Outcome: verdict.Failed, Reasons: []verdict.Reason{verdict.TimedOut}})
	unproven := ended(verdict.Verdict{Reasons: []verdict.Reason{verdict.NoTests}})
	none, queued := verdict.State{Status: verdict.StatusNone}, verdict.State{Status: verdict.StatusQueued}
	running, unknown := verdict.State{Status: verdict.StatusRunning}, verdict.State{}
	for _, c := range []struct {
		want   verdict.Tree
		states []verdict.State
	}{
		{verdict.TreeNone, []verdict.State{none, none}},
		{verdict.TreeFailed, []verdict.State{passed, running, unproven, failed, none}},
		{verdict.TreeRunning, []verdict.State{passed, queued, unproven, none}},
		{verdict.TreeRunning, []verdict.State{passed, unknown}},
		{verdict.TreeUnproven, []verdict.State{passed, unproven}},
		{verdict.TreeUnproven, []verdict.State{passed, none}},
		{verdict.TreePassed, []verdict.State{passed, passed}},

		{verdict.TreeNone, nil},
		{verdict.TreeRunning, []verdict.State{none, running}},
		{verdict.TreeRunning, []verdict.State{unknown}},
		{verdict.TreeRunning, []verdict.State{{Status: 99}}},
		{verdict.TreeUnproven, []verdict.State{ended(verdict.Verdict{})}},
		{verdict.TreeUnproven, []verdict.State{ended(verdict.Verdict{Outcome: verdict.Passed, Reasons: []verdict.Reason{verdict.FlakyTree}})}},
	} {
		if got := verdict.Fold(c.states); got != c.want {
			t.Errorf("%+v: %s, want %s", c.states, got, c.want)
		}
	}
}

func TestOutcomeWords(t *testing.T) {
	for _, o := range []verdict.Outcome{verdict.Unproven, verdict.Failed, verdict.Passed} {
		b, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		var back verdict.Outcome
		if err := json.Unmarshal(b, &back); err != nil || back != o {
			t.Errorf("%s came back as %s (%v)", b, back, err)
		}
	}
	var o verdict.Outcome
	if json.Unmarshal([]byte(`"green"`), &o) == nil {
		t.Error("green is taken for an outcome")
	}
}
