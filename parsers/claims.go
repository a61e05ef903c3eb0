package parsers

import "factgate/facts"

// claimed are totals that a file states of a part of itself. -1 means that it states none.
type claimed struct {
	tests, passed, failures, errors, skipped int
}

func noClaims() claimed { return claimed{-1, -1, -1, -1, -1} }

func (c claimed) any() bool { return c != noClaims() }

func (c claimed) facts() facts.Claims {
	p := func(n int) *int {
		if n < 0 {
			return nil
		}
		return &n
	}
	return facts.Claims{Tests: p(c.tests), Passed: p(c.passed), Failures: p(c.failures), Errors: p(c.errors), Skipped: p(c.skipped)}
}

func (c claimed) plus(o claimed) claimed {
	add := func(a, b int) int {
		if a < 0 || b < 0 {
			return max(a, b)
		}
		return a + b
	}
	return claimed{add(c.tests, o.tests), add(c.passed, o.passed), add(c.failures, o.failures), add(c.errors, o.errors), add(c.skipped, o.skipped)}
}

// tally is what was counted in the same part.
type tally struct {
	cases, passed, skipped int
	bad                    int // failed, errored and unknown cases
	failures               int // failure and error elements: some writers count each
	retried                int // failures of earlier attempts: some writers count those too
}

func (t *tally) plus(o tally) {
	t.cases += o.cases
	t.passed += o.passed
	t.skipped += o.skipped
	t.bad += o.bad
	t.failures += o.failures
	t.retried += o.retried
}

// reconcile holds claims against counts. Counted cases are the result; a claim of more failures, or of tests where none
// is listed, contradicts it, because a reader of the total and a reader of the list would differ. A claim of less is a
// note. Failures and errors are compared as a sum: writers divide them differently. own is what stands directly in the
// part, all includes the parts within it: parents state either.
func (c *collector) reconcile(where string, s claimed, own, all tally, offset int64) {
	if !s.any() {
		return
	}
	if bad := max(s.failures, 0) + max(s.errors, 0); s.failures >= 0 || s.errors >= 0 {
		switch {
		case bad > all.bad && bad > all.failures && bad <= max(all.bad, all.failures)+all.retried:
			c.note("claims_count_retries", offset, "%s claims %d failures and errors; with the failures of earlier attempts that is so", where, bad)
		case bad > all.bad && bad > all.failures:
			c.problem(facts.Contradict, "claims_above_counts", offset, "%s claims %d failures and errors, but %d are listed", where, bad, all.bad)
		case bad < own.bad:
			c.note("claims_below_counts", offset, "%s claims %d failures and errors, and %d are listed", where, bad, own.bad)
		}
	}
	if s.passed > all.passed {
		c.problem(facts.Contradict, "claims_above_counts", offset, "%s claims %d passed, but %d are listed", where, s.passed, all.passed)
	}
	if s.tests < 0 {
		return
	}
	unlisted := max(0, s.skipped-all.skipped) // several writers count skipped tests and leave them out
	switch {
	case s.tests-unlisted > 0 && all.cases == 0:
		c.problem(facts.Contradict, "tests_without_cases", offset, "%s claims %d tests, but lists none", where, s.tests)
	case s.tests-unlisted > all.cases+all.failures+all.retried: // pytest counts a failing teardown as one more test
		c.problem(facts.Contradict, "tests_above_cases", offset, "%s claims %d tests, but lists %d", where, s.tests, all.cases)
	case s.tests < own.cases:
		c.note("claims_below_counts", offset, "%s claims %d tests, and lists %d", where, s.tests, own.cases)
	}
}
