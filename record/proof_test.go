package record

import (
	"slices"
	"testing"
	"time"

	"factgate/facts"
	"factgate/verdict"
)

// Endings of a run, for the stories below.
var (
	timedOut = func(r *Record) {
		r.Run.Exit.TimedOut, r.Run.Exit.Sent, r.Run.Exit.Signal = true, []string{"SIGTERM"}, "SIGTERM"
		r.Run.Exit.Code, r.Run.Meaning = -1, facts.Unknown
	}
	lost      = func(r *Record) { r.Run.Exit.Lost = "killed" }
	cancelled = func(r *Record) { r.Run.Exit.Cancelled, r.Run.Exit.Sent = "SIGINT", []string{"SIGINT"} }
	sent      = func(r *Record) { r.Run.Exit.Sent = []string{"SIGTERM"} }
	crashed   = func(r *Record) { r.Run.Exit.Signal, r.Run.Exit.Code, r.Run.Meaning = "SIGSEGV", -1, facts.Unknown }
	oom       = func(r *Record) { crashed(r); r.Run.Exit.OOMKills = 1 }
	exitOnly  = func(r *Record) { r.Run.Exit.Code, r.Run.Meaning = 1, facts.NotClean }
	broke     = func(r *Record) { r.Run.Exit.Code, r.Run.Meaning = 3, facts.Broke }
	outside   = func(r *Record) {
		r.Run.Results.Outside = []facts.Outside{{Message: "afterAll"}}
		r.Run.Exit.Code, r.Run.Meaning = 1, facts.TestsFailed
	}
	threshold = func(r *Record) { r.Run.Exit.Code, r.Run.Meaning = 1, facts.ThresholdFailed }
	build     = func(r *Record) { r.Run.Exit.Code, r.Run.Meaning = 2, facts.BuildFailed }
	focused   = func(r *Record) { r.Run.Focused = true }
	retried   = func(r *Record) { setCases(r, facts.Case{ID: "a", Status: facts.Passed, Flaky: true}) }
	moved     = func(r *Record) { r.Run.Tree.Moved = []string{"a.go"} }
	blocked   = func(r *Record) { r.Run = facts.Run{NotStarted: &facts.NotStarted{Why: facts.NeedNotPassed}} }
	fine      = func(*Record) {}
)

