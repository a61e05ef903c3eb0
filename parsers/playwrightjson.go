package parsers

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"factgate/facts"
)

// PlaywrightJSON reads what `playwright test --reporter=json` writes (reporters/json.ts of @playwright/test 1.30 to
// 1.65). A case is one test of one project; the outcome that Playwright states (expected, unexpected, flaky, skipped)
// is held against the results of its attempts, and the totals in stats against the cases. Its proof of completeness is
// the end of the document, with stats, and no test that was to run and did not.
//
// A file that does not load, a global hook and the like stand in errors, and fail the run whatever the tests say.
func PlaywrightJSON(r io.Reader) (facts.Results, error) { return playwrightJSON(r, standard()) }

func playwrightJSON(r io.Reader, lim limits) (facts.Results, error) {
	p := &playwrightDoc{jsonFile: newJSONFile(r, lim), stats: map[string]int{}, listed: map[string]int{}}
	closed, err := p.read(p.document)
	if err != nil {
		return facts.Results{}, err
	}
	return p.end(closed), nil
}

// playwrightDoc is the document while it is read.
type playwrightDoc struct {
	jsonFile
	suites bool
	errors []facts.Failure
	more   int            // errors beyond those kept
	stats  map[string]int // by outcome
	listed map[string]int
	unrun  int // tests that were to run and did not
}

type playwrightError struct {
	message, stack, file string
	line                 int
}

// playwrightOutcomes are the words for how a test ended, which are also keys of stats.
func playwrightOutcomes() []string { return []string{"expected", "unexpected", "flaky", "skipped"} }

func (p *playwrightDoc) document() error {
	return p.object(func(key string) error {
		switch key {
		case "config":
			return p.object(func(key string) error {
				if key != "shard" {
					return p.skip()
				}
				return p.object(func(key string) error {
					if key == "total" {
						p.note("shard", 0, "the file holds one shard of the tests")
					}
					return p.skip()
				})
			})
		case "suites":
			p.suites = true
			return p.array(func() error { return p.suite(nil, 0) })
		case "errors":
			return p.array(func() error {
				e, err := p.oneError()
				if len(p.errors) < p.lim.outside {
					p.errors = append(p.errors, p.failed(&e))
				} else {
					p.more++
				}
				return err
			})
		case "stats":
			return p.object(func(key string) error {
				v, err := p.scalar()
				if n, ok := v.(float64); ok && slices.Contains(playwrightOutcomes(), key) {
					p.stats[key] = count(n)
				}
				return err
			})
		}
		return p.skip()
	})
}

func (p *playwrightDoc) oneError() (e playwrightError, err error) {
	err = p.object(func(key string) (err error) {
		switch key {
		case "message":
			e.message, err = p.text()
		case "value": // what was thrown and is no Error
			if e.message == "" {
				e.message, err = p.text()
				return err
			}
			err = p.skip()
		case "stack":
			e.stack, err = p.text()
		case "location":
			err = p.object(func(key string) (err error) {
				var n float64
				switch key {
				case "file":
					e.file, err = p.text()
				case "line":
					n, err = p.number()
					e.line = count(n)
				default:
					err = p.skip()
				}
				return err
			})
		default:
			err = p.skip()
		}
		return err
	})
	return e, err
}

func (p *playwrightDoc) failed(e *playwrightError) facts.Failure {
	f := p.failure(p.find, e.message, "", e.stack)
	if e.file != "" {
		f.File, f.Line = p.word(p.label([]byte(e.file))), e.line
	}
	return f
}

// suite reads a file or a describe block. The outermost is the file, which each spec names itself.
func (p *playwrightDoc) suite(above []string, depth int) error {
	if depth > p.lim.depth {
		return unexpected{fmt.Sprintf("suites are nested more than %d deep", p.lim.depth)}
	}
	titles := above
	return p.object(func(key string) error {
		switch key {
		case "title":
			s, err := p.text()
			if depth > 0 {
				titles = append(above[:len(above):len(above)], s)
			}
			return err
		case "suites":
			return p.array(func() error { return p.suite(titles, depth+1) })
		case "specs":
			return p.array(func() error { return p.spec(titles) })
		}
		return p.skip()
	})
}

