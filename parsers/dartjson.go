package parsers

import (
	"encoding/json"
	"io"
	"strings"

	"factgate/facts"
)

// DartJSON reads the events of `dart test --reporter json` and `flutter test --machine`, as the protocol's own page
// says (pkgs/test/doc/json_reporter.md of github.com/dart-lang/test, protocol 0.1). No such tool was at hand: the
// tests are written from that page, and the reader was only held against a few streams that others published.
//
// A hidden test (the loading of a file, setUpAll, tearDownAll) is no case; when it fails it is a failure outside them.
// An error that comes after a test has ended fails it. The proof of completeness is the event done whose success is
// true or false, with no test open; null means that the runner was closed before.
func DartJSON(r io.Reader) (facts.Results, error) { return dartJSON(r, standard()) }

func dartJSON(r io.Reader, lim limits) (facts.Results, error) {
	s := &dartStream{
		jsonLines: newJSONLines(lim), suites: map[int]string{}, groups: map[int]string{}, running: map[int]*dartTest{}, ended: map[int]int{},
		suitesPlanned: -1,
	}
	if err := s.read(r, s.event); err != nil {
		return facts.Results{}, err
	}
	return s.end(), nil
}

// dartStream is the stream while it is read.
type dartStream struct {
	jsonLines
	suites  map[int]string    // paths
	groups  map[int]string    // names, with those of the groups above
	running map[int]*dartTest // tests that have not ended
	order   []int             // their ids; ended ones are left in
	ended   map[int]int       // kept cases of the tests that have, -1 for what was not kept

	started, done int
	success       []*bool // what done said
	tests         int     // ended, hidden ones included
	suitesPlanned int     // -1 when the stream does not say
	planned       int     // tests in the root groups
}

// dartTest is a test that has not ended.
type dartTest struct {
	c        facts.Case
	name     string
	virtual  bool // loading, setUpAll, tearDownAll
	start    float64
	failures []facts.Failure
	errors   int // of them no TestFailure
	reason   string
}

// dartEvent is a line.
type dartEvent struct {
	Type            string
	Time            float64
	ProtocolVersion string
	Count           *int
	Suite           *struct {
		ID   int
		Path string
	}
	Group *struct {
		ID        int
		Name      string
		ParentID  *int
		TestCount int
	}
	Test *struct {
		ID       int
		Name     string
		SuiteID  int
		GroupIDs []int
		Line     int
		URL      string
		RootLine int    `json:"root_line"`
		RootURL  string `json:"root_url"`
	}
	TestID      *int
	MessageType string
	Message     string
	Error       string
	StackTrace  string
	IsFailure   bool
	Result      string
	Hidden      bool
	Skipped     bool
	Success     *bool
}

func (s *dartStream) event(line []byte, at int64) error {
	var e dartEvent
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	switch e.Type {
	case "start":
		if e.ProtocolVersion == "" {
			return unexpected{"a start without protocolVersion"}
		}
		s.started++
	case "allSuites":
		if e.Count != nil {
			s.suitesPlanned = max(s.suitesPlanned, 0) + count(float64(*e.Count))
		}
	case "suite":
		if e.Suite == nil {
			return unexpected{"a suite without its data"}
		}
		if len(s.suites) >= s.lim.bad {
			return tooMany("suites", s.lim.bad)
		}
		s.suites[e.Suite.ID] = s.label([]byte(e.Suite.Path))
	case "group":
		if e.Group == nil {
			return unexpected{"a group without its data"}
		}
		if len(s.groups) >= s.lim.cases {
			return tooMany("groups", s.lim.cases)
		}
		s.groups[e.Group.ID] = s.label([]byte(e.Group.Name))
		if e.Group.ParentID == nil {
			s.planned += count(float64(e.Group.TestCount))
		}
	case "testStart":
		return s.testStart(&e)
	case "print":
		if e.TestID != nil && e.MessageType == "skip" {
			if t := s.running[*e.TestID]; t != nil {
				t.reason = strings.TrimSpace(strings.TrimPrefix(e.Message, "Skip:"))
			}
		}
	case "error":
		return s.failed(&e)
	case "testDone":
		return s.testDone(&e)
	case "done":
		s.done++
		if len(s.success) < s.lim.outside {
			s.success = append(s.success, e.Success)
		}
	case "debug":
	case "":
		return unexpected{"an event without its type"}
	default: // the protocol allows new ones, and done speaks for all
		s.note("not_understood", at, "an event of the type %q is not known", clean64([]byte(e.Type)))
	}
	return nil
}

func (s *dartStream) testStart(e *dartEvent) error {
	if e.Test == nil {
		return unexpected{"a test starts without its data"}
	}
	if len(s.running)+len(s.ended) > s.lim.cases+s.lim.bad {
		return tooMany("tests", s.lim.cases)
	}
	v := e.Test
	file, name := s.suites[v.SuiteID], v.Name
	var above []string
	if n := len(v.GroupIDs); n > 0 { // a name repeats those of the groups above
		if group := s.groups[v.GroupIDs[n-1]]; group != "" {
			if rest, ok := strings.CutPrefix(name, group+" "); ok {
				above, name = []string{group}, rest
			}
		}
	}
	t := &dartTest{c: s.named(file, above, name), name: s.label([]byte(v.Name)), start: e.Time}
	t.virtual = len(v.GroupIDs) == 0 && strings.HasPrefix(v.Name, "loading ") || name == "(setUpAll)" || name == "(tearDownAll)"
	if t.c.Line = max(v.Line, 0); v.RootURL != "" {
		t.c.Line = max(v.RootLine, 0) // in the file, where line is in a helper of it
	}
	s.running[v.ID] = t
	s.order = append(s.order, v.ID)
	return nil
}

