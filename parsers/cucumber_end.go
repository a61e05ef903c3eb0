package parsers

import "factgate/facts"

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
