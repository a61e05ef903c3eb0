package parsers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"factgate/facts"
)

// Cucumber reads Cucumber Messages as NDJSON (github.com/cucumber/messages 13 to 32), which cucumber-js, cucumber-jvm
// and cucumber-ruby write with the formatter message. A case is one pickle (a scenario, or one row of an outline): the
// worst status of its steps and hooks, of its last attempt. Its proof of completeness is testRunFinished, with no case
// open; a hook before or after all tests that fails in cucumber-js leaves none.
//
// Undefined, pending and ambiguous steps fail a case, unless the run says that it succeeded all the same: then
// undefined and pending ones are a todo. A scenario without steps proves nothing and is a skip.
func Cucumber(r io.Reader) (facts.Results, error) { return cucumber(r, standard()) }

func cucumber(r io.Reader, lim limits) (facts.Results, error) {
	s := &cucumberStream{
		jsonLines: newJSONLines(lim), features: map[string]string{}, rules: map[string]string{}, hooks: map[string]string{},
		pickles: map[string]*cucumberPickle{}, cases: map[string]*cucumberCase{}, attempts: map[string]*cucumberAttempt{},
	}
	err := s.read(r, s.event, `{"source"`, `{"gherkinDocument"`, `{"attachment"`, `{"externalAttachment"`, `{"stepDefinition"`, `{"suggestion"`)
	if err != nil {
		return facts.Results{}, err
	}
	return s.end(), nil
}

// cucumberStream is the stream while it is read.
type cucumberStream struct {
	jsonLines
	features map[string]string           // names by path
	rules    map[string]string           // of a scenario that stands in one, by its id
	hooks    map[string]string           // where they stand, by id
	pickles  map[string]*cucumberPickle  // by id, until their case is there
	cases    map[string]*cucumberCase    // by id, until they have ended
	order    []string                    // their ids; ended ones are left in
	attempts map[string]*cucumberAttempt // by id, until they have ended

	started, finished int // runs
	ended             int // cases
	successes         int // runs that say that they succeeded
	pending           []int
	other             int // messages that are not known
}

type cucumberPickle struct {
	uri, name, suite string
	line             int
	steps            map[string]string // what they say, by id
}

type cucumberCase struct {
	pickle  *cucumberPickle
	steps   map[string]string // what each step or hook of it is, by id
	ran     int               // attempts
	earlier []facts.Failure
}

type cucumberAttempt struct {
	c        *cucumberCase
	id       string // of the case
	worst    int    // in cucumberStatuses
	steps    int
	failures []facts.Failure
	duration time.Duration
}

// cucumberStatuses are the words for how a step ended, from the best to the worst.
func cucumberStatuses() []string {
	return []string{"PASSED", "SKIPPED", "PENDING", "UNDEFINED", "AMBIGUOUS", "FAILED", "UNKNOWN"}
}

const (
	cucumberPending   = 2
	cucumberAmbiguous = 4
	cucumberFailed    = 5
	cucumberUnknown   = 6
)

type cucumberResult struct {
	Status    string
	Message   string
	Duration  struct{ Seconds, Nanos int64 }
	Exception *struct{ Type, Message, StackTrace string }
}

// cucumberMessage is a line: one of its keys is there.
type cucumberMessage struct {
	GherkinDocument *struct {
		URI     string
		Feature *struct {
			Name     string
			Children []struct {
				Rule *struct {
					Name     string
					Children []struct{ Scenario *struct{ ID string } }
				}
			}
		}
	}
	Pickle *struct {
		ID, URI, Name string
		Location      *struct{ Line int }
		AstNodeIDs    []string
		Steps         []struct{ ID, Text string }
	}
	Hook *struct {
		ID, Name        string
		SourceReference struct {
			URI      string
			Location *struct{ Line int }
		}
	}
	TestRunStarted *struct{}
	TestCase       *struct {
		ID, PickleID string
		TestSteps    []struct{ ID, PickleStepID, HookID string }
	}
	TestCaseStarted *struct {
		ID, TestCaseID string
		Attempt        int
	}
	TestStepFinished *struct {
		TestCaseStartedID, TestStepID string
		TestStepResult                cucumberResult
	}
	TestCaseFinished *struct {
		TestCaseStartedID string
		WillBeRetried     bool
	}
	TestRunHookStarted  *struct{ ID, HookID string }
	TestRunHookFinished *struct {
		TestRunHookStartedID string
		Result               cucumberResult
	}
	TestRunFinished *struct {
		Success   bool
		Message   string
		Exception *struct{ Type, Message, StackTrace string }
	}
	ParseError *struct {
		Message string
		Source  struct {
			URI      string
			Location *struct{ Line int }
		}
	}
	Meta                                                               *struct{}
	Source, Attachment, ExternalAttachment, StepDefinition             *struct{}
	Suggestion, ParameterType, UndefinedParameterType, TestStepStarted *struct{}
}