// failed takes an error. One that comes when its test has ended fails it all the same.
func (s *dartStream) failed(e *dartEvent) error {
	if e.TestID == nil {
		return unexpected{"an error without its test"}
	}
	f := s.failure(s.find, e.Error, "", strings.TrimSpace(e.Error)+"\n"+e.StackTrace)
	f.Error = !e.IsFailure
	if m := s.find.dart.FindStringSubmatch(e.StackTrace); m != nil {
		p := at(m)
		f.File, f.Line = s.word(s.label([]byte(p.file))), p.line
	}
	if t := s.running[*e.TestID]; t != nil {
		t.failures = s.hold(t.failures, f)
		if f.Error {
			t.errors++
		}
		return nil
	}
	i, known := s.ended[*e.TestID]
	if !known || i < 0 {
		s.outside(facts.Outside{Message: f.Message, Text: f.Text, File: f.File, Line: f.Line})
		return nil
	}
	c := &s.res.Cases[i]
	s.note("late_error", 0, "test %q met an error when it had ended; it failed", c.ID)
	if c.Status != facts.Errored {
		c.Status = facts.Failed
		if f.Error {
			c.Status = facts.Errored
		}
	}
	c.Kind, c.Reason = "", ""
	if len(c.Failures) < s.lim.failures {
		c.Failures = append(c.Failures, s.fit([]facts.Failure{f})...)
	}
	explained(c, "the runner")
	return nil
}

func (s *dartStream) testDone(e *dartEvent) error {
	if e.TestID == nil {
		return unexpected{"a test ends without its id"}
	}
	t := s.running[*e.TestID]
	if t == nil {
		return unexpected{"a test ends that did not start"}
	}
	delete(s.running, *e.TestID)
	s.tests++
	t.c.Duration = ms(e.Time - t.start)
	t.c.Failures = t.failures
	s.release(t.failures)
	switch e.Result {
	case "success":
		t.c.Status = facts.Passed
		if e.Skipped {
			t.c.Status, t.c.Kind = facts.Skipped, "skip"
			t.c.Reason = firstLine(s.prose([]byte(t.reason), s.lim.message), s.lim.message)
		}
		if len(t.failures) > 0 {
			s.problem(facts.Contradict, "status_against_failure", 0, "test %q is called a success and met an error", t.c.ID)
			t.c.Status, t.c.Kind = facts.Failed, ""
		}
	case "failure":
		t.c.Status = facts.Failed
	case "error":
		t.c.Status = facts.Errored
	default:
		s.problem(facts.Malformed, "unknown_status", 0, "test %q has the result %q, which is not known", t.c.ID, clean64([]byte(e.Result)))
	}
	s.keep(*e.TestID, t, e.Hidden)
	return nil
}

// keep adds a test that has ended: as a case, or, for what is none, as a failure outside them.
func (s *dartStream) keep(id int, t *dartTest, hidden bool) {
	explained(&t.c, "the runner")
	good := t.c.Status == facts.Passed || t.c.Status == facts.Skipped
	s.ended[id] = -1
	if !t.virtual && !(hidden && good) {
		s.ended[id] = s.add(t.c)
		return
	}
	if good {
		return
	}
	o := facts.Outside{Where: t.name, Message: "it did not end well"}
	if len(t.c.Failures) > 0 {
		f := t.c.Failures[0]
		o.Message, o.Text, o.File, o.Line = f.Message, f.Text, f.File, f.Line
	}
	if strings.HasPrefix(t.name, "loading ") {
		o.Kind = facts.Collection
		o.Where = t.c.File
	}
	s.outside(o)
}

func (s *dartStream) end() facts.Results {
	for _, id := range s.order {
		t, open := s.running[id]
		if !open {
			continue
		}
		delete(s.running, id)
		t.c.Status = facts.Errored
		t.c.Failures = append(t.failures, facts.Failure{Message: "it started and did not end", Error: true})
		s.keep(id, t, false)
		s.problem(facts.Incomplete, "not_ended", 0, "test %q started and did not end", t.c.ID)
	}
	s.known(s.started+s.done+s.tests, "Dart's reporter json")
	if s.events > 0 && (s.started == 0 || s.started != s.done) {
		s.problem(facts.Incomplete, "no_end", 0, "%d runs started, and %d reached their end", s.started, s.done)
	}
	all := s.tally()
	bad := all.bad > 0 || len(s.res.Outside) > 0
	succeeded := len(s.success) > 0
	for _, success := range s.success {
		succeeded = succeeded && success != nil && *success
		switch {
		case success == nil:
			s.problem(facts.Incomplete, "interrupted", 0, "the runner was closed before all tests had ended")
		case !*success && !bad:
			s.problem(facts.Contradict, "success_false", 0, "the run did not succeed, and no failure is listed")
		}
	}
	claims := noClaims()
	if s.events > 0 {
		claims.tests = s.planned
	}
	s.res.Claims = claims.facts()
	if succeeded && s.planned > all.cases && all.skipped == 0 { // of a group that is skipped one test is named
		s.problem(facts.Contradict, "tests_above_cases", 0, "the groups hold %d tests, and %d are listed", s.planned, all.cases)
	}
	if succeeded && s.suitesPlanned > len(s.suites) {
		s.problem(facts.Contradict, "suites_missing", 0, "%d suites were to be loaded, and %d are there", s.suitesPlanned, len(s.suites))
	}
	return s.finish(s.sound())
}
