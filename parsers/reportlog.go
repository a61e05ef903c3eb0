package parsers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"factgate/facts"
)

// ReportLog reads what `pytest --report-log=FILE` writes (pytest-reportlog 0.1 to 1.0): a line for each report of the
// session. A test is one case of its phases: a failing call is a failure, a failing set-up or teardown an error, and an
// outcome "rerun" (pytest-rerunfailures) an attempt. Its proof of completeness is SessionFinish, behind which no
// test is open; a test whose set-up passed and that was never called did not run (--setup-plan).
//
// Subtests belong to the test that they stand in: one that fails fails it.
func ReportLog(r io.Reader) (facts.Results, error) { return reportLog(r, standard()) }

func reportLog(r io.Reader, lim limits) (facts.Results, error) {
	s := &reportStream{jsonLines: newJSONLines(lim), open: map[string]*pytestItem{}, other: map[string]int{}}
	if err := s.read(r, s.event); err != nil {
		return facts.Results{}, err
	}
	return s.end(), nil
}

// reportStream is the stream while it is read.
type reportStream struct {
	jsonLines
	open              map[string]*pytestItem // by node id
	order             []string               // of the open ones, ended ones are left in until there are many
	started, finished int                    // sessions
	status            []int                  // their exit statuses that are not 0
	unrun             int
	ended             int            // tests
	other             map[string]int // kinds of report that are not known
}

// pytestReport is a line, as far as it is read.
type pytestReport struct {
	Kind       string `json:"$report_type"`
	Nodeid     string
	When       string
	Outcome    string
	Longrepr   json.RawMessage
	Location   json.RawMessage
	Duration   float64
	WasXFail   *string
	ExitStatus *int
}

// pytestItem is a test that has not ended.
type pytestItem struct {
	c        facts.Case
	called   bool // its call was reported, or a set-up that did not pass
	xpassed  string
	rerun    bool // this attempt is repeated
	attempts int
	earlier  []facts.Failure // of attempts before
}

func (s *reportStream) event(line []byte, at int64) error {
	var e pytestReport
	if err := json.Unmarshal(line, &e); err != nil {
		return err
	}
	switch e.Kind {
	case "SessionStart":
		s.started++
	case "SessionFinish":
		s.finished++
		if e.ExitStatus == nil {
			return unexpected{"SessionFinish without an exit status"}
		}
		if *e.ExitStatus != 0 && len(s.status) < s.lim.outside {
			s.status = append(s.status, *e.ExitStatus)
		}
	case "CollectReport":
		s.collect(&e, at)
	case "TestReport":
		return s.report(&e, at)
	case "SubTestReport":
		return s.subtest(&e)
	case "WarningMessage":
	case "":
		return unexpected{"it is no report: $report_type is missing"}
	default:
		word := clean64([]byte(e.Kind))
		if e.Outcome != "" || e.When != "" { // one that passed may be all that tells of a test that never ended
			s.problem(facts.Malformed, "not_understood", at, "a report of the kind %q, which is not known, has the outcome %q", word, clean64([]byte(e.Outcome)))
		}
		if len(s.other) < s.lim.attrs {
			s.other[word]++
		}
	}
	return nil
}

// collect takes the report of a file, class or folder.
func (s *reportStream) collect(e *pytestReport, at int64) {
	switch e.Outcome {
	case "passed":
	case "skipped":
		c := s.node(e)
		c.Status, c.Kind = facts.Skipped, "skip"
		c.Reason = s.reason(e)
		s.add(c)
	case "failed":
		f := s.longrepr(e.Longrepr)
		o := facts.Outside{Kind: facts.Collection, Where: s.label([]byte(e.Nodeid)), Message: f.Message, Text: f.Text, File: f.File, Line: f.Line}
		for line := range strings.SplitSeq(f.Text, "\n") { // pytest marks what was raised
			if said, ok := strings.CutPrefix(line, "E   "); ok {
				o.Message = firstLine(said, s.lim.message)
				break
			}
		}
		if o.Message == "" {
			o.Message = "it was not collected, and pytest does not say why"
		}
		s.outside(o)
	default:
		s.problem(facts.Malformed, "unknown_status", at, "the collection of %q has the outcome %q, which is not known", clean64([]byte(e.Nodeid)), clean64([]byte(e.Outcome)))
	}
}

