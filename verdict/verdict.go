// Package verdict decides what a run proves.
//
// Decide is pure and total: facts and rules in, one outcome and every reason for it out. It has no I/O, no clock and no
// error, and it is versioned, so that anyone who holds a record can decide again. The table of reasons in reasons.go is
// the whole of it; docs/verdict.md is printed from that table.
package verdict

import (
	"fmt"
	"slices"

	"factgate/facts"
)

// Version counts changes of Decide that can change an outcome. A record names the version that decided it. Old facts are
// decided again by new rules, so a rule that looks at something new must take its absence for doubt.
const Version = 1

// Rules are what a check asks of its runs. They are policy: the facts stay as they were when the rules change, and
// today's rules are applied by deciding again.
type Rules struct {
	MinTests     int  `json:"min_tests"`      // cases that must pass
	AllowNoTests bool `json:"allow_no_tests"` // a run that recorded nothing may pass
	AcceptFlaky  bool `json:"accept_flaky"`   // cases that failed and then passed may count
	RefuseCached bool `json:"refuse_cached"`  // cases that the runner replayed from its own cache do not count
}

// Outcome is what one run proves. The zero value is the doubtful one.
type Outcome uint8

const (
	Unproven Outcome = iota // nothing that could be relied on
	Failed                  // the code under test, or the run of it, failed
	Passed                  // every witness is there and they agree
)

func (o Outcome) String() string {
	switch o {
	case Failed:
		return "failed"
	case Passed:
		return "passed"
	default:
		return "unproven"
	}
}

// MarshalText writes the outcome's word.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText refuses words that are not outcomes.
func (o *Outcome) UnmarshalText(b []byte) error {
	for _, known := range []Outcome{Unproven, Failed, Passed} {
		if known.String() == string(b) {
			*o = known
			return nil
		}
	}
	return fmt.Errorf("%q is not an outcome (unproven, failed, passed)", b)
}

// Verdict is the outcome of one run and every reason for it, the worst first. A passed one has no reasons.
type Verdict struct {
	Outcome Outcome  `json:"outcome"`
	Reasons []Reason `json:"reasons,omitempty"`
}

// Decide concludes what one run shows. A failed reason beats an unproven one, and either beats a pass. It answers Passed
// only when no reason applies and every witness is there: the two are written down independently of each other.
func Decide(run facts.Run, rules Rules) Verdict {
	return decide(look(&run, rules), table[:])
}

func decide(s sight, table []row) Verdict {
	var reasons []Reason
	for _, r := range table {
		if r.applies != nil && r.applies(s) {
			reasons = append(reasons, r.Reason)
		}
	}
	if len(reasons) == 0 && !s.everyWitness() {
		reasons = []Reason{ResultsContradict}
	}
	return conclude(reasons)
}

// With adds standing reasons, which come from other records and from now, and concludes again.
func (v Verdict) With(standing ...Reason) Verdict {
	if len(standing) == 0 {
		return v
	}
	all := append(slices.Clone(v.Reasons), standing...)
	slices.SortStableFunc(all, func(a, b Reason) int { return rank(a) - rank(b) })
	return conclude(slices.Compact(all))
}

// Equal reports whether two verdicts say the same.
func (v Verdict) Equal(o Verdict) bool {
	return v.Outcome == o.Outcome && slices.Equal(v.Reasons, o.Reasons)
}

// Has reports whether the verdict names the reason.
func (v Verdict) Has(r Reason) bool { return slices.Contains(v.Reasons, r) }

func conclude(reasons []Reason) Verdict {
	v := Verdict{Outcome: Passed, Reasons: reasons}
	for _, r := range reasons {
		switch Describe(r).Outcome {
		case Failed:
			v.Outcome = Failed
		default:
			if v.Outcome == Passed {
				v.Outcome = Unproven
			}
		}
	}
	return v
}
