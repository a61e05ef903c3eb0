package parsers

import (
	"testing"

	junitref "github.com/joshdk/go-junit"

	"factgate/facts"
)

// TestAgainstGoJUnit holds our reader against an independent one on the captured files that it can read. It knows
// neither cases outside a suite nor flaky elements, takes the last of skipped and failure, and stops at the first root:
// files with those are left to the golden files.
func TestAgainstGoJUnit(t *testing.T) {
	beyond := map[string]bool{"node20-red.xml": true, "node20-green.xml": true, "node20-parent.xml": true}
	compared := 0
	for _, c := range captures(t) {
		if c.format != "junit" || beyond[c.name] {
			continue
		}
		suites, err := junitref.Ingest(c.bytes)
		if err != nil {
			t.Logf("%s: go-junit cannot read it: %v", c.name, err)
			continue
		}
		var want facts.Counts
		var names []string
		var walk func([]junitref.Suite)
		walk = func(list []junitref.Suite) {
			for _, s := range list {
				for _, x := range s.Tests {
					status := map[junitref.Status]facts.Status{
						junitref.StatusPassed: facts.Passed, junitref.StatusFailed: facts.Failed,
						junitref.StatusError: facts.Errored, junitref.StatusSkipped: facts.Skipped,
					}[x.Status]
					want.Add(&facts.Case{Status: status})
					names = append(names, x.Name)
				}
				walk(s.Suites)
			}
		}
		walk(suites)
		got := parse(t, "junit", c.bytes)
		got.Counts.Flaky = 0
		if got.Counts != want {
			t.Errorf("%s: %+v, go-junit counts %+v", c.name, got.Counts, want)
			continue
		}
		for i, n := range names {
			if got.Cases[i].Name != n {
				t.Errorf("%s: case %d is %q, go-junit says %q", c.name, i, got.Cases[i].Name, n)
			}
		}
		compared++
	}
	if compared < 15 {
		t.Errorf("only %d files were compared", compared)
	}
}