// node names a case by pytest's node id.
func (s *reportStream) node(e *pytestReport) facts.Case {
	c := facts.Case{ID: s.label([]byte(e.Nodeid))}
	file, rest, _ := strings.Cut(e.Nodeid, "::")
	suite, name := e.Nodeid, e.Nodeid
	whole, _, _ := strings.Cut(rest, "[") // a parameter may hold ::
	if i := strings.LastIndex(whole, "::"); i >= 0 {
		suite, name = file+"::"+rest[:i], rest[i+2:]
	} else if rest != "" {
		suite, name = file, rest
	}
	c.File, c.Suite, c.Name = s.word(s.label([]byte(file))), s.word(s.label([]byte(suite))), s.label([]byte(name))
	if strings.HasSuffix(c.ID, c.Name) {
		c.Name = c.ID[len(c.ID)-len(c.Name):]
	}
	var where []any
	if json.Unmarshal(e.Location, &where) == nil && len(where) > 1 {
		if n, ok := where[1].(float64); ok && n >= 0 {
			c.Line = count(n) + 1 // pytest counts lines from 0 here
		}
	}
	return c
}

// item gives the test that a report is of.
func (s *reportStream) item(e *pytestReport) (*pytestItem, error) {
	if t, ok := s.open[e.Nodeid]; ok {
		return t, nil
	}
	if len(s.open) >= s.lim.bad {
		return nil, tooMany("tests", s.lim.bad)
	}
	t := &pytestItem{c: s.node(e), attempts: 1}
	t.c.Status = facts.Passed
	s.open[e.Nodeid] = t
	s.order = append(s.order, e.Nodeid)
	return t, nil
}

// report takes one phase of a test.
func (s *reportStream) report(e *pytestReport, at int64) error {
	t, err := s.item(e)
	if err != nil {
		return err
	}
	t.c.Duration += seconds(e.Duration)
	if e.When == "setup" && t.rerun {
		t.attempts++
		t.rerun, t.called, t.c.Status = false, false, facts.Passed
	}
	if e.When == "call" || e.Outcome != "passed" {
		t.called = true
	}
	switch e.Outcome {
	case "passed":
		if e.WasXFail != nil && e.When == "call" {
			t.xpassed = strings.TrimSuffix("passed although marked xfail: "+s.reason(e), ": ")
		}
	case "skipped":
		t.c.Status, t.c.Kind = worse(t.c.Status, facts.Skipped), "skip"
		t.c.Reason = s.reason(e)
		if e.WasXFail != nil {
			t.c.Kind = "xfail"
		}
	case "failed":
		f := s.longrepr(e.Longrepr)
		if f.Error = e.When != "call"; e.When == "setup" || e.When == "teardown" {
			f.Message = e.When + ": " + f.Message
		}
		t.c.Failures = s.hold(t.c.Failures, f)
		status := facts.Failed
		if f.Error {
			status = facts.Errored
		}
		t.c.Status = worse(t.c.Status, status)
	case "rerun":
		t.rerun = true
		t.earlier = s.hold(t.earlier, s.longrepr(e.Longrepr))
	default:
		t.c.Status = facts.StatusUnknown
		s.problem(facts.Malformed, "unknown_status", at, "a phase of %q has the outcome %q, which is not known", t.c.ID, clean64([]byte(e.Outcome)))
	}
	if e.When == "setup" || e.When == "call" || t.rerun {
		return nil
	}
	if e.When != "teardown" && e.When != "???" { // xdist reports the crash of a worker so
		s.problem(facts.Malformed, "unknown_event", at, "a report is of the phase %q, which is not known", clean64([]byte(e.When)))
	}
	s.close(e.Nodeid, t)
	return nil
}

