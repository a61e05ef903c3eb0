package parsers

import (
	"fmt"
	"io"
	"time"

	"factgate/facts"
)

// JestJSON reads what `jest --json` writes (formatTestResults of @jest/test-result). An id is the file as jest names it,
// then the describe titles and the test's own, so that its caller can make the file relative.
func JestJSON(r io.Reader) (facts.Results, error) { return jestJSON(r, standard()) }

func jestJSON(r io.Reader, lim limits) (facts.Results, error) { return jestLike(r, lim, false) }

// jestLike reads what jest writes, or what vitest writes in jest's shape.
func jestLike(r io.Reader, lim limits, vitest bool) (facts.Results, error) {
	j := &jestDoc{jsonFile: newJSONFile(r, lim), vitest: vitest, who: "jest", claims: noClaims()}
	if vitest {
		j.who = "vitest"
	}
	closed, err := j.read(j.document)
	if err != nil {
		return facts.Results{}, err
	}
	return j.end(closed), nil
}

// jestDoc is the document while it is read.
type jestDoc struct {
	jsonFile
	vitest bool
	who    string

	results     bool // testResults was there
	success     any
	interrupted bool
	claims      claimed
	files       int // in testResults
	claimedBad  int // test files that jest says failed
	claimedLoad int // test files that jest says did not load
	badFiles    int
	badLoads    int
	totals      bool // numTotalTestSuites came before numFailedTestSuites
	suites      bool // and the other way round
	snapshots   bool // jest says that snapshots fail the run
	obsolete    int  // snapshots that no test asks for
	handles     int
}

// document reads the whole, and is nil when it was closed.
func (j *jestDoc) document() error {
	return j.object(func(key string) error {
		var n *int
		switch key {
		case "testResults":
			j.results = true
			if !j.vitest && j.totals && !j.suites {
				return unexpected{"it is what vitest writes (format vitestjson), not what jest does"}
			}
			return j.array(j.file)
		case "numTotalTests":
			n = &j.claims.tests
		case "numFailedTests":
			n = &j.claims.failures
		case "numPassedTests":
			n = &j.claims.passed
		case "numPendingTests", "numTodoTests":
			v, err := j.number()
			j.claims.skipped = max(j.claims.skipped, 0) + count(v)
			return err
		case "numTotalTestSuites":
			j.totals = !j.suites // vitest writes it first, jest last
			return j.skip()
		case "numFailedTestSuites":
			j.suites = !j.totals
			n = &j.claimedBad
		case "numRuntimeErrorTestSuites":
			if j.vitest {
				return unexpected{"it is what jest writes (format jestjson), not what vitest does"}
			}
			n = &j.claimedLoad
		case "success":
			v, err := j.scalar()
			j.success = v
			return err
		case "wasInterrupted":
			v, err := j.scalar()
			j.interrupted = v == true
			return err
		case "openHandles":
			return j.array(func() error { j.handles++; return j.skip() })
		case "snapshot":
			return j.snapshot()
		default:
			return j.skip()
		}
		v, err := j.number()
		*n = count(v)
		return err
	})
}

func count(v float64) int {
	if !(v >= 0 && v < 1e12) {
		return 0
	}
	return int(v)
}

// snapshot notes what jest says of snapshots beside the tests.
func (j *jestDoc) snapshot() error {
	return j.object(func(key string) error {
		v, err := j.scalar()
		n, _ := v.(float64)
		if key == "failure" {
			j.snapshots = v == true
		}
		if err != nil || n <= 0 {
			return err
		}
		switch key {
		case "unchecked", "filesRemoved":
			j.obsolete += count(n)
		}
		switch key {
		case "added", "updated", "unchecked", "filesRemoved", "filesUpdated":
			j.note("snapshots", 0, "snapshots %s: %d", key, count(n))
		}
		return nil
	})
}

// jestFile is one test file while it is read. Its name comes behind its tests.
type jestFile struct {
	name, message, status string
	tests                 []jestTest
}

// file reads one element of testResults.
func (j *jestDoc) file() error {
	var f jestFile
	j.files++
	err := j.object(func(key string) (err error) {
		switch key {
		case "name":
			f.name, err = j.text()
		case "message":
			f.message, err = j.text()
		case "status":
			f.status, err = j.text()
		case "assertionResults":
			err = j.array(func() error {
				t, err := j.test()
				if j.fits(&f, t) {
					f.tests = append(f.tests, t)
				}
				return err
			})
		default:
			err = j.skip()
		}
		return err
	})
	j.keep(&f)
	return err
}

// fits bounds how many tests of one file are held until its name is known. The others are counted as they are.
func (j *jestDoc) fits(f *jestFile, t jestTest) bool {
	if len(f.tests) < j.lim.cases {
		return true
	}
	j.dropped.Add(&facts.Case{Status: t.status(j.vitest)})
	j.problem(facts.Malformed, "too_large", 0, "one test file has more than %d tests: the rest is only counted", j.lim.cases)
	return false
}

// keep adds the cases of a file and what failed in it beside them.
func (j *jestDoc) keep(f *jestFile) {
	file := j.word(j.label([]byte(f.name)))
	bad := 0
	for i := range f.tests {
		c := f.tests[i].fact(j, file)
		if c.Status == facts.Failed || c.Status == facts.StatusUnknown {
			bad++
		}
		j.add(c)
	}
	if f.status != "failed" {
		if bad > 0 {
			j.badFiles++
		}
		return
	}
	j.badFiles++
	if bad > 0 {
		return // the message repeats the failures
	}
	o := j.load(file, j.prose([]byte(f.message), j.lim.text))
	if len(f.tests) == 0 && o.Kind == facts.OutsideTests {
		o.Kind = facts.Collection
	}
	j.badLoads++
	j.outside(o)
}

