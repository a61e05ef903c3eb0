package parsers

import (
	"encoding/json"
	"io"
	"regexp"
	"strconv"
	"strings"

	"factgate/facts"
)

// LibtestJSON reads the events of Rust's libtest, `cargo test -- -Z unstable-options --format json` (library/test/src/
// formatters/json.rs of Rust 1.70 to 1.95), and of `cargo nextest run --message-format libtest-json` or libtest-json-plus.
// Each test binary is a suite. Its proof of completeness is that each suite that started has ended, with totals that
// are what was listed; a binary that dies in a test has no end.
//
// libtest does not name the binary, so that ids are names of tests only; two binaries may share one. nextest names it.
// A benchmark is no case.
func LibtestJSON(r io.Reader) (facts.Results, error) { return libtestJSON(r, standard()) }

func libtestJSON(r io.Reader, lim limits) (facts.Results, error) {
	s := &libtestStream{
		jsonLines: newJSONLines(lim), running: map[string]int{},
		attempt: regexp.MustCompile(`^(.*\$.*)#(\d+)$`), doctest: regexp.MustCompile(`^(\S.*\.\w+) - .*\(line (\d+)\)$`),
	}
	if err := s.read(r, s.event); err != nil {
		return facts.Results{}, err
	}
	return s.end(), nil
}

// libtestStream is the stream while it is read.
type libtestStream struct {
	jsonLines
	attempt *regexp.Regexp // nextest's name of a test at a later attempt
	doctest *regexp.Regexp // rustdoc's name of a test in a comment

	running map[string]int // tests that started and have not ended
	order   []string       // their names

	started, ended int // suites
	red            int // suites that ended as failed
	planned, done  int // tests by the suites' first and last events
	passed, failed int // by the suites' last events
	listedOK       int
	listedBad      int
	tests          int
	benches        int
	found          int // tests that were only listed
}

// libtestEvent is a line, as far as it is read.
type libtestEvent struct {
	Type, Event, Name       string
	Stdout, Message, Reason string
	ExecTime                *float64 `json:"exec_time"`
	TestCount               *int     `json:"test_count"`
	Passed, Failed, Ignored *int
	Measured                int
	FilteredOut             int `json:"filtered_out"`
}

func (s *libtestStream) event(line []byte, at int64) error {
	var e libtestEvent
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	switch e.Type {
	case "suite":
		return s.suite(&e, at)
	case "test":
		return s.test(&e, at)
	case "bench":
		s.benches++
		s.leave(e.Name)
		s.note("benchmark", at, "benchmarks are no cases: %s", clean64([]byte(e.Name)))
	case "report": // times of doctests
	default:
		s.problem(facts.Malformed, "not_understood", at, "an event of the type %q is not known", clean64([]byte(e.Type)))
	}
	return nil
}

func (s *libtestStream) suite(e *libtestEvent, at int64) error {
	switch e.Event {
	case "started":
		s.started++
		if e.TestCount == nil {
			return unexpected{"a suite starts without test_count"}
		}
		s.planned += count(float64(*e.TestCount))
	case "ok", "failed":
		if e.Passed == nil || e.Failed == nil || e.Ignored == nil {
			return unexpected{"a suite ends without its totals"}
		}
		s.ended++
		n := func(i int) int { return count(float64(i)) }
		s.passed += n(*e.Passed)
		s.failed += n(*e.Failed)
		s.done += n(*e.Passed) + n(*e.Failed) + n(*e.Ignored) + n(e.Measured) + n(e.FilteredOut)
		if e.Event == "failed" {
			s.red++
			if *e.Failed == 0 {
				s.problem(facts.Contradict, "failed_without_failure", at, "a suite is called failed, and counts no failure")
			}
		} else if *e.Failed > 0 {
			s.problem(facts.Contradict, "claims_above_counts", at, "a suite is called ok, and counts %d failures", *e.Failed)
		}
	case "discovery", "completed": // of --list
		s.found++
	default:
		s.problem(facts.Malformed, "not_understood", at, "an event %q of a suite is not known", clean64([]byte(e.Event)))
	}
	return nil
}

