package record

import (
	"iter"
	"time"

	"factgate/verdict"
)

// Policy is what today's configuration asks of a check. It is not in the key: it is applied to the facts of old runs.
type Policy struct {
	Rules   verdict.Rules
	Timeout time.Duration // 0 means none
}

// ProofState is what the runs of one key say together.
type ProofState uint8

const (
	ProofOpen   ProofState = iota // run it
	ProofProven                   // Entry is the proof
	ProofStays                    // the answer is Entry's; trying again counts only with a reason
)

// Proof is the answer of one key.
type Proof struct {
	State   ProofState
	Entry   Entry           // the run that answers; empty where the key was never run
	Verdict verdict.Verdict // of Entry by today's policy, standing reasons included
	Failure *Entry          // the failure that stays and that no reason lifts
	Lost    []string        // ids of runs of this key that could not be read; Store.Proof fills it in
}

// Prove folds the runs of one key, newest first, by today's policy. The key is proven when its newest finished, unfocused
// run passed and every failure that stays before it was followed by a pass that had a rerun reason.
func Prove(newestFirst iter.Seq[Entry], p Policy) Proof {
	var newest *Entry
	var answer verdict.Verdict
	for e := range newestFirst {
		if e.Run.Focused || e.Run.NotStarted != nil {
			continue // not a run of the whole check
		}
		v := p.decide(e.Record)
		if newest == nil {
			newest, answer = &e, v
		}
		if v.Outcome == verdict.Passed && e.Rerun != "" {
			break // it settles every failure before it
		}
		if !p.stays(e.Record, v) {
			continue
		}
		if answer.Outcome != verdict.Passed {
			return Proof{State: ProofStays, Entry: e, Verdict: v, Failure: &e}
		}
		if doubt := p.doubts(v); len(doubt) > 0 {
			return Proof{State: ProofStays, Entry: *newest, Verdict: answer.With(doubt...), Failure: &e}
		}
	}
	if newest == nil {
		return Proof{}
	}
	if answer.Outcome == verdict.Passed {
		return Proof{State: ProofProven, Entry: *newest, Verdict: answer}
	}
	return Proof{Entry: *newest, Verdict: answer}
}

// decide applies today's rules. A rerun reason says that the run's own retries were expected.
func (p Policy) decide(r Record) verdict.Verdict {
	rules := p.Rules
	rules.AcceptFlaky = rules.AcceptFlaky || r.Rerun != ""
	return verdict.Decide(r.Run, rules)
}

// stays reports whether a run is the truth for its key until a reason is given. It is when it ended by itself in a
// failure of the code, or overran a timeout that is at least today's. A run whose tree moved was not a run of this key, and
// a process that the system ended for lack of memory says nothing about the code.
func (p Policy) stays(r Record, v verdict.Verdict) bool {
	x := r.Run.Exit
	if v.Has(verdict.TreeMoved) || v.Has(verdict.TreeUnknown) || x.Cancelled != "" || x.Lost != "" {
		return false
	}
	if x.TimedOut {
		return p.Timeout > 0 && p.Timeout <= r.Timeout
	}
	if len(x.Sent) > 0 {
		return false
	}
	return v.Has(verdict.TestsFailed) || v.Has(verdict.ExitSaysFailed) || v.Has(verdict.ErrorsOutsideTests) ||
		v.Has(verdict.ThresholdFailed) || v.Has(verdict.Crashed) && x.OOMKills == 0
}

// doubts are the standing reasons that an earlier failure puts on a pass of the same key.
func (p Policy) doubts(failure verdict.Verdict) []verdict.Reason {
	var doubt []verdict.Reason
	for _, r := range failure.Reasons {
		switch r {
		case verdict.TestsFailed:
			if !p.Rules.AcceptFlaky {
				doubt = append(doubt, verdict.FlakyCases)
			}
		case verdict.ExitSaysFailed, verdict.ErrorsOutsideTests, verdict.ThresholdFailed, verdict.Crashed, verdict.TimedOut:
			doubt = append(doubt, verdict.FlakyTree)
		}
	}
	return doubt
}
