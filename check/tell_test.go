package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"factgate/config"
	"factgate/facts"
	"factgate/record"
	"factgate/verdict"
)

// Two checks with the same key share a record: each is told by its own name and its own rules.
func TestTellIsOfTheCheck(t *testing.T) {
	r := record.Record{ID: "01", Check: "first", Runner: "pytest", Rules: verdict.Rules{MinTests: 1},
		Run: facts.Run{Results: facts.Results{Counts: facts.Counts{Cases: 1, Executed: 1, Passed: 1}}}}
	c := config.Check{Name: "second", Dir: ".", Rules: verdict.Rules{MinTests: 3}}
	got := Checker{}.tell(c, r, verdict.Verdict{}.With(verdict.BelowMinTests), nil, true)
	if got.Name != "second" || got.Details[0] != "1 case passed, and min_tests asks for 3." {
		t.Errorf("%q %q", got.Name, got.Details)
	}
	if !strings.Contains(got.Advice[0], "factgate verify second --rerun") {
		t.Errorf("%q", got.Advice)
	}
}

// What is told of a usage error is the code that said so, not that of make or of a script around it.
func TestTellCode(t *testing.T) {
	run := facts.Run{Exit: facts.Exit{Code: 2}, Results: facts.Results{Processes: []facts.Process{
		{Runner: "pytest", Nested: true, Ended: true, Code: 9, Meaning: facts.Misused},
		{Runner: "pytest", Ended: true, Code: 4, Meaning: facts.Misused},
	}}}
	if got := code(run, facts.Misused); got != 4 {
		t.Errorf("misused: %d", got)
	}
	if got := code(run, facts.Broke); got != 2 {
		t.Errorf("broke: %d", got)
	}
}

// tree_moved comes with the line to paste.
func TestTellMoved(t *testing.T) {
	run := facts.Run{Tree: facts.Tree{Moved: []string{"gen/a b.txt", "c"}}}
	got := advice(config.Check{Name: "api"}, run, verdict.Verdict{}.With(verdict.TreeMoved), false)
	if len(got) != 1 || !strings.HasSuffix(got[0], `paste under [checks.api]: outputs = ["gen/a b.txt", "c"]`) {
		t.Errorf("%q", got)
	}
}

// Who was ended did not end early by itself: neither the sentence nor the advice may say so.
func TestTellIncomplete(t *testing.T) {
	open := facts.Results{Processes: []facts.Process{{Runner: "jest"}}}
	v := verdict.Verdict{}.With(verdict.TimedOut, verdict.ResultsIncomplete)
	stopped := facts.Run{Exit: facts.Exit{TimedOut: true, Sent: []string{"SIGTERM"}}, Results: open}
	if got := incomplete(stopped); got != "jest had not reached its end by then." {
		t.Errorf("%q", got)
	}
	if got := advice(config.Check{Name: "a"}, stopped, v, false); len(got) != 1 || !strings.HasPrefix(got[0], "Find what hangs") {
		t.Errorf("%q", got)
	}
	if got := incomplete(facts.Run{Results: open}); !strings.Contains(got, "something ended it early") {
		t.Errorf("%q", got)
	}
}

// What is told of a run that did not reach its end: which test was running, and no sentence that another one explains.
func TestTellOfWhatDidNotEnd(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(log, []byte("last words\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := record.Record{ID: "01", Check: "a", Timeout: 3}
	r.Run.Exit = facts.Exit{TimedOut: true, Signal: "SIGTERM", Code: -1, Output: facts.Output{Log: log}}
	r.Run.Results.Cases = []facts.Case{{ID: "m.TestHang", Failures: []facts.Failure{{Message: "was running"}}}, {ID: "m.TestOdd"}}
	r.Run.Results.Problems = []facts.Problem{
		{Code: "no_end", Detail: "the stream has no end", Weight: facts.Incomplete},
		{Code: "package_not_ended", Detail: "package m has no closing event", Weight: facts.Incomplete},
	}
	v := verdict.Verdict{}.With(verdict.TimedOut, verdict.ResultsIncomplete)
	got := Checker{}.tell(config.Check{Name: "a"}, r, v, nil, false)
	if len(got.Failures) != 1 || got.Failures[0].ID != "m.TestHang" {
		t.Errorf("failures %+v", got.Failures)
	}
	if said := strings.Join(got.Details, "\n"); strings.Contains(said, "stream has no end") || !strings.Contains(said, "no closing event") {
		t.Errorf("details %q", said)
	}
	if got.Tail != "last words\n" { // the failure has neither a place nor a text of its own
		t.Errorf("tail %q", got.Tail)
	}
	r.Run.Results.Problems = r.Run.Results.Problems[:1]
	if got = (Checker{}).tell(config.Check{Name: "a"}, r, v, nil, false); !strings.Contains(strings.Join(got.Details, "\n"), "stream has no end") {
		t.Errorf("alone: %q", got.Details)
	}
}