func (s *cucumberStream) event(line []byte, at int64) error {
	var m cucumberMessage
	if err := json.Unmarshal(line, &m); err != nil {
		return err
	}
	switch {
	case m.GherkinDocument != nil:
		s.document(&m)
	case m.Pickle != nil:
		s.pickle(&m)
	case m.Hook != nil:
		if where := m.Hook.SourceReference; len(s.hooks) < s.lim.bad {
			text := m.Hook.Name + " " + where.URI
			if where.Location != nil {
				text += fmt.Sprintf(":%d", where.Location.Line)
			}
			s.hooks[m.Hook.ID] = s.label([]byte("hook " + strings.TrimSpace(text)))
		}
	case m.TestRunStarted != nil:
		s.started++
	case m.TestCase != nil:
		return s.testCase(&m)
	case m.TestCaseStarted != nil:
		return s.caseStarted(&m, at)
	case m.TestStepFinished != nil:
		return s.stepFinished(&m)
	case m.TestCaseFinished != nil:
		return s.caseFinished(&m)
	case m.TestRunHookStarted != nil:
		if h := m.TestRunHookStarted; len(s.hooks) < s.lim.bad {
			s.hooks[h.ID] = s.hooks[h.HookID]
		}
	case m.TestRunHookFinished != nil:
		h := m.TestRunHookFinished
		if rank := s.rank(&h.Result, at); rank >= cucumberPending {
			f := s.explain(&h.Result, s.hooks[h.TestRunHookStartedID])
			s.outside(facts.Outside{Where: s.hooks[h.TestRunHookStartedID], Message: f.Message, Text: f.Text, File: f.File, Line: f.Line})
		}
		delete(s.hooks, h.TestRunHookStartedID)
	case m.ParseError != nil:
		e := m.ParseError
		o := s.outsideOf(s.find, facts.Collection, e.Source.URI, e.Message, "")
		o.File = o.Where
		if e.Source.Location != nil {
			o.Line = e.Source.Location.Line
		}
		s.outside(o)
	case m.TestRunFinished != nil:
		s.runFinished(&m)
	case m.Meta != nil, m.Source != nil, m.Attachment != nil, m.ExternalAttachment != nil, m.StepDefinition != nil, m.Suggestion != nil,
		m.ParameterType != nil, m.UndefinedParameterType != nil, m.TestStepStarted != nil:
	default:
		s.other++
		weight := facts.Note
		if bytes.Contains(line, []byte(`"FAILED"`)) {
			weight = facts.Malformed
		}
		s.problem(weight, "not_understood", at, "a message is not known: %q", firstLine(s.prose(line, s.lim.message), 200))
	}
	return nil
}

func (s *cucumberStream) document(m *cucumberMessage) {
	d := m.GherkinDocument
	if d.Feature == nil || len(s.features)+len(s.rules) > s.lim.cases {
		return
	}
	s.features[d.URI] = d.Feature.Name
	for _, child := range d.Feature.Children {
		if child.Rule == nil {
			continue
		}
		for _, x := range child.Rule.Children {
			if x.Scenario != nil {
				s.rules[x.Scenario.ID] = child.Rule.Name
			}
		}
	}
}

func (s *cucumberStream) pickle(m *cucumberMessage) {
	p := m.Pickle
	if len(s.pickles) > s.lim.cases {
		s.problem(facts.Malformed, "too_large", 0, "there are more than %d pickles without a test case", s.lim.cases)
		return
	}
	k := &cucumberPickle{uri: p.URI, name: p.Name, steps: map[string]string{}}
	if p.Location != nil {
		k.line = p.Location.Line
	}
	for _, id := range p.AstNodeIDs {
		if rule := s.rules[id]; rule != "" {
			k.suite = rule
		}
	}
	for _, step := range p.Steps {
		k.steps[step.ID] = step.Text
	}
	s.pickles[p.ID] = k
}