// playwrightTest is one test of one project.
type playwrightTest struct {
	project, expected, outcome string
	ended                      string // status of the last attempt
	attempts                   int
	failures                   []facts.Failure
	last                       []facts.Failure // of the last attempt
	annotations                []string        // type and description
	ms                         float64
}

// spec reads one test in the source, with its tests in each project. Where it stands comes behind them.
func (p *playwrightDoc) spec(titles []string) error {
	var title, file string
	var line int
	var ok any
	var tests []playwrightTest
	err := p.object(func(key string) (err error) {
		var n float64
		switch key {
		case "title":
			title, err = p.text()
		case "file":
			file, err = p.text()
		case "line":
			n, err = p.number()
			line = count(n)
		case "ok":
			ok, err = p.scalar()
		case "tests":
			err = p.array(func() error {
				t, err := p.test()
				if len(tests) < p.lim.bad {
					tests = append(tests, t)
				} else {
					p.dropped.Add(&facts.Case{Status: facts.StatusUnknown})
					p.problem(facts.Malformed, "too_large", 0, "a spec has more than %d tests: the rest is only counted", p.lim.bad)
				}
				return err
			})
		default:
			err = p.skip()
		}
		return err
	})
	bad := false
	for i := range tests {
		c := p.fact(&tests[i], file, titles, title)
		c.Line = line
		bad = bad || c.Status != facts.Passed && c.Status != facts.Skipped
		p.add(c)
	}
	if ok == false && !bad && err == nil {
		p.problem(facts.Contradict, "not_ok", 0, "Playwright says that %q is not ok, and none of its tests failed", clean64([]byte(title)))
	}
	return err
}

func (p *playwrightDoc) test() (t playwrightTest, err error) {
	err = p.object(func(key string) (err error) {
		switch key {
		case "projectName":
			t.project, err = p.text()
		case "expectedStatus":
			t.expected, err = p.text()
		case "status":
			t.outcome, err = p.text()
		case "annotations":
			err = p.array(func() error { return p.annotation(&t) })
		case "results":
			err = p.array(func() error { return p.attempt(&t) })
		default:
			err = p.skip()
		}
		return err
	})
	return t, err
}

func (p *playwrightDoc) annotation(t *playwrightTest) error {
	var kind, text string
	err := p.object(func(key string) (err error) {
		switch key {
		case "type":
			kind, err = p.text()
		case "description":
			text, err = p.text()
		default:
			err = p.skip()
		}
		return err
	})
	if len(t.annotations) < 20 {
		t.annotations = append(t.annotations, clean64([]byte(kind)), text)
	}
	return err
}

// attempt reads one result. Only what the last one says fails the test.
func (p *playwrightDoc) attempt(t *playwrightTest) error {
	var status string
	var failures []facts.Failure
	err := p.object(func(key string) (err error) {
		switch key {
		case "status":
			status, err = p.text()
		case "duration":
			t.ms, err = p.number()
		case "errors":
			err = p.array(func() error {
				e, err := p.oneError()
				if len(failures) < p.lim.failures {
					failures = append(failures, p.failed(&e))
				}
				return err
			})
		default:
			err = p.skip()
		}
		return err
	})
	t.attempts++
	t.ended = clean64([]byte(status))
	if room := p.lim.failures - len(t.failures); len(t.last) > 0 && room > 0 {
		t.failures = append(t.failures, t.last[:min(room, len(t.last))]...)
	}
	t.last = failures
	return err
}