func (s *libtestStream) test(e *libtestEvent, at int64) error {
	if e.Name == "" {
		return unexpected{"an event of a test without its name"}
	}
	c, name, attempts := s.named(e.Name)
	if attempts > 1 {
		c.Attempts = attempts
	}
	if e.ExecTime != nil {
		c.Duration = seconds(*e.ExecTime)
	}
	switch e.Event {
	case "started":
		if len(s.running) >= s.lim.bad {
			return tooMany("tests", s.lim.bad)
		}
		s.running[name]++
		s.order = append(s.order, name)
		return nil
	case "timeout": // it runs longer than a minute, and its end follows
		s.note("slow", at, "test %q ran for longer than a minute", c.ID)
		return nil
	case "discovered":
		s.found++
		return nil
	case "ok":
		c.Status, c.Flaky = facts.Passed, attempts > 1
		s.listedOK++
	case "ignored":
		c.Status, c.Kind = facts.Skipped, "ignored"
		c.Reason = firstLine(s.prose([]byte(e.Message), s.lim.message), s.lim.message)
	case "failed":
		c.Status = facts.Failed
		f := s.explain(e)
		if c.File != "" { // where it failed is a file that rustdoc made
			f.File, f.Line = c.File, c.Line
		}
		c.Failures = []facts.Failure{f}
		explained(&c, "libtest")
		s.listedBad++
	default:
		s.problem(facts.Malformed, "unknown_status", at, "test %q has the event %q, which is not known", c.ID, clean64([]byte(e.Event)))
	}
	s.leave(name)
	s.tests++
	s.add(c)
	return nil
}

// named reads the name of a test. nextest writes crate::binary$path::of::test#attempt.
func (s *libtestStream) named(full string) (c facts.Case, name string, attempts int) {
	name, attempts = full, 1
	if m := s.attempt.FindStringSubmatch(full); m != nil {
		if n, err := strconv.Atoi(m[2]); err == nil {
			name, attempts = m[1], n
		}
	}
	suite, last := "", name
	binary, path, nextest := strings.Cut(name, "$")
	if !nextest {
		path = name
	}
	if i := strings.LastIndex(path, "::"); i >= 0 && !strings.Contains(path, " ") { // a doctest's name is a sentence
		suite, last = path[:i], path[i+2:]
	} else {
		last = path
	}
	if nextest {
		if suite = binary + "::" + suite; path == last {
			suite = binary
		}
	}
	c = facts.Case{ID: s.label([]byte(name)), Name: s.label([]byte(last)), Suite: s.word(s.label([]byte(suite)))}
	if strings.HasSuffix(c.ID, c.Name) {
		c.Name = c.ID[len(c.ID)-len(c.Name):]
	}
	if m := s.doctest.FindStringSubmatch(name); m != nil {
		p := at(m)
		c.File, c.Line = s.word(s.label([]byte(p.file))), p.line
	}
	return c, name, attempts
}

func (s *libtestStream) explain(e *libtestEvent) facts.Failure {
	f := s.failure(s.find, e.Message, "", e.Stdout)
	if said := s.find.says(f.Text); e.Message == "" && said != "" {
		f.Message = firstLine(said, s.lim.message)
	}
	if e.Reason != "" {
		f.Message = strings.TrimSpace(s.prose([]byte(e.Reason), s.lim.message) + ": " + f.Message)
	}
	return f
}

// leave forgets a test that has ended.
func (s *libtestStream) leave(name string) {
	if s.running[name]--; s.running[name] <= 0 {
		delete(s.running, name)
	}
	s.order = sift(s.order, s.running)
}

func (s *libtestStream) end() facts.Results {
	open := 0
	for _, name := range s.order {
		if s.running[name] <= 0 {
			continue
		}
		delete(s.running, name)
		open++
		c, _, _ := s.named(name)
		c.Status = facts.Errored
		c.Failures = []facts.Failure{{Message: "it started and did not end: its process did", Error: true}}
		s.add(c)
	}
	s.known(s.started+s.ended+s.tests+s.found+open, "libtest")
	if s.events > 0 {
		s.res.Claims = claimed{s.planned, s.passed, s.failed, -1, -1}.facts()
	}
	if s.found > 0 {
		s.problem(facts.Incomplete, "only_listed", 0, "the tests were listed and not run (--list)")
	}
	if s.started != s.ended || s.started == 0 && s.tests > 0 {
		s.problem(facts.Incomplete, "no_end", 0, "%d test binaries started, and %d reached their end", s.started, s.ended)
		return s.finish(false)
	}
	s.differ("passed", s.passed, s.listedOK)
	s.differ("failed", s.failed, s.listedBad)
	if s.red == 0 && open == 0 && s.planned > s.done {
		s.problem(facts.Contradict, "planned_above_cases", 0, "%d tests were announced, and %d ended", s.planned, s.done)
	}
	if s.red == 0 && s.listedBad == 0 && s.tests+s.benches < s.done && s.tests+s.benches < s.planned {
		s.note("unlisted_tests", 0, "%d tests ended, and %d are listed", s.done, s.tests)
	}
	return s.finish(s.sound())
}

// differ holds the sum of the suites' totals against the list.
func (s *libtestStream) differ(what string, claim, listed int) {
	if claim != listed {
		s.problem(facts.Contradict, "claims_against_list", 0, "the test binaries count %d tests %s, and %d are listed", claim, what, listed)
	}
}