// end holds the totals against the cases.
func (j *jestDoc) end(closed bool) facts.Results {
	if !closed {
		return j.finish(false)
	}
	if !j.results {
		j.problem(facts.Malformed, "no_"+j.who+"_results", 0, "it is JSON, but not what %s writes: testResults is missing", j.who)
	}
	j.res.Claims = j.claims.facts()
	all := j.tally()
	j.reconcile("the document", j.claims, all, all, 0)
	switch {
	case j.vitest:
		j.vitestEnd(all)
	case j.claimedBad > j.badFiles || j.claimedLoad > j.badLoads:
		j.problem(facts.Contradict, "claims_above_counts", 0, "%d test files are said to have failed, %d of them to load, but %d and %d are listed",
			j.claimedBad, j.claimedLoad, j.badFiles, j.badLoads)
	}
	switch {
	case j.success != false || all.bad > 0 || j.badFiles > 0 || j.interrupted || j.vitest && j.files == 0:
	case j.snapshots && j.obsolete > 0:
		j.outside(facts.Outside{Kind: facts.OutsideTests, Where: "snapshots", Message: fmt.Sprintf(
			"%d obsolete: no test asks for them any more, and jest counts that as a failure (`jest --ci=false -u` removes them)", j.obsolete)})
	default:
		j.problem(facts.Contradict, "success_false", 0, "%s says that the run did not succeed, and no failure is listed", j.who)
	}
	if j.interrupted {
		j.problem(facts.Incomplete, "interrupted", 0, "jest says that the run was interrupted")
	}
	if j.handles > 0 {
		j.note("open_handles", 0, "%d handles were left open", j.handles)
	}
	return j.finish(j.results && !j.interrupted && (!j.vitest || j.sound()))
}

// jestTest is one element of assertionResults.
type jestTest struct {
	word        string // its status
	title       string
	titles      []string
	messages    []string
	nMessages   int
	invocations int
	retries     []string
	ms          float64
	line        int
}

func (j *jestDoc) test() (t jestTest, err error) {
	err = j.object(func(key string) (err error) {
		var n float64
		switch key {
		case "status":
			t.word, err = j.text()
		case "title":
			t.title, err = j.text()
		case "ancestorTitles":
			t.titles, _, err = j.texts(j.lim.depth)
		case "failureMessages":
			t.messages, t.nMessages, err = j.texts(j.lim.failures)
		case "retryReasons":
			t.retries, _, err = j.texts(j.lim.failures)
		case "invocations":
			n, err = j.number()
			t.invocations = count(n)
		case "duration":
			t.ms, err = j.number()
		case "location":
			err = j.object(func(key string) (err error) {
				n, err := j.number()
				if key == "line" {
					t.line = count(n)
				}
				return err
			})
		default:
			err = j.skip()
		}
		return err
	})
	return t, err
}

// status reads the word for how a test ended. vitest calls a test that it never ran to its end pending.
func (t *jestTest) status(vitest bool) facts.Status {
	if vitest && t.word == "pending" {
		return facts.StatusUnknown
	}
	switch t.word {
	case "passed":
		if t.nMessages > 0 && !vitest { // vitest leaves the errors of earlier attempts there

			return facts.Failed
		}
		return facts.Passed
	case "failed":
		return facts.Failed
	case "pending", "skipped", "todo", "disabled":
		if t.nMessages > 0 {
			return facts.Failed
		}
		return facts.Skipped
	}
	return facts.StatusUnknown
}

func (t *jestTest) fact(j *jestDoc, file string) facts.Case {
	c := j.named(file, t.titles, t.title)
	c.Line, c.Status, c.Duration = t.line, t.status(j.vitest), ms(t.ms)
	attempts := max(t.invocations, len(t.retries)+1)
	if j.vitest && c.Status == facts.Passed {
		attempts = t.nMessages + 1
	}
	if attempts > 1 {
		c.Attempts = attempts
		c.Flaky = c.Status == facts.Passed
	}
	switch c.Status {
	case facts.Skipped:
		if c.Kind = t.word; c.Kind == "pending" || c.Kind == "skipped" {
			c.Kind = "skip"
		}
	case facts.StatusUnknown:
		if t.word == "pending" {
			j.problem(facts.Incomplete, "not_finished", 0, "test %q is pending: vitest stopped before it ended", c.ID)
			break
		}
		j.problem(facts.Malformed, "unknown_status", 0, "test %q has the status %q, which is not known", c.ID, clean64([]byte(t.word)))
	case facts.Failed:
		if t.word != "failed" {
			j.problem(facts.Contradict, "status_against_failure", 0, "test %q is %q and has failure messages", c.ID, clean64([]byte(t.word)))
		}
	}
	for _, m := range append(t.messages, t.retries...) {
		c.Failures = append(c.Failures, j.failure(j.find, "", "", m))
	}
	if c.Status == facts.Failed && len(c.Failures) == 0 {
		c.Failures = []facts.Failure{{Message: fmt.Sprintf("%s failed, and %s gives no message", c.Name, j.who)}}
	}
	return c
}

func ms(v float64) time.Duration {
	if !(v > 0 && v < 1e12) {
		return 0
	}
	return time.Duration(v * float64(time.Millisecond))
}
