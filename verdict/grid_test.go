package verdict_test

import (
	"testing"

	"factgate/facts"
	"factgate/verdict"
)

// dimension is one thing that a run can show. The first value is the best one; the others are worse, each in its own way.
type dimension struct {
	name   string
	values []value
}

type value struct {
	name string
	set  func(*facts.Run)
}

const (
	dimExit = iota
	dimCases
	dimProblem
	dimComplete
	dimProcess
	dimFlag
)

func grid() []dimension {
	return []dimension{
		dimExit:    {"exit", exits()},
		dimCases:   {"cases", caseLists()},
		dimProblem: {"problem", problems()},
		dimComplete: {"complete", []value{
			{name: "complete", set: func(r *facts.Run) { r.Results.Complete = true }},
			{name: "open", set: func(r *facts.Run) { r.Results.Complete = false }},
		}},
		dimProcess: {"process", processes()},
		dimFlag:    {"flag", flags()},
	}
}

func exits() []value {
	vs := []value{{name: "clean", set: func(r *facts.Run) { r.Meaning = facts.Clean }}}
	for m := facts.Unknown; m <= facts.NotClean; m++ {
		if m != facts.Clean {
			vs = append(vs, value{name: m.String(), set: func(r *facts.Run) { r.Meaning, r.Exit.Code = m, 7 }})
		}
	}
	return append(vs,
		value{name: "unknown 0", set: func(r *facts.Run) { r.Meaning = facts.Unknown }},
		value{name: "not_clean 0", set: func(r *facts.Run) { r.Meaning = facts.NotClean }},
		value{name: "clean 1", set: func(r *facts.Run) { r.Meaning, r.Exit.Code = facts.Clean, 1 }},
		value{name: "SIGSEGV", set: func(r *facts.Run) { r.Exit.Signal, r.Exit.Code = "SIGSEGV", -1 }},
		value{name: "SIGSEGV, called clean", set: func(r *facts.Run) { r.Exit.Signal, r.Meaning = "SIGSEGV", facts.Clean }},
	)
}

func listed(cases ...facts.Case) func(*facts.Run) {
	return func(r *facts.Run) {
		r.Results.Cases = cases
		r.Results.Counts = facts.Count(cases)
	}
}

func caseLists() []value {
	pass, skip := facts.Case{ID: "a", Status: facts.Passed}, facts.Case{ID: "s", Status: facts.Skipped}
	return []value{
		{name: "2 passed", set: listed(pass, pass)},
		{name: "1 passed, 1 skipped", set: listed(pass, skip)},
		{name: "2 cached", set: listed(facts.Case{ID: "a", Status: facts.Passed, Cached: true}, facts.Case{ID: "b", Status: facts.Passed, Cached: true})},
		{name: "1 flaky", set: listed(pass, facts.Case{ID: "b", Status: facts.Passed, Flaky: true, Attempts: 2})},
		{name: "1 failed", set: listed(pass, facts.Case{ID: "b", Status: facts.Failed})},
		{name: "1 errored", set: listed(pass, facts.Case{ID: "b", Status: facts.Errored})},
		{name: "1 unknown", set: listed(pass, facts.Case{ID: "b"})},
		{name: "2 skipped", set: listed(skip, skip)},
		{name: "none", set: func(*facts.Run) {}},
		{name: "counts without cases' failure", set: func(r *facts.Run) {
			r.Results.Cases = []facts.Case{pass, {ID: "b", Status: facts.Failed}}
			r.Results.Counts = facts.Count([]facts.Case{pass, pass})
		}},
		{name: "counts that do not add up", set: func(r *facts.Run) { r.Results.Counts = facts.Counts{Cases: 1, Executed: 1, Passed: 9} }},
		{name: "more cases than counted", set: func(r *facts.Run) { r.Results.Cases = []facts.Case{pass} }},
	}
}

func problems() []value {
	vs := []value{{name: "none", set: func(*facts.Run) {}}}
	for w := facts.Malformed; w <= facts.Note+1; w++ { // one past the end: a weight of a later version
		vs = append(vs, value{name: "problem " + w.String(), set: func(r *facts.Run) {
			r.Results.Problems = []facts.Problem{{Code: "x", Weight: w}}
		}})
	}
	return append(vs, value{name: "no file", set: func(r *facts.Run) { r.Results.Files = nil }})
}

