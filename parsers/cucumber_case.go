package parsers

import (
	"strings"

	"factgate/facts"
)

// testCase takes a pickle that will run.
func (s *cucumberStream) testCase(m *cucumberMessage) error {
	p := s.pickles[m.TestCase.PickleID]
	if p == nil {
		return unexpected{"a test case of a pickle that is not there"}
	}
	if len(s.cases) > s.lim.cases {
		return tooMany("test cases", s.lim.cases)
	}
	delete(s.pickles, m.TestCase.PickleID)
	c := &cucumberCase{pickle: p, steps: map[string]string{}}
	for _, step := range m.TestCase.TestSteps {
		if text, ok := p.steps[step.PickleStepID]; ok {
			c.steps[step.ID] = text
		} else {
			c.steps[step.ID] = s.hooks[step.HookID]
		}
	}
	p.steps = nil
	s.cases[m.TestCase.ID] = c
	s.order = append(s.order, m.TestCase.ID)
	return nil
}

func (s *cucumberStream) caseStarted(m *cucumberMessage, at int64) error {
	c := s.cases[m.TestCaseStarted.TestCaseID]
	if c == nil {
		return unexpected{"a test case starts that is not there"}
	}
	if len(s.attempts) >= s.lim.bad {
		return tooMany("test cases", s.lim.bad)
	}
	c.ran++
	s.attempts[m.TestCaseStarted.ID] = &cucumberAttempt{c: c, id: m.TestCaseStarted.TestCaseID}
	return nil
}

// rank gives the place of a status among cucumberStatuses.
func (s *cucumberStream) rank(r *cucumberResult, at int64) int {
	for i, word := range cucumberStatuses() {
		if r.Status == word {
			return i
		}
	}
	s.problem(facts.Malformed, "unknown_status", at, "a step has the status %q, which is not known", clean64([]byte(r.Status)))
	return cucumberUnknown
}

func (s *cucumberStream) stepFinished(m *cucumberMessage) error {
	a := s.attempts[m.TestStepFinished.TestCaseStartedID]
	if a == nil {
		return unexpected{"a step ends in a test case that is not there"}
	}
	r := &m.TestStepFinished.TestStepResult
	rank := s.rank(r, 0)
	a.steps++
	a.worst = max(a.worst, rank)
	if d := seconds(float64(r.Duration.Seconds) + float64(r.Duration.Nanos)/1e9); d > 0 {
		a.duration += d
	}
	if rank >= cucumberPending {
		a.failures = s.hold(a.failures, s.explain(r, a.c.steps[m.TestStepFinished.TestStepID]))
	}
	return nil
}

// explain makes a failure of a step or hook. step says which.
func (s *cucumberStream) explain(r *cucumberResult, step string) facts.Failure {
	message, kind, text := r.Message, "", r.Message
	if e := r.Exception; e != nil {
		kind = e.Type
		if e.Message != "" {
			message = e.Message
		}
	}
	word := strings.ToLower(r.Status)
	if message == "" || r.Status != "FAILED" {
		message = strings.TrimSpace(word + ": " + step)
	}
	return s.failure(s.find, message, kind, strings.TrimSpace(word+": "+step+"\n"+text))
}

func (s *cucumberStream) caseFinished(m *cucumberMessage) error {
	id := m.TestCaseFinished.TestCaseStartedID
	a := s.attempts[id]
	if a == nil {
		return unexpected{"a test case ends that is not there"}
	}
	delete(s.attempts, id)
	if m.TestCaseFinished.WillBeRetried {
		s.release(a.failures)
		for _, f := range a.failures {
			a.c.earlier = s.hold(a.c.earlier, f)
		}
		return nil
	}
	s.keep(a)
	return nil
}

