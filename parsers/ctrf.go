package parsers

import (
	"io"
	"slices"
	"strings"

	"factgate/facts"
)

// CTRF reads a report in the Common Test Report Format (ctrf.io, specVersion 0.0 to 1.0): results with a summary and a
// list of tests. Its proof of completeness is the end of the document, with a summary whose totals are what is listed.
//
// The format has no place for a file that did not load or a hook that failed, and several reporters (jest's and
// playwright's among them) leave those out: a report without tests proves nothing, and the exit code has the last word.
func CTRF(r io.Reader) (facts.Results, error) { return ctrf(r, standard()) }

func ctrf(r io.Reader, lim limits) (facts.Results, error) {
	d := &ctrfDoc{jsonFile: newJSONFile(r, lim), claims: map[string]int{}, listed: map[string]int{}}
	closed, err := d.read(d.document)
	if err != nil {
		return facts.Results{}, err
	}
	return d.end(closed), nil
}

// ctrfDoc is the report while it is read.
type ctrfDoc struct {
	jsonFile
	results, tests bool // were there
	own            bool // factgate wrote it: testId is the id that it was read from
	claims, listed map[string]int
}

// ctrfStatuses are the words of the format, which are also keys of its summary.
func ctrfStatuses() []string { return []string{"passed", "failed", "skipped", "pending", "other"} }

func (d *ctrfDoc) document() error {
	return d.object(func(key string) error {
		switch key {
		case "reportFormat":
			s, err := d.text()
			if err == nil && !strings.EqualFold(s, "CTRF") {
				err = unexpected{"reportFormat is " + clean64([]byte(s)) + ", not CTRF"}
			}
			return err
		case "generatedBy":
			s, err := d.text()
			d.own = s == "factgate"
			return err
		case "results":
			d.results = true
			return d.object(d.part)
		}
		return d.skip()
	})
}

// part reads a key of results.
func (d *ctrfDoc) part(key string) error {
	switch key {
	case "summary":
		return d.object(func(key string) error {
			v, err := d.scalar()
			if n, ok := v.(float64); ok && (key == "tests" || slices.Contains(ctrfStatuses(), key)) {
				d.claims[key] = count(n)
			}
			return err
		})
	case "tests":
		d.tests = true
		return d.array(d.test)
	}
	return d.skip()
}

// ctrfTest is one test while it is read.
type ctrfTest struct {
	name, status, raw, file, message, trace string
	suite                                   []string
	line, retries                           int
	flaky                                   bool
	ms                                      float64
	id                                      string
	attempts                                []facts.Failure // that failed
	tries                                   int             // attempts listed
	last                                    string          // status of the last one
	badSteps                                int
}

func (d *ctrfDoc) test() error {
	var t ctrfTest
	err := d.object(func(key string) (err error) {
		var n float64
		switch key {
		case "testId":
			t.id, err = d.text()
		case "name":
			t.name, err = d.text()
		case "status":
			t.status, err = d.text()
		case "rawStatus":
			t.raw, err = d.text()
		case "filePath":
			t.file, err = d.text()
		case "message":
			t.message, err = d.text()
		case "trace":
			t.trace, err = d.text()
		case "suite":
			t.suite, err = d.textOrTexts(d.lim.depth)
		case "line":
			n, err = d.number()
			t.line = count(n)
		case "retries":
			n, err = d.number()
			t.retries = count(n)
		case "duration":
			t.ms, err = d.number()
		case "flaky":
			var v any
			v, err = d.scalar()
			t.flaky = v == true
		case "retryAttempts":
			err = d.array(func() error { return d.attempt(&t) })
		case "steps":
			err = d.array(func() error { return d.step(&t) })
		default:
			err = d.skip()
		}
		return err
	})
	if err == nil {
		d.keep(&t)
	}
	return err
}

// attempt reads one attempt of a test.
func (d *ctrfDoc) attempt(t *ctrfTest) error {
	var status, message, trace string
	err := d.object(func(key string) (err error) {
		switch key {
		case "status":
			status, err = d.text()
		case "message":
			message, err = d.text()
		case "trace":
			trace, err = d.text()
		default:
			err = d.skip()
		}
		return err
	})
	t.tries, t.last = t.tries+1, clean64([]byte(status))
	if status != "passed" && status != "skipped" && len(t.attempts) < d.lim.failures {
		t.attempts = append(t.attempts, d.failure(d.find, message, "", trace))
	}
	return err
}

