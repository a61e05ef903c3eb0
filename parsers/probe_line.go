package parsers

import (
	"encoding/hex"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"factgate/facts"
)

// line reads one line of the stream.
func (s *probeStream) line(line []byte, l *lines) {
	s.lines++
	if l.long {
		s.problem(facts.Malformed, "line_too_long", l.at, "line %d is longer than %d bytes", s.lines, s.lim.line)
		return
	}
	var head struct {
		E string `json:"e"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		if !l.whole {
			s.problem(facts.Truncated, "truncated", l.at, "cut off inside line %d, which begins at byte %d", s.lines, l.at)
			return
		}
		s.problem(facts.Malformed, "broken_line", l.at, "line %d: %v", s.lines, err)
		return
	}
	if s.lines == 1 && head.E != "start" && head.E != "nested" {
		s.problem(facts.Malformed, "no_start", 0, "the stream does not begin with its start")
	}
	if s.out.Process.Ended || s.out.Nested {
		s.problem(facts.Malformed, "event_after_end", l.at, "line %d follows the end", s.lines)
	}
	if err := s.event(head.E, line, l.at); err != nil {
		s.problem(facts.Malformed, "broken_line", l.at, "line %d: %v", s.lines, err)
	}
}

// event reads a line of a known kind.
func (s *probeStream) event(kind string, line []byte, at int64) error {
	switch kind {
	case "start":
		return s.start(line, at)
	case "case":
		return s.oneCase(line)
	case "outside":
		return s.oneOutside(line, at)
	case "problem":
		return s.oneProblem(line, at)
	case "note":
		var v struct{ Text string }
		err := json.Unmarshal(line, &v)
		s.res.Problems = append(s.res.Problems, s.said("note", v.Text, facts.Note, at)...)
		return err
	case "planned":
		var v struct{ N *int }
		if err := json.Unmarshal(line, &v); err != nil || v.N == nil {
			return unless(err, "planned without n")
		}
		s.planned = max(*v.N, 0)
	case "claims":
		return s.claim(line)
	case "results":
		return s.attach(line, at)
	case "packages":
		var v struct{ Folders map[string]string }
		if err := json.Unmarshal(line, &v); err != nil {
			return err
		}
		s.out.Folders = v.Folders
	case "nested":
		s.out.Nested, s.out.Process.Nested = true, true
	case "end":
		return s.ended(line)
	default:
		s.problem(facts.Malformed, "unknown_event", at, "line %d holds an event %q, which is not known", s.lines, clean64([]byte(kind)))
	}
	return nil
}

// ended takes the end. A runner with one status for everything may add its meaning, which cannot make it clean.
func (s *probeStream) ended(line []byte) error {
	var v struct {
		Status  *int
		Meaning string
		Seal    string
	}
	if err := json.Unmarshal(line, &v); err != nil || v.Status == nil {
		return unless(err, "end without a status")
	}
	p := &s.out.Process
	p.Ended, p.Code = true, *v.Status
	s.out.Seal, s.out.sum = v.Seal, hex.EncodeToString(s.sum.Sum(nil))
	var m facts.Meaning
	if v.Meaning != "" && p.Code != 0 && m.UnmarshalText([]byte(v.Meaning)) == nil && m != facts.Clean {
		p.Meaning = m
	}
	return nil
}

func unless(err error, text string) error {
	if err != nil {
		return err
	}
	return unexpected{text}
}

func (s *probeStream) start(line []byte, at int64) error {
	var v struct {
		V       int
		Runner  string
		Argv    []string
		Dir     string
		Version string
	}
	if err := json.Unmarshal(line, &v); err != nil {
		return err
	}
	if s.lines > 1 {
		s.problem(facts.Malformed, "second_start", at, "line %d starts the stream again: two processes wrote into one file", s.lines)
		return nil
	}
	if v.V != probeVersion {
		s.problem(facts.Malformed, "unknown_version", at, "the stream is of version %d, and only %d is known", v.V, probeVersion)
	}
	p := &s.out.Process
	p.Runner, p.Dir, p.Version = s.label([]byte(v.Runner)), s.prose([]byte(v.Dir), s.lim.message), s.label([]byte(v.Version))
	for i, a := range v.Argv {
		if i == s.lim.attrs {
			s.note("argv_cut", at, "the command has %d words: %d are kept", len(v.Argv), i)
			break
		}
		p.Argv = append(p.Argv, s.prose([]byte(a), s.lim.message))
	}
	return nil
}

func (s *probeStream) oneCase(line []byte) error {
	var v struct {
		ID, Name, Suite, File, Status, Kind, Reason string
		Line, Attempts                              int
		MS                                          float64
		Flaky, Cached                               bool
		Failures                                    []facts.Failure
	}
	err := json.Unmarshal(line, &v)
	if err != nil && v.ID == "" {
		return err
	}
	c := facts.Case{
		ID: s.label([]byte(v.ID)), Name: s.label([]byte(v.Name)), Suite: s.word(s.label([]byte(v.Suite))), File: s.word(s.label([]byte(v.File))),
		Line: max(v.Line, 0), Duration: ms(v.MS), Flaky: v.Flaky, Cached: v.Cached,
	}
	if v.Attempts > 1 {
		c.Attempts = v.Attempts
	}
	if strings.HasSuffix(c.ID, c.Name) {
		c.Name = c.ID[len(c.ID)-len(c.Name):]
	}
	if c.ID == "" {
		s.problem(facts.Malformed, "no_name", 0, "the case in line %d has no id", s.lines)
	}
	if c.Status.UnmarshalText([]byte(v.Status)) != nil || c.Status == facts.StatusUnknown {
		c.Status = facts.StatusUnknown
		s.problem(facts.Malformed, "unknown_status", 0, "case %q has the status %q, which is not known", c.ID, clean64([]byte(v.Status)))
	}
	c.Reason = s.prose([]byte(v.Reason), s.lim.message)
	if c.Status == facts.Skipped {
		c.Kind = s.word(s.label([]byte(v.Kind)))
	}
	for i := range v.Failures {
		if i == s.lim.failures {
			s.note("failures_cut", 0, "case %q has %d failures: %d are kept", c.ID, len(v.Failures), i)
			break
		}
		c.Failures = append(c.Failures, s.failure(&v.Failures[i]))
	}
	bad := c.Status == facts.Failed || c.Status == facts.Errored
	switch {
	case len(c.Failures) > 0 && (c.Status == facts.Passed && !c.Flaky):
		s.problem(facts.Contradict, "status_against_failure", 0, "case %q is passed and has failures", c.ID)
	case bad && len(c.Failures) == 0:
		c.Failures = []facts.Failure{{Message: c.Status.String() + ", and the runner gives no message", Error: c.Status == facts.Errored}}
	}
	s.add(c)
	return err
}

func (s *probeStream) failure(v *facts.Failure) facts.Failure {
	f := facts.Failure{
		Message: firstLine(s.prose([]byte(v.Message), s.lim.message), s.lim.message), Type: s.word(s.label([]byte(v.Type))),
		Text: s.prose([]byte(v.Text), s.lim.text), File: s.word(s.label([]byte(v.File))), Line: max(v.Line, 0), Error: v.Error,
	}
	if f.Text == "" && strings.Contains(v.Message, "\n") {
		f.Text = s.prose([]byte(v.Message), s.lim.text)
	}
	if f.Message == "" {
		f.Message = firstLine(f.Text, s.lim.message)
	}
	s.find.locate(&f)
	return f
}

func (s *probeStream) oneOutside(line []byte, at int64) error {
	var v struct {
		Kind, Where, Message, Text, File string
		Line                             int
	}
	err := json.Unmarshal(line, &v)
	o := facts.Outside{
		Where: s.prose([]byte(v.Where), s.lim.message), Message: s.prose([]byte(v.Message), s.lim.message), Text: s.prose([]byte(v.Text), s.lim.text),
		File: s.label([]byte(v.File)), Line: max(v.Line, 0),
	}
	if o.Kind.UnmarshalText([]byte(v.Kind)) != nil {
		s.problem(facts.Malformed, "unknown_event", at, "a failure outside tests is of the kind %q, which is not known", clean64([]byte(v.Kind)))
	}
	s.outside(o)
	return err
}

// oneProblem takes a problem that the probe itself saw. A weight that is not known is the heaviest.
func (s *probeStream) oneProblem(line []byte, at int64) error {
	var v struct{ Code, Detail, Weight string }
	err := json.Unmarshal(line, &v)
	w := facts.Malformed
	if w.UnmarshalText([]byte(v.Weight)) != nil {
		w = facts.Malformed
	}
	s.res.Problems = append(s.res.Problems, s.said(v.Code, v.Detail, w, at)...)
	return err
}

// said is a problem or note in the probe's own words, unless there are too many of them.
func (s *probeStream) said(code, detail string, w facts.Weight, at int64) []facts.Problem {
	code, detail = s.label([]byte(code)), s.prose([]byte(detail), s.lim.message)
	if code == "" {
		code = "probe"
	}
	if len(s.res.Problems) >= s.lim.problems {
		s.times[problemKind{"too_many_problems", w}]++
		if s.times[problemKind{"too_many_problems", w}] > 1 {
			return nil
		}
		code, detail = "too_many_problems", "the probe reports more problems than are kept; the first that was left out: "+code+": "+detail
	}
	return []facts.Problem{{Code: code, Detail: detail, Weight: w, Offset: at}}
}

func (s *probeStream) claim(line []byte) error {
	var v struct{ Tests, Passed, Failures, Errors, Skipped *int }
	if err := json.Unmarshal(line, &v); err != nil {
		return err
	}
	n := func(p *int) int {
		if p == nil {
			return -1
		}
		return max(*p, 0)
	}
	s.claims = s.claims.plus(claimed{n(v.Tests), n(v.Passed), n(v.Failures), n(v.Errors), n(v.Skipped)})
	return nil
}

// attach takes the name of a results file beside the stream. A name that leads elsewhere is refused.
func (s *probeStream) attach(line []byte, at int64) error {
	var v struct{ Format, File, SHA256 string }
	if err := json.Unmarshal(line, &v); err != nil {
		return err
	}
	_, known := Lookup(v.Format)
	if !known || v.Format == "probe" || v.File == "" || v.File != path.Base(v.File) || strings.ContainsAny(v.File, "/\\:\x00") || v.File == "." || v.File == ".." {
		s.problem(facts.Malformed, "bad_attachment", at, "line %d names a results file %q of format %q", s.lines, clean64([]byte(v.File)), clean64([]byte(v.Format)))
		return nil
	}
	if len(s.out.Attach) >= s.lim.problems {
		s.problem(facts.Malformed, "bad_attachment", at, "more than %d results files are named", len(s.out.Attach))
		return nil
	}
	s.out.Attach = append(s.out.Attach, Attachment{v.Format, v.File, v.SHA256})
	return nil
}

// end says what the stream as a whole shows.
func (s *probeStream) end() Stream {
	if s.lines == 0 {
		s.problem(facts.Malformed, "empty", 0, "there is nothing in the file")
	}
	p := &s.out.Process
	switch {
	case s.out.Nested:
		s.note("nested", 0, "%s was started by a test of another runner: its results are not counted", or([]byte(p.Runner), []byte("a runner")))
	case !p.Ended && s.lines > 0:
		s.problem(facts.Incomplete, "no_end", 0, "%s started and never reached its end: something ended it early, such as an exit inside a test or a set-up file",
			or([]byte(p.Runner), []byte("the runner")))
	}
	all := s.tally()
	s.hold(all)
	// Where the stream says already why there is less, that is the reason.
	said := slices.ContainsFunc(s.res.Problems, func(x facts.Problem) bool { return x.Weight.Blocking() })
	if s.planned > all.cases && p.Ended && p.Code == 0 && len(s.out.Attach) == 0 && !said {
		s.problem(facts.Contradict, "planned_above_cases", 0, "the runner planned %d cases and listed %d, and ended as if all was well", s.planned, all.cases)
	}
	if s.claims.tests < 0 {
		s.claims.tests = s.planned
	}
	s.res.Claims = s.claims.facts()
	complete := s.out.Nested || p.Ended
	for _, x := range s.res.Problems {
		complete = complete && x.Weight != facts.Truncated && x.Weight != facts.Incomplete && x.Weight != facts.Malformed
	}
	s.out.Results = s.finish(complete)
	return s.out
}

// hold compares the runner's totals with the cases. They are our own probe's, so that they count what is listed.
func (s *probeStream) hold(all tally) {
	for _, x := range []struct {
		what          string
		claim, listed int
	}{
		{"cases", s.claims.tests, all.cases},
		{"passed cases", s.claims.passed, all.passed},
		{"failed and errored cases", sum(s.claims.failures, s.claims.errors), all.bad},
	} {
		s.compare("the runner", x.what, x.claim, x.listed)
	}
}

// sum adds two totals of which either may be unknown (-1).
func sum(a, b int) int {
	if a < 0 && b < 0 {
		return -1
	}
	return max(a, 0) + max(b, 0)
}