// worse gives the status that hides nothing: pytest's own words for a test that failed and whose teardown did too.
func worse(a, b facts.Status) facts.Status {
	rank := map[facts.Status]int{facts.Passed: 0, facts.Skipped: 1, facts.Errored: 2, facts.Failed: 3, facts.StatusUnknown: 4}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

func (s *reportStream) subtest(e *pytestReport) error {
	t, err := s.item(e)
	if err != nil || e.Outcome == "passed" || e.Outcome == "skipped" {
		return err
	}
	t.c.Status = worse(t.c.Status, facts.Failed)
	t.c.Failures = s.hold(t.c.Failures, s.longrepr(e.Longrepr))
	return nil
}

// close keeps a test that has ended.
func (s *reportStream) close(id string, t *pytestItem) {
	delete(s.open, id)
	s.order = sift(s.order, s.open)
	s.release(t.c.Failures)
	s.release(t.earlier)
	s.ended++
	if !t.called {
		s.unrun++
		t.c.Status = facts.StatusUnknown
	}
	if t.attempts > 1 {
		t.c.Attempts = t.attempts
		t.c.Flaky = t.c.Status == facts.Passed
	}
	if t.c.Status != facts.Skipped {
		t.c.Kind, t.c.Reason = "", ""
	}
	if t.c.Status == facts.Passed {
		t.c.Reason = t.xpassed
	}
	t.c.Failures = append(t.c.Failures, t.earlier[:min(len(t.earlier), max(0, s.lim.failures-len(t.c.Failures)))]...)
	explained(&t.c, "pytest")
	s.add(t.c)
}

func (s *reportStream) reason(e *pytestReport) string {
	if e.WasXFail != nil {
		return firstLine(s.prose([]byte(*e.WasXFail), s.lim.message), s.lim.message)
	}
	var v []any
	if json.Unmarshal(e.Longrepr, &v) == nil && len(v) == 3 {
		text, _ := v[2].(string)
		return firstLine(s.prose([]byte(strings.TrimPrefix(text, "Skipped: ")), s.lim.message), s.lim.message)
	}
	return ""
}

// longrepr reads how pytest shows a failure: a text, or an object with the lines of each frame.
func (s *reportStream) longrepr(raw json.RawMessage) facts.Failure {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return s.failure(s.find, "", "", text)
	}
	var v struct {
		Reprcrash struct {
			Path, Message string
			Lineno        int
		}
		Reprtraceback struct {
			Reprentries []struct {
				Data struct {
					Lines       []string
					Reprfileloc *struct {
						Path, Message string
						Lineno        int
					}
				}
			}
		}
	}
	if json.Unmarshal(raw, &v) != nil {
		return s.failure(s.find, "", "", string(bytes.TrimSpace(raw)))
	}
	shown := clip{max: s.lim.text}
	where, kind := place{v.Reprcrash.Path, v.Reprcrash.Lineno}, ""
	for _, entry := range v.Reprtraceback.Reprentries {
		for _, line := range entry.Data.Lines {
			shown.Write([]byte(line + "\n")) // never fails
		}
		if at := entry.Data.Reprfileloc; at != nil {
			where, kind = place{at.Path, at.Lineno}, at.Message
			shown.Write([]byte("\n" + at.Path + ":" + strconv.Itoa(at.Lineno) + ": " + at.Message + "\n"))
		}
	}
	f := s.failure(s.find, v.Reprcrash.Message, kind, string(shown.bytes()))
	if where.file != "" {
		f.File, f.Line = s.word(s.label([]byte(where.file))), where.line
	}
	return f
}

func (s *reportStream) end() facts.Results {
	for _, id := range s.order {
		t, still := s.open[id]
		if !still {
			continue
		}
		t.called = true
		if len(t.c.Failures) == 0 {
			t.c.Failures = []facts.Failure{{Message: "it started and did not end", Error: true}}
		}
		t.c.Status = worse(t.c.Status, facts.Errored)
		s.close(id, t)
	}
	s.known(s.started+s.finished+s.ended, "pytest-reportlog")
	if s.events > 0 && (s.started != s.finished || s.started == 0) {
		s.problem(facts.Incomplete, "no_end", 0, "%d sessions of pytest started, and %d reached their end: something ended one early, such as an exit inside a test", s.started, s.finished)
	}
	if s.unrun > 0 {
		s.problem(facts.Incomplete, "not_run", 0, "%d tests were set up and never called (--setup-plan)", s.unrun)
	}
	var kinds []string
	for _, word := range slices.Sorted(maps.Keys(s.other)) {
		kinds = append(kinds, fmt.Sprintf("%q (%d)", word, s.other[word]))
	}
	if len(kinds) > 0 {
		s.note("not_understood", 0, "reports of kinds that are not known: %s", strings.Join(kinds, ", "))
	}
	shown := s.tally().bad > 0 || len(s.res.Outside) > 0
	for _, status := range s.status {
		switch {
		case status == 5: // no tests were collected
		case status == 2 && len(s.res.Outside) == 0, status == 3:
			s.problem(facts.Incomplete, "interrupted", 0, "the session ended with status %d: it was interrupted, or pytest itself failed", status)
		case !shown:
			s.problem(facts.Contradict, "success_false", 0, "the session ended with status %d, and no failure is listed", status)
		}
	}
	return s.finish(s.sound())
}