func (d *ctrfDoc) step(t *ctrfTest) error {
	return d.object(func(key string) error {
		if key != "status" {
			return d.skip()
		}
		s, err := d.text()
		if s == "failed" {
			t.badSteps++
		}
		return err
	})
}

// kindOfSkip is the kind of a skip that a tool has a word for, "" when the word is none.
func kindOfSkip(word string) string {
	switch strings.ToLower(word) {
	case "todo":
		return "todo"
	case "xfail", "xfailed":
		return "xfail"
	case "disabled", "notrun":
		return "disabled"
	case "ignored":
		return "ignored"
	case "skip", "skipped", "pending":
		return "skip"
	}
	return ""
}

// result gives the status and the kind of a skip. A status "other" is known only by the tool's own word beside it.
func (t *ctrfTest) result() (facts.Status, string) {
	kind := kindOfSkip(t.raw)
	switch t.status {
	case "passed":
		return facts.Passed, ""
	case "failed":
		if strings.HasPrefix(strings.ToLower(t.raw), "error") {
			return facts.Errored, ""
		}
		return facts.Failed, ""
	case "skipped", "pending":
		if kind == "" {
			kind = "skip"
		}
		return facts.Skipped, kind
	case "other":
		switch strings.ToLower(t.raw) {
		case "error", "errored", "broken":
			return facts.Errored, ""
		}
		if kind != "" {
			return facts.Skipped, kind
		}
	}
	return facts.StatusUnknown, ""
}

// count gives the number of attempts. Writers list the earlier ones, or all with the last, which is the test itself.
func (t *ctrfTest) count() int {
	all := t.tries > t.retries && t.retries > 0 || t.retries == 0 && t.tries > 0 && t.last == t.status
	if !all {
		return max(t.retries, t.tries) + 1
	}
	if n := len(t.attempts); n > 0 && t.last == "failed" && t.message+t.trace != "" {
		t.attempts = t.attempts[:n-1] // it says what the test does
	}
	return t.tries
}

func (d *ctrfDoc) keep(t *ctrfTest) {
	d.listed["tests"]++
	if slices.Contains(ctrfStatuses(), t.status) {
		d.listed[t.status]++
	}
	c := d.named(t.file, t.suite, t.name)
	c.Line, c.Duration = t.line, ms(t.ms)
	c.Status, c.Kind = t.result()
	if n := t.count(); n > 1 {
		c.Attempts = n
	}
	if d.own && t.id != "" {
		c.ID = d.label([]byte(t.id))
	}
	c.Flaky = c.Status == facts.Passed && (t.flaky || c.Attempts > 1)
	switch c.Status {
	case facts.Skipped:
		c.Reason = firstLine(d.prose([]byte(t.message), d.lim.message), d.lim.message)
	case facts.Passed:
		if t.badSteps > 0 {
			d.problem(facts.Contradict, "status_against_failure", 0, "test %q is passed and %d of its steps failed", c.ID, t.badSteps)
		}
	case facts.StatusUnknown:
		d.problem(facts.Malformed, "unknown_status", 0, "test %q has the status %q (of the tool: %q), which says not how it ended", c.ID, clean64([]byte(t.status)), clean64([]byte(t.raw)))
	}
	if c.Status != facts.Passed && c.Status != facts.Skipped && t.message+t.trace != "" {
		f := d.failure(d.find, t.message, "", t.trace)
		f.Error = c.Status == facts.Errored
		c.Failures = append(c.Failures, f)
	}
	c.Failures = append(c.Failures, t.attempts...)
	explained(&c, "the report")
	if t.name == "" {
		d.problem(facts.Malformed, "no_name", 0, "a test has no name")
	}
	d.add(c)
}

func (d *ctrfDoc) end(closed bool) facts.Results {
	if !closed {
		return d.finish(false)
	}
	if !d.results || !d.tests {
		d.problem(facts.Malformed, "no_ctrf_results", 0, "it is JSON, but no CTRF report: results.tests is missing")
		return d.finish(false)
	}
	n := func(key string) int {
		if n, ok := d.claims[key]; ok {
			return n
		}
		return -1
	}
	if n("tests") < 0 {
		d.problem(facts.Incomplete, "no_summary", 0, "the report has no summary with the number of its tests")
	}
	d.res.Claims = claimed{n("tests"), n("passed"), n("failed"), -1, sum(n("skipped"), n("pending"))}.facts()
	d.compare("the summary", "tests", n("tests"), d.listed["tests"])
	for _, word := range ctrfStatuses() {
		d.compare("the summary", word, n(word), d.listed[word])
	}
	return d.finish(d.sound())
}
