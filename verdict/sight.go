package verdict

import (
	"slices"

	"factgate/facts"
)

// sight is one run as the rules look at it.
type sight struct {
	run       *facts.Run
	rules     Rules
	started   bool            // a process of ours came to life
	stopped   bool            // we ended it, or its time was over, or nobody saw its end
	processes []facts.Process // runner processes that count: those a test started do not
	meanings  []facts.Meaning // of the leader's exit code, then of each process that counts
	kept      facts.Counts    // counted again over the cases that the results hold
}

func look(run *facts.Run, rules Rules) sight {
	s := sight{run: run, rules: rules}
	e := run.Exit
	s.started = run.NotStarted == nil && e.StartError == ""
	s.stopped = len(e.Sent) > 0 || e.TimedOut || e.Cancelled != "" || e.Lost != ""
	s.meanings = []facts.Meaning{run.Meaning}
	for _, p := range run.Results.Processes {
		if p.Nested {
			continue
		}
		s.processes = append(s.processes, p)
		s.meanings = append(s.meanings, p.Meaning)
	}
	s.kept = facts.Count(run.Results.Cases)
	return s
}

// everyWitness is the pass, said positively: it was started and not stopped, the code means clean in every process that
// counts, the tree is known, and enough cases passed in results that reached their end.
func (s sight) everyWitness() bool {
	if !s.started || s.stopped || s.run.Exit.Signal != "" || s.run.Tree.Before == "" || s.run.Tree.After == "" {
		return false
	}
	if !s.fine(s.run.Meaning, s.run.Exit.Code) {
		return false
	}
	for _, p := range s.processes {
		if !p.Ended || !s.fine(p.Meaning, p.Code) {
			return false
		}
	}
	if s.run.NoCases || s.emptyAllowed() {
		return true
	}
	n := s.run.Results.Counts
	return s.run.Results.Complete && n.Passed > 0 && n.Passed >= s.rules.MinTests && n.Passed+n.Skipped == n.Cases
}

// fine: code 0 that means clean, or a documented "no tests" where that is allowed and nothing was recorded.
func (s sight) fine(m facts.Meaning, code int) bool {
	return m == facts.Clean && code == 0 || m == facts.NoTests && s.emptyAllowed()
}

// emptyAllowed: allow_no_tests covers a run that recorded nothing at all, and no other.
func (s sight) emptyAllowed() bool { return s.rules.AllowNoTests && s.nothingRecorded() }

func (s sight) nothingRecorded() bool {
	r := s.run.Results
	return r.Counts == (facts.Counts{}) && len(r.Cases) == 0 && len(r.Outside) == 0
}

func (s sight) means(any ...facts.Meaning) bool {
	return slices.ContainsFunc(s.meanings, func(m facts.Meaning) bool { return slices.Contains(any, m) })
}

func (s sight) outside(k facts.OutsideKind) bool {
	return slices.ContainsFunc(s.run.Results.Outside, func(o facts.Outside) bool { return o.Kind == k })
}

func (s sight) weighs(w facts.Weight) bool {
	return slices.ContainsFunc(s.run.Results.Problems, func(p facts.Problem) bool { return p.Weight == w })
}

func meaning(m facts.Meaning) func(sight) bool { return func(s sight) bool { return s.means(m) } }
func problem(w facts.Weight) func(sight) bool  { return func(s sight) bool { return s.weighs(w) } }

func obstacle(o facts.Obstacle) func(sight) bool {
	return func(s sight) bool { return s.run.NotStarted != nil && s.run.NotStarted.Why == o }
}

// --- failed ---

func (s sight) testsFailed() bool {
	n := s.run.Results.Counts
	return n.Failed > 0 || n.Errored > 0 || s.kept.Failed > 0 || s.kept.Errored > 0
}