func (s *cucumberStream) testCase(m *cucumberMessage) error {
	p := s.pickles[m.TestCase.PickleID]
	if p == nil {
		return unexpected{"a test case of a pickle that is not there"}
	}
	if len(s.cases) > s.lim.cases {
		return unexpected{fmt.Sprintf("more than %d test cases have not ended", s.lim.cases)}
	}
	delete(s.pickles, m.TestCase.PickleID)
	c := &cucumberCase{pickle: p, steps: map[string]string{}}
	for _, step := range m.TestCase.TestSteps {
		if text, ok := p.steps[step.PickleStepID]; ok {
			c.steps[step.ID] = text
		} else {
			c.steps[step.ID] = s.hooks[step.HookID]
		}
	}
	p.steps = nil
	s.cases[m.TestCase.ID] = c
	s.order = append(s.order, m.TestCase.ID)
	return nil
}

func (s *cucumberStream) caseStarted(m *cucumberMessage, at int64) error {
	c := s.cases[m.TestCaseStarted.TestCaseID]
	if c == nil {
		return unexpected{"a test case starts that is not there"}
	}
	c.ran++
	s.attempts[m.TestCaseStarted.ID] = &cucumberAttempt{c: c, id: m.TestCaseStarted.TestCaseID}
	return nil
}

// rank gives the place of a status among cucumberStatuses.
func (s *cucumberStream) rank(r *cucumberResult, at int64) int {
	for i, word := range cucumberStatuses() {
		if r.Status == word {
			return i
		}
	}
	s.problem(facts.Malformed, "unknown_status", at, "a step has the status %q, which is not known", clean64([]byte(r.Status)))
	return cucumberUnknown
}

func (s *cucumberStream) stepFinished(m *cucumberMessage) error {
	a := s.attempts[m.TestStepFinished.TestCaseStartedID]
	if a == nil {
		return unexpected{"a step ends in a test case that is not there"}
	}
	r := &m.TestStepFinished.TestStepResult
	rank := s.rank(r, 0)
	a.steps++
	a.worst = max(a.worst, rank)
	if d := seconds(float64(r.Duration.Seconds) + float64(r.Duration.Nanos)/1e9); d > 0 {
		a.duration += d
	}
	if rank >= cucumberPending && len(a.failures) < s.lim.failures {
		f := s.explain(r, a.c.steps[m.TestStepFinished.TestStepID])
		a.failures = append(a.failures, f)
	}
	return nil
}

// explain makes a failure of a step or hook. step says which.
func (s *cucumberStream) explain(r *cucumberResult, step string) facts.Failure {
	message, kind, text := r.Message, "", r.Message
	if e := r.Exception; e != nil {
		kind = e.Type
		if e.Message != "" {
			message = e.Message
		}
	}
	word := strings.ToLower(r.Status)
	if message == "" || r.Status != "FAILED" {
		message = strings.TrimSpace(word + ": " + step)
	}
	return s.failure(s.find, message, kind, strings.TrimSpace(word+": "+step+"\n"+text))
}

func (s *cucumberStream) caseFinished(m *cucumberMessage) error {
	id := m.TestCaseFinished.TestCaseStartedID
	a := s.attempts[id]
	if a == nil {
		return unexpected{"a test case ends that is not there"}
	}
	delete(s.attempts, id)
	if m.TestCaseFinished.WillBeRetried {
		if room := s.lim.failures - len(a.c.earlier); room > 0 {
			a.c.earlier = append(a.c.earlier, a.failures[:min(room, len(a.failures))]...)
		}
		return nil
	}
	s.keep(a)
	return nil
}

// keep adds the case of a last attempt.
func (s *cucumberStream) keep(a *cucumberAttempt) {
	p := a.c.pickle
	c := s.named(p.uri, s.above(p), p.name)
	c.Line, c.Duration = p.line, a.duration
	if a.c.ran > 1 {
		c.Attempts = a.c.ran
	}
	switch {
	case a.steps == 0:
		c.Status, c.Kind, c.Reason = facts.Skipped, "skip", "it has no steps"
	case a.worst == 0:
		c.Status, c.Flaky = facts.Passed, a.c.ran > 1
	case a.worst < cucumberPending:
		c.Status, c.Kind = facts.Skipped, "skip"
	case a.worst <= cucumberFailed:
		c.Status = facts.Failed
	}
	c.Failures = append(a.failures, a.c.earlier[:min(len(a.c.earlier), s.lim.failures-len(a.failures))]...)
	if c.Status == facts.Skipped {
		c.Failures = nil
	}
	explained(&c, "cucumber")
	delete(s.cases, a.id)
	s.ended++
	if i := s.add(c); i >= 0 && a.worst >= cucumberPending && a.worst < cucumberAmbiguous && len(a.c.earlier) == 0 {
		s.pending = append(s.pending, i)
	}
}

func (s *cucumberStream) above(p *cucumberPickle) []string {
	var names []string
	for _, name := range []string{s.features[p.uri], p.suite} {
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}
