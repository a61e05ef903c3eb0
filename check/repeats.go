package check

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"factgate/facts"
)

// Repeat is a JUnit file that only repeats others: Ant's junitreport task writes TESTS-TestSuites.xml
// (https://ant.apache.org/manual/Tasks/junitreport.html) beside the TEST-*.xml that it is made of, and a glob that matches
// both would count every case twice.
type Repeat struct {
	Name  string
	parts facts.Counts // of the files that it is made of
}

// Apart divides files into those that count and those that only repeat others of them.
func Apart(names []string) (count []string, repeats []*Repeat) {
	for _, name := range names {
		part := func(other string) bool { return partOf(other, name) }
		if filepath.Base(name) == "TESTS-TestSuites.xml" && slices.ContainsFunc(names, part) {
			repeats = append(repeats, &Repeat{Name: name})
		} else {
			count = append(count, name)
		}
	}
	return count, repeats
}

// partOf reports whether a file is one that an aggregate is made of.
func partOf(name, aggregate string) bool {
	base := filepath.Base(name)
	return filepath.Dir(name) == filepath.Dir(aggregate) && strings.HasPrefix(base, "TEST-") && strings.HasSuffix(base, ".xml")
}

// Part takes note of a file that was read, if the aggregate is made of it.
func (r *Repeat) Part(name string, counts facts.Counts) {
	if !partOf(name, r.Name) {
		return
	}
	sum := facts.Results{Counts: r.parts}
	sum.Merge(facts.Results{Counts: counts})
	r.parts = sum.Counts
}

// Leave takes cases, counts and claims away from what was read of the aggregate, and holds them against its parts: what
// it has and they do not is a contradiction, anything else a note.
func (r *Repeat) Leave(got facts.Results) facts.Results {
	n, p := got.Counts, r.parts
	said := facts.Problem{
		Code: "aggregate", Weight: facts.Note, Path: r.Name,
		Detail: fmt.Sprintf("%s repeats the TEST-*.xml beside it and was not added to them: %s in it, %s in them", filepath.Base(r.Name), inNumbers(n), inNumbers(p)),
	}
	if bad := n.Failed + n.Errored + n.Unknown; bad > p.Failed+p.Errored+p.Unknown || n.Cases > p.Cases {
		said.Code, said.Weight = "aggregate_above_parts", facts.Contradict
	}
	return facts.Results{Files: got.Files, Outside: got.Outside, Problems: append(got.Problems, said), Complete: got.Complete}
}

func inNumbers(n facts.Counts) string {
	return fmt.Sprintf("%s, %d of them not passed or skipped", cases(n.Cases), n.Failed+n.Errored+n.Unknown)
}