// exitSaysFailed is the exit code alone: where anything else says what failed, that is the reason.
func (s sight) exitSaysFailed() bool {
	e := s.run.Exit
	explained := s.testsFailed() || s.buildFailed() || s.collectionFailed() || s.thresholdFailed() || s.errorsOutside() ||
		s.crashed() || s.stopped || e.OOMKills > 0
	return s.means(facts.TestsFailed, facts.NotClean) && !explained
}

func (s sight) buildFailed() bool { return s.means(facts.BuildFailed) || s.outside(facts.Build) }
func (s sight) collectionFailed() bool {
	return s.means(facts.CollectionFailed) || s.outside(facts.Collection)
}
func (s sight) thresholdFailed() bool {
	return s.means(facts.ThresholdFailed) || s.outside(facts.Threshold)
}

// errorsOutside also takes a kind that this version does not know: a failure is a failure.
func (s sight) errorsOutside() bool {
	return slices.ContainsFunc(s.run.Results.Outside, func(o facts.Outside) bool {
		switch o.Kind {
		case facts.Build, facts.Collection, facts.Threshold, facts.Crash:
			return false
		}
		return true
	})
}

// crashed: what ended below the leader after a signal of ours most likely ended of it.
func (s sight) crashed() bool {
	return s.run.Exit.Signal != "" && len(s.run.Exit.Sent) == 0 || !s.stopped && s.outside(facts.Crash)
}

// --- unproven ---

func (s sight) noTests() bool {
	if s.emptyAllowed() {
		return false
	}
	if s.means(facts.NoTests) {
		return true
	}
	explained := s.endedEarly() || s.means(facts.Misused, facts.Broke, facts.Interrupted) || s.stopped || s.buildFailed() || s.collectionFailed() || s.errorsOutside() || s.crashed()
	return s.started && !s.run.NoCases && s.run.Results.Complete && s.run.Results.Counts.Cases == 0 && !explained
}

func (s sight) allSkipped() bool {
	n := s.run.Results.Counts
	return !s.run.NoCases && n.Cases > 0 && n.Skipped == n.Cases
}

// belowMinTests: too few even if those that failed had passed; else their failure is the reason.
func (s sight) belowMinTests() bool {
	n := s.run.Results.Counts
	return !s.run.NoCases && n.Cases > 0 && !s.allSkipped() && n.Cases-n.Skipped < s.rules.MinTests
}

// wroteNothing: neither a file nor a process reported, and no case is known.
func (s sight) wroteNothing() bool {
	r := s.run.Results
	return len(r.Files) == 0 && len(s.processes) == 0 && len(r.Cases) == 0 && r.Counts.Cases == 0
}

func (s sight) resultsMissing() bool {
	if !s.started {
		return false
	}
	// Stale results were looked for and not taken: that reason says it better.
	nothing := !s.run.NoCases && s.wroteNothing() && !s.weighs(facts.Stale)
	return (s.weighs(facts.Missing) || nothing) && !s.endedEarly()
}

// endedEarly: the exit code says why there are no results. It never excuses a code that says the tests were run, nor a
// "no tests" that the rules let pass, which needs its results like any other pass.
func (s sight) endedEarly() bool {
	if s.run.Exit.Signal != "" {
		return false
	}
	switch s.run.Meaning {
	case facts.Misused, facts.Broke, facts.Interrupted, facts.BuildFailed, facts.CollectionFailed:
		return true
	case facts.NoTests:
		return !s.emptyAllowed()
	}
	return false
}

func (s sight) malformed() bool {
	// A case that was running when we ended the run has no status, and that is no fault of the results.
	unknown := !s.stopped && (s.run.Results.Counts.Unknown > 0 || s.kept.Unknown > 0)
	return unknown || slices.ContainsFunc(s.run.Results.Problems, func(p facts.Problem) bool {
		switch p.Weight {
		case facts.Missing, facts.Stale, facts.Truncated, facts.Incomplete, facts.Contradict, facts.Note:
			return false
		}
		return true // Malformed, or a weight that this version does not know
	})
}

