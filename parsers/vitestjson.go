package parsers

import (
	"io"

	"factgate/facts"
)

// VitestJSON reads what `vitest run --reporter=json` writes (JsonReporter of vitest 1 to 4), which has jest's shape and
// rules of its own: a test that never ran to its end is pending, one that passed with messages passed at a later attempt,
// and suites are counted with each describe block. Its proof of completeness is the end of the document, in which no test
// is pending.
//
// An error that no test awaits is not in it, although it fails the run: success is true then. Only the exit code says so.
func VitestJSON(r io.Reader) (facts.Results, error) { return vitestJSON(r, standard()) }

func vitestJSON(r io.Reader, lim limits) (facts.Results, error) { return jestLike(r, lim, true) }

// vitestEnd holds the failed suites against the failures: a describe block whose hook failed is one, its tests need not
// have failed.
func (j *jestDoc) vitestEnd(all tally) {
	if j.claimedBad > 0 && all.bad == 0 && j.badFiles == 0 {
		j.problem(facts.Contradict, "claims_above_counts", 0, "%d suites are said to have failed, and no failure is listed", j.claimedBad)
	}
	if j.success == nil {
		j.problem(facts.Incomplete, "no_success", 0, "vitest does not say whether the run succeeded")
	}
	if j.success == true && (all.bad > 0 || j.badFiles > 0) {
		j.note("success_true", 0, "vitest says that the run succeeded, and yet %d tests and %d files did not", all.bad, j.badFiles)
	}
	if j.success == false && j.files == 0 {
		j.note("no_test_files", 0, "vitest found no test file")
	}
}