func processes() []value {
	add := func(p facts.Process) func(*facts.Run) {
		return func(r *facts.Run) { r.Results.Processes = append(r.Results.Processes, p) }
	}
	return []value{
		{name: "clean", set: add(facts.Process{Ended: true, Meaning: facts.Clean})},
		{name: "none", set: func(*facts.Run) {}},
		{name: "nested failure", set: add(facts.Process{Nested: true, Ended: true, Code: 1, Meaning: facts.TestsFailed})},
		{name: "not ended", set: add(facts.Process{Code: -1, Meaning: facts.Clean})},
		{name: "tests failed", set: add(facts.Process{Ended: true, Code: 1, Meaning: facts.TestsFailed})},
		{name: "no tests", set: add(facts.Process{Ended: true, Code: 5, Meaning: facts.NoTests})},
		{name: "unknown", set: add(facts.Process{Ended: true, Code: 9})},
		{name: "clean 3", set: add(facts.Process{Ended: true, Code: 3, Meaning: facts.Clean})},
	}
}

func flags() []value {
	vs := []value{
		{name: "none", set: func(*facts.Run) {}},
		{name: "timed out", set: func(r *facts.Run) { r.Exit.TimedOut = true }},
		{name: "lost", set: func(r *facts.Run) { r.Exit.Lost, r.Exit.Code = "killed", -1 }},
		{name: "lost, with a code", set: func(r *facts.Run) { r.Exit.Lost = "killed" }},
		{name: "cancelled", set: func(r *facts.Run) { r.Exit.Cancelled = "SIGINT" }},
		{name: "sent", set: func(r *facts.Run) { r.Exit.Sent = []string{"SIGTERM"} }},
		{name: "oom", set: func(r *facts.Run) { r.Exit.OOMKills = 1 }},
		{name: "strays left", set: func(r *facts.Run) { r.Exit.StraysLeft = 1 }},
		{name: "start error", set: func(r *facts.Run) { r.Exit.StartError = facts.NotFound }},
		{name: "moved", set: func(r *facts.Run) { r.Tree.Moved = []string{"a.go"} }},
		{name: "tree unreadable", set: func(r *facts.Run) { r.Tree.Unknown = "permission denied" }},
		{name: "no tree before", set: func(r *facts.Run) { r.Tree.Before = "" }},
		{name: "no tree after", set: func(r *facts.Run) { r.Tree.After = "" }},
		{name: "wrong tree", set: func(r *facts.Run) { r.WrongTree = []string{"/other"} }},
		{name: "wiring", set: func(r *facts.Run) { r.Wiring = []string{"settings.json"} }},
		{name: "focused", set: func(r *facts.Run) { r.Focused = true }},
		{name: "unrecorded", set: func(r *facts.Run) { r.Unrecorded = "read-only" }},
	}
	for k := facts.OutsideTests; k <= facts.Crash+1; k++ {
		vs = append(vs, value{name: "outside " + k.String(), set: func(r *facts.Run) { r.Results.Outside = []facts.Outside{{Kind: k}} }})
	}
	for _, o := range []facts.Obstacle{facts.NeedNotPassed, facts.RequirementFailed, facts.InputsEmpty, facts.TreeUnknown,
		facts.RunsItself, "of a later version", ""} {
		vs = append(vs, value{name: "obstacle " + string(o), set: func(r *facts.Run) { r.NotStarted = &facts.NotStarted{Why: o} }})
	}
	return vs
}

func gridRules() []verdict.Rules {
	return []verdict.Rules{
		{MinTests: 1},
		{},
		{MinTests: 2},
		{MinTests: 1, AllowNoTests: true},
		{MinTests: 1, AcceptFlaky: true},
		{MinTests: 1, RefuseCached: true},
		{MinTests: 2, AllowNoTests: true, AcceptFlaky: true, RefuseCached: true},
	}
}

// at builds the run at one point of the grid.
func at(dims []dimension, point []int) facts.Run {
	r := facts.Run{Tree: facts.Tree{Before: "t1", After: "t1"}}
	r.Results.Files = []facts.File{{Path: "results.xml", Format: "junit"}}
	for d, i := range point {
		dims[d].values[i].set(&r)
	}
	return r
}

func describePoint(dims []dimension, point []int) string {
	var s string
	for d, i := range point {
		if i > 0 {
			s += dims[d].name + "=" + dims[d].values[i].name + "; "
		}
	}
	return s
}