func (s sight) incomplete() bool {
	if s.weighs(facts.Incomplete) {
		return true
	}
	if !s.started {
		return false
	}
	for _, p := range s.processes {
		if !p.Ended {
			return true
		}
	}
	blocked := slices.ContainsFunc(s.run.Results.Problems, func(p facts.Problem) bool { return p.Weight.Blocking() })
	return !s.run.NoCases && !s.wroteNothing() && !s.run.Results.Complete && !blocked && !s.contradict()
}

// contradict: a file says so, or the counts are not those of the cases that were kept.
func (s sight) contradict() bool {
	n, k := s.run.Results.Counts, s.kept
	if s.weighs(facts.Contradict) || !adds(n) {
		return true
	}
	if k.Cases == n.Cases {
		return k != n
	}
	within := k.Cases < n.Cases && k.Passed <= n.Passed && k.Failed <= n.Failed && k.Errored <= n.Errored &&
		k.Skipped <= n.Skipped && k.Unknown <= n.Unknown && k.Flaky <= n.Flaky && k.Cached <= n.Cached
	return !within
}

// adds reports whether counts can be those of any list of cases.
func adds(n facts.Counts) bool {
	least := min(n.Cases, n.Passed, n.Failed, n.Errored, n.Skipped, n.Unknown, n.Flaky, n.Cached, n.Executed)
	return least >= 0 && n.Cases == n.Passed+n.Failed+n.Errored+n.Skipped+n.Unknown &&
		n.Executed == n.Cases-n.Skipped-n.Cached && n.Flaky <= n.Cases
}

// misused: pytest calls a conftest.py that cannot be loaded a usage error; then the collection failure is the reason.
func (s sight) misused() bool {
	return s.means(facts.Misused) && !s.collectionFailed() || obstacle(facts.RunsItself)(s)
}

// interrupted: the runner stopped itself, or a signal of ours ended it and neither a timeout nor a cancel says why, or
// nobody saw its end. A collection failure ends some runners with the same code, and then that is the reason.
func (s sight) interrupted() bool {
	e := s.run.Exit
	if e.Lost != "" || len(e.Sent) > 0 && !e.TimedOut && e.Cancelled == "" {
		return true
	}
	return s.means(facts.Interrupted) && !s.stopped && !s.collectionFailed()
}

// unknownExit: an integer without a meaning, or one that claims to be clean and is not 0. After a signal, theirs or
// ours, the integer says nothing.
func (s sight) unknownExit() bool {
	odd := func(m facts.Meaning, code int) bool {
		return m == facts.Unknown || m > facts.NotClean || m == facts.Clean && code != 0
	}
	if s.started && s.run.Exit.Signal == "" && !s.stopped && odd(s.run.Meaning, s.run.Exit.Code) {
		return true
	}
	return slices.ContainsFunc(s.processes, func(p facts.Process) bool {
		return p.Ended && !s.stopped && odd(p.Meaning, p.Code)
	})
}

// startFailed also takes an obstacle that this version does not know.
func (s sight) startFailed() bool {
	if s.run.Exit.StartError != "" {
		return true
	}
	if s.run.NotStarted == nil {
		return false
	}
	switch s.run.NotStarted.Why {
	case facts.NeedNotPassed, facts.RequirementFailed, facts.InputsEmpty, facts.TreeUnknown, facts.RunsItself:
		return false
	}
	return true
}

func (s sight) treeUnknown() bool {
	t := s.run.Tree
	return t.Unknown != "" || obstacle(facts.TreeUnknown)(s) || s.started && (t.Before == "" || t.After == "")
}

func (s sight) cachedRefused() bool {
	return s.rules.RefuseCached && (s.run.Results.Counts.Cached > 0 || s.kept.Cached > 0)
}

func (s sight) flaky() bool {
	return !s.rules.AcceptFlaky && (s.run.Results.Counts.Flaky > 0 || s.kept.Flaky > 0)
}