// keep adds the case of a last attempt.
func (s *cucumberStream) keep(a *cucumberAttempt) {
	p := a.c.pickle
	c := s.named(p.uri, s.above(p), p.name)
	c.Line, c.Duration = p.line, a.duration
	if a.c.ran > 1 {
		c.Attempts = a.c.ran
	}
	switch {
	case a.steps == 0:
		c.Status, c.Kind, c.Reason = facts.Skipped, "skip", "it has no steps"
	case a.worst == 0:
		c.Status, c.Flaky = facts.Passed, a.c.ran > 1
	case a.worst < cucumberPending:
		c.Status, c.Kind = facts.Skipped, "skip"
	case a.worst <= cucumberFailed:
		c.Status = facts.Failed
	}
	c.Failures = append(a.failures, a.c.earlier[:min(len(a.c.earlier), s.lim.failures-len(a.failures))]...)
	s.release(c.Failures)
	if c.Status == facts.Skipped {
		c.Failures = nil
	}
	explained(&c, "cucumber")
	delete(s.cases, a.id)
	s.order = sift(s.order, s.cases)
	s.held -= p.held
	s.ended++
	if i := s.add(c); i >= 0 && a.worst >= cucumberPending && a.worst < cucumberAmbiguous && len(a.c.earlier) == 0 {
		s.pending = append(s.pending, i)
	}
}

func (s *cucumberStream) above(p *cucumberPickle) []string {
	var names []string
	for _, name := range []string{s.features[p.uri], p.suite} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

func (s *cucumberStream) runFinished(m *cucumberMessage) {
	s.finished++
	f := m.TestRunFinished
	if f.Success {
		s.successes++
	}
	switch {
	case f.Exception != nil:
		s.outside(s.outsideOf(s.find, facts.OutsideTests, "", f.Exception.Message, f.Exception.StackTrace))
	case f.Message != "" && !f.Success:
		s.outside(s.outsideOf(s.find, facts.OutsideTests, "", f.Message, ""))
	}
}

// end closes what has not ended, and holds the run's own word against the cases.
func (s *cucumberStream) end() facts.Results {
	whole := s.started > 0 && s.started == s.finished
	unrun := 0
	for _, id := range s.order {
		c, open := s.cases[id]
		if !open {
			continue
		}
		if c.ran == 0 {
			unrun++ // --fail-fast says so with a failure; else something stopped it
			continue
		}
		k := s.named(c.pickle.uri, s.above(c.pickle), c.pickle.name)
		k.Line, k.Status = c.pickle.line, facts.Errored
		k.Failures = append([]facts.Failure{{Message: "it started and did not end", Error: true}}, c.earlier...)
		k.Failures = k.Failures[:min(len(k.Failures), s.lim.failures)]
		s.add(k)
		whole = false
	}
	s.known(s.events-s.other, "Cucumber Messages")
	if s.events > 0 && !whole {
		s.problem(facts.Incomplete, "no_end", 0, "%d runs started, %d reached their end, and %d cases have none", s.started, s.finished, len(s.cases)-unrun)
	}
	if s.finished > 0 && s.successes == s.finished {
		s.lenient()
	}
	bad := s.tally().bad > 0 || len(s.res.Outside) > 0
	switch {
	case whole && s.successes < s.finished && !bad:
		s.problem(facts.Contradict, "success_false", 0, "the run did not succeed, and no failure is listed")
	case whole && s.successes == s.finished && bad:
		s.note("success_true", 0, "the run says that it succeeded, and yet failures are listed")
	}
	if unrun > 0 {
		s.problem(facts.Incomplete, "not_run", 0, "%d cases were to run and did not start", unrun)
	}
	return s.finish(s.sound())
}

// lenient makes a todo of what was pending or undefined, where the run counts that as no failure (--no-strict).
func (s *cucumberStream) lenient() {
	for _, i := range s.pending {
		c := &s.res.Cases[i]
		c.Status, c.Kind = facts.Skipped, "todo"
		if len(c.Failures) > 0 {
			c.Reason = c.Failures[0].Message
		}
		c.Failures = nil
	}
}