// points calls f for every point, with its number; the last dimension moves fastest.
func points(dims []dimension, f func(n int, point []int)) {
	point := make([]int, len(dims))
	for n := 0; ; n++ {
		f(n, point)
		d := len(dims) - 1
		for ; d >= 0; d-- {
			if point[d]++; point[d] < len(dims[d].values) {
				break
			}
			point[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// mayPass is the grid's own word on which points pass, written without a look at the table.
func mayPass(dims []dimension, point []int, rules verdict.Rules) bool {
	name := func(d int) string { return dims[d].values[point[d]].name }
	if name(dimFlag) != "none" {
		return false
	}
	switch name(dimProblem) {
	case "none", "problem note":
	case "no file":
		// A process that reported itself stands for the file; so do cases, whose place is then not known by name.
		if name(dimProcess) == "none" && name(dimCases) == "none" || name(dimProcess) == "nested failure" && name(dimCases) == "none" {
			return false
		}
	default:
		return false
	}
	empty := name(dimCases) == "none" && rules.AllowNoTests
	switch name(dimExit) {
	case "clean":
	case "no_tests":
		if !empty {
			return false
		}
	default:
		return false
	}
	switch name(dimProcess) {
	case "none", "clean", "nested failure":
	case "no tests":
		if !empty {
			return false
		}
	default:
		return false
	}
	if name(dimComplete) != "complete" {
		return false
	}
	switch name(dimCases) {
	case "2 passed":
		return true
	case "1 passed, 1 skipped":
		return rules.MinTests <= 1
	case "2 cached":
		return !rules.RefuseCached
	case "1 flaky":
		return rules.AcceptFlaky
	case "none":
		return empty
	}
	return false
}

func TestGrid(t *testing.T) {
	for i, rules := range gridRules() {
		dims := grid()
		if i > 0 {
			dims[dimFlag].values = dims[dimFlag].values[:4] // no rule speaks of the flags: all of them once is enough
		}
		var passed []bool
		points(dims, func(n int, point []int) {
			run := at(dims, point)
			v := verdict.Decide(run, rules)
			if n%7 == 0 { // a seventh is enough to meet every value with every other
				if short := verdict.Decide(verdict.Condense(run), rules); !short.Equal(v) {
					t.Fatalf("%+v at %s: %v, and condensed %v", rules, describePoint(dims, point), v.Reasons, short.Reasons)
				}
			}
			passed = append(passed, v.Outcome == verdict.Passed)
			if passed[n] != mayPass(dims, point, rules) {
				t.Fatalf("%+v at %s: %s %v", rules, describePoint(dims, point), v.Outcome, v.Reasons)
			}
			if passed[n] != (len(v.Reasons) == 0) {
				t.Fatalf("%+v at %s: outcome %s with reasons %v", rules, describePoint(dims, point), v.Outcome, v.Reasons)
			}
			if v.Outcome == verdict.Unproven && n%97 == 0 {
				checkOrder(t, v)
			}
		})
		worseNeverPasses(t, dims, rules, passed)
	}
}

// worseNeverPasses: from any point that does not pass, making one thing worse does not lead to a pass.
func worseNeverPasses(t *testing.T, dims []dimension, rules verdict.Rules, passed []bool) {
	t.Helper()
	strides := make([]int, len(dims))
	for d, s := len(dims)-1, 1; d >= 0; d-- {
		strides[d] = s
		s *= len(dims[d].values)
	}
	points(dims, func(n int, point []int) {
		if passed[n] {
			return
		}
		for d := range dims {
			if point[d] != 0 || d == dimCases && rules.AllowNoTests {
				continue // where no tests are allowed, losing what contradicts "no tests" is no loss
			}
			for i := 1; i < len(dims[d].values); i++ {
				if passed[n+i*strides[d]] {
					t.Fatalf("%+v: %s does not pass, and passes with %s", rules, describePoint(dims, point), dims[d].values[i].name)
				}
			}
		}
	})
}

// checkOrder: the reasons stand in the order of the table, each once.
func checkOrder(t *testing.T, v verdict.Verdict) {
	t.Helper()
	last := -1
	for _, r := range v.Reasons {
		for i, known := range verdict.Reasons() {
			if known == r {
				if i <= last {
					t.Fatalf("%v: not in the table's order", v.Reasons)
				}
				last = i
			}
		}
	}
}