func TestProve(t *testing.T) {
	today := Policy{Rules: verdict.Rules{MinTests: 1}, Timeout: 5 * time.Minute}
	accept := today
	accept.Rules.AcceptFlaky = true
	longer, shorter, none := today, today, today
	longer.Timeout, shorter.Timeout, none.Timeout = 10*time.Minute, time.Second, 0
	demanding := today
	demanding.Rules.MinTests = 2

	why := reason("started postgres")
	type run = []func(*Record)
	for _, c := range []struct {
		name    string
		policy  Policy
		runs    []run // oldest first
		state   ProofState
		answer  int // index in runs
		reasons []verdict.Reason
	}{
		{"never run", today, nil, ProofOpen, -1, nil},
		{"passed", today, []run{{fine}}, ProofProven, 0, nil},
		{"failed", today, []run{{red}}, ProofStays, 0, []verdict.Reason{verdict.TestsFailed}},
		{"passed twice", today, []run{{fine}, {fine}}, ProofProven, 1, nil},
		{"failed after it had passed", today, []run{{fine}, {red}}, ProofStays, 1, []verdict.Reason{verdict.TestsFailed}},
		{"tried again without a word", today, []run{{red}, {fine}}, ProofStays, 1, []verdict.Reason{verdict.FlakyCases}},
		{"and again", today, []run{{red}, {fine}, {fine}}, ProofStays, 2, []verdict.Reason{verdict.FlakyCases}},
		{"tried again with a reason", today, []run{{red}, {fine, why}}, ProofProven, 1, nil},
		{"settled once is settled", today, []run{{red}, {fine, why}, {fine}}, ProofProven, 2, nil},
		{"a failure after the settlement", today, []run{{red}, {fine, why}, {red}, {fine}}, ProofStays, 3, []verdict.Reason{verdict.FlakyCases}},
		{"a reason on a red run settles nothing", today, []run{{red}, {red, why}, {fine}}, ProofStays, 2, []verdict.Reason{verdict.FlakyCases}},
		{"flaky is accepted", accept, []run{{red}, {fine}}, ProofProven, 1, nil},
		{"accepted flakiness is no answer for a red one", accept, []run{{red}}, ProofStays, 0, []verdict.Reason{verdict.TestsFailed}},
		{"accepted flakiness does not cover a crash", accept, []run{{crashed}, {fine}}, ProofStays, 1, []verdict.Reason{verdict.FlakyTree}},
		{"without cases", today, []run{{exitOnly}, {fine}}, ProofStays, 1, []verdict.Reason{verdict.FlakyTree}},
		{"an error outside tests", today, []run{{outside}, {fine}}, ProofStays, 1, []verdict.Reason{verdict.FlakyTree}},
		{"a limit that was missed", today, []run{{threshold}, {fine}}, ProofStays, 1, []verdict.Reason{verdict.FlakyTree}},
		{"crash", today, []run{{crashed}}, ProofStays, 0, []verdict.Reason{verdict.Crashed}},
		{"memory leaves it open", today, []run{{oom}}, ProofOpen, 0, []verdict.Reason{verdict.Crashed, verdict.OutOfMemory}},
		{"broke leaves it open", today, []run{{broke}}, ProofOpen, 0, []verdict.Reason{verdict.Broke}},
		{"build failure leaves it open", today, []run{{build}}, ProofOpen, 0, []verdict.Reason{verdict.BuildFailed}},
		{"cancelled leaves it open", today, []run{{fine}, {cancelled}}, ProofOpen, 1, []verdict.Reason{verdict.Cancelled}},
		{"a red without its end leaves it open", today, []run{{red, lost}}, ProofOpen, 0, []verdict.Reason{verdict.TestsFailed, verdict.Interrupted}},
		{"a cancelled red leaves it open", today, []run{{red, cancelled}}, ProofOpen, 0, []verdict.Reason{verdict.TestsFailed, verdict.Cancelled}},
		{"a red that we ended leaves it open", today, []run{{red, sent}}, ProofOpen, 0, []verdict.Reason{verdict.TestsFailed, verdict.Interrupted}},
		{"open endings do not hide a failure", today, []run{{red}, {broke}}, ProofStays, 0, []verdict.Reason{verdict.TestsFailed}},
		{"nor a pass before them", today, []run{{red}, {fine}, {broke}}, ProofStays, 0, []verdict.Reason{verdict.TestsFailed}},
		{"an open ending before a pass", today, []run{{build}, {broke}, {fine}}, ProofProven, 2, nil},
		{"a moved tree was another key", today, []run{{red, moved}, {fine}}, ProofProven, 1, nil},
		{"focused is no proof", today, []run{{focused}}, ProofOpen, -1, nil},
		{"focused takes no proof", today, []run{{fine}, {red, focused}}, ProofProven, 0, nil},
		{"not started is no run", today, []run{{fine}, {blocked}}, ProofProven, 0, nil},
		{"overran", today, []run{{timedOut}}, ProofStays, 0, []verdict.Reason{verdict.TimedOut}},
		{"overran a shorter timeout than today's", longer, []run{{timedOut}}, ProofOpen, 0, []verdict.Reason{verdict.TimedOut}},
		{"overran, and there is none today", none, []run{{timedOut}}, ProofOpen, 0, []verdict.Reason{verdict.TimedOut}},
		{"overran more than today's", shorter, []run{{timedOut}}, ProofStays, 0, []verdict.Reason{verdict.TimedOut}},
		{"a lower timeout does not redden a finished run", shorter, []run{{fine}}, ProofProven, 0, nil},
		{"overran before it passed", today, []run{{timedOut}, {fine}}, ProofStays, 1, []verdict.Reason{verdict.FlakyTree}},
		{"retried within the run", today, []run{{retried}}, ProofOpen, 0, []verdict.Reason{verdict.FlakyCases}},
		{"retried within the run, with a reason", today, []run{{retried, why}}, ProofProven, 0, nil},
		{"retried within the run, accepted today", accept, []run{{retried}}, ProofProven, 0, nil},
		{"today asks for more", demanding, []run{{fine}}, ProofOpen, 0, []verdict.Reason{verdict.BelowMinTests}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var entries []Entry
			for i, changes := range c.runs {
				entries = append(entries, entryOf(sample(i, changes...), nil))
			}
			newestFirst := slices.Clone(entries)
			slices.Reverse(newestFirst)
			p := Prove(slices.Values(newestFirst), c.policy)
			if p.State != c.state || !slices.Equal(p.Verdict.Reasons, c.reasons) {
				t.Errorf("state %d with %v, want %d with %v", p.State, p.Verdict.Reasons, c.state, c.reasons)
			}
			want := ""
			if c.answer >= 0 {
				want = entries[c.answer].ID
			}
			if p.Entry.ID != want {
				t.Errorf("answered from %q, want %q", p.Entry.ID, want)
			}
			if p.State == ProofProven && p.Verdict.Outcome != verdict.Passed {
				t.Errorf("proven by %s", p.Verdict.Outcome)
			}
		})
	}
}
