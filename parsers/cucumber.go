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
	held              int // bytes of steps held for what has not ended
	successes         int // runs that say that they succeeded
	pending           []int
	other             int // messages that are not known
}

// perStep is about what the maps of a step take.
const perStep = 200

type cucumberPickle struct {
	uri, name, suite string
	line             int
	steps            map[string]string // what they say, by id
	held             int               // bytes of them
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
	s.features[d.URI] = s.label([]byte(d.Feature.Name))
	for _, child := range d.Feature.Children {
		if child.Rule == nil {
			continue
		}
		for _, x := range child.Rule.Children {
			if x.Scenario != nil {
				s.rules[x.Scenario.ID] = s.word(s.label([]byte(child.Rule.Name)))
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
		if k.held+s.held > s.lim.identity {
			s.note("texts_cut", 0, "the steps of the scenarios that have not ended are longer than %d bytes: what they say is left out", s.lim.identity)
			break
		}
		k.held += len(step.Text) + perStep
		k.steps[step.ID] = step.Text
	}
	s.held += k.held
	s.pickles[p.ID] = k
}