func (p *playwrightDoc) fact(t *playwrightTest, file string, titles []string, title string) facts.Case {
	above := titles
	if t.project != "" {
		above = append([]string{"[" + t.project + "]"}, titles...)
	}
	c := p.named(file, above, title)
	c.Duration = ms(t.ms)
	if t.attempts > 1 {
		c.Attempts = t.attempts
	}
	if slices.Contains(playwrightOutcomes(), t.outcome) {
		p.listed[t.outcome]++
	}
	c.Failures = append(t.last, t.failures...)
	switch t.outcome {
	case "expected":
		c.Status = facts.Passed
		if t.expected == "failed" {
			c.Status, c.Kind = facts.Skipped, "xfail"
		}
	case "flaky":
		c.Status, c.Flaky = facts.Passed, true
	case "skipped":
		c.Status = facts.Skipped
		c.Kind, c.Reason = t.skip()
		if t.expected != "skipped" {
			c.Reason = "it did not run"
			p.unrun++
		}
	case "unexpected":
		c.Status = facts.Failed
		if len(c.Failures) == 0 && t.ended == "passed" && t.expected == "failed" {
			c.Failures = []facts.Failure{{Message: "it was expected to fail, and passed"}}
		}
	default:
		p.problem(facts.Malformed, "unknown_status", 0, "test %q has the outcome %q, which is not known", c.ID, clean64([]byte(t.outcome)))
	}
	if t.belied() {
		p.problem(facts.Contradict, "status_against_failure", 0, "test %q is called %s, and ended as %q where %q was expected", c.ID, t.outcome, t.ended, clean64([]byte(t.expected)))
		c.Status, c.Kind, c.Reason, c.Flaky = facts.Failed, "", "", false
	}
	if c.Status == facts.Skipped {
		c.Failures = nil
	}
	explained(&c, "Playwright")
	return c
}

// belied reports whether the last attempt did not end as the outcome says.
func (t *playwrightTest) belied() bool {
	switch t.outcome {
	case "expected", "flaky":
		return t.ended != t.expected
	case "skipped":
		return t.ended != "" && t.ended != "skipped" && t.ended != "interrupted"
	}
	return false
}

// skip gives the kind and the reason of a skip.
func (t *playwrightTest) skip() (kind, reason string) {
	for i := 0; i+1 < len(t.annotations); i += 2 {
		switch t.annotations[i] {
		case "skip", "fixme":
			kind, reason = "skip", firstLine(strings.ToValidUTF8(t.annotations[i+1], "\ufffd"), 1000)
			if t.annotations[i] == "fixme" {
				kind = "todo"
			}
			return kind, reason
		}
	}
	return "skip", ""
}

func (p *playwrightDoc) end(closed bool) facts.Results {
	all := p.tally()
	none := all.cases == 0
	for _, f := range p.errors {
		if none && strings.HasPrefix(f.Message, "Error: No tests found") {
			p.note("no_tests_found", 0, "Playwright found no tests")
			continue
		}
		o := facts.Outside{Where: f.File, Message: f.Message, Text: f.Text, File: f.File, Line: f.Line}
		if none && f.File != "" {
			o.Kind = facts.Collection
		}
		if o.Message == "" {
			o.Message = "an error outside the tests"
		}
		p.outside(o)
	}
	if p.more > 0 {
		p.problem(facts.Malformed, "too_many_outside", 0, "%d errors outside tests are left out", p.more)
	}
	if !closed {
		return p.finish(false)
	}
	_, stats := p.stats["expected"]
	if !p.suites || !stats {
		p.problem(facts.Malformed, "no_playwright_results", 0, "it is JSON, but not what Playwright's reporter json writes: suites or stats is missing")
		return p.finish(false)
	}
	total := 0
	for _, word := range playwrightOutcomes() {
		total += p.stats[word]
		if p.stats[word] != p.listed[word] {
			p.problem(facts.Contradict, "claims_against_list", 0, "stats counts %d tests as %s, and %d are listed", p.stats[word], word, p.listed[word])
		}
	}
	p.res.Claims = claimed{total, p.stats["expected"] + p.stats["flaky"], p.stats["unexpected"], -1, p.stats["skipped"]}.facts()
	if p.unrun > 0 {
		p.problem(facts.Incomplete, "not_run", 0, "%d tests were to run and did not: the run was stopped, or only listed", p.unrun)
	}
	return p.finish(p.sound())
}
