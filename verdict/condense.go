package verdict

import (
	"slices"

	"factgate/facts"
)

// Condense keeps of a run what Decide looks at, and drops the rest: cases, texts, paths beyond the first. Under any rules
// the verdict on the condensed run is the verdict on the whole one. It is about one kilobyte, however long the run's
// results are, so an index can hold it, and a tombstone can stand for the record.
func Condense(run facts.Run) facts.Run {
	c := run
	c.Exit.StartText = ""
	c.Exit.Output.Log = ""
	c.Tree.Moved, c.Tree.Touched = first(run.Tree.Moved), nil
	c.WrongTree, c.Wiring, c.Notes = first(run.WrongTree), first(run.Wiring), nil
	c.Results = facts.Results{Files: first(run.Results.Files), Counts: run.Results.Counts, Complete: run.Results.Complete}

	r := &c.Results
	for _, p := range run.Results.Processes {
		if !p.Nested {
			r.Processes = distinct(r.Processes, facts.Process{Runner: p.Runner, Ended: p.Ended, Code: p.Code, Meaning: p.Meaning},
				func(a, b facts.Process) bool {
					return a.Runner == b.Runner && a.Ended == b.Ended && a.Code == b.Code && a.Meaning == b.Meaning
				})
		}
	}
	for _, o := range run.Results.Outside {
		r.Outside = distinct(r.Outside, facts.Outside{Kind: o.Kind},
			func(a, b facts.Outside) bool { return a.Kind == b.Kind })
	}
	for _, p := range run.Results.Problems {
		r.Problems = distinct(r.Problems, facts.Problem{Code: p.Code, Weight: p.Weight},
			func(a, b facts.Problem) bool { return a.Weight == b.Weight })
	}
	if look(&run, Rules{}).contradict() {
		keepContradiction(r, run.Results.Cases)
	}
	return c
}

// keepContradiction: counts that disagree with the cases would agree with no cases, so the disagreement is written down,
// with one case of each kind.
func keepContradiction(r *facts.Results, cases []facts.Case) {
	r.Problems = distinct(r.Problems, facts.Problem{Code: "condensed", Weight: facts.Contradict},
		func(a, b facts.Problem) bool { return a.Weight == b.Weight })
	for _, c := range cases {
		r.Cases = distinct(r.Cases, facts.Case{Status: c.Status, Flaky: c.Flaky, Cached: c.Cached},
			func(a, b facts.Case) bool { return a.Status == b.Status && a.Flaky == b.Flaky && a.Cached == b.Cached })
	}
}

func first[T any](list []T) []T { return slices.Clone(list[:min(1, len(list))]) }

func distinct[T any](list []T, v T, same func(a, b T) bool) []T {
	if slices.ContainsFunc(list, func(o T) bool { return same(o, v) }) {
		return list
	}
	return append(list, v)
}
