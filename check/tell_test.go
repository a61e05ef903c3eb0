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
