package parsers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"factgate/facts"
)

// jsonFile is a results file that is one JSON document, while it is read.
type jsonFile struct {
	*collector
	tokens
	find  *finders
	src   *source
	short *shorten
}

func newJSONFile(r io.Reader, lim limits) jsonFile {
	src := newSource(r, lim.input)
	c := newCollector(lim)
	short := newShorten(plainText(src, c), lim.value)
	return jsonFile{c, newTokens(short), patterns(), src, short}
}

// read calls f at the beginning of the document and notes how it ended. closed says that it was read to its own end;
// the error is the reader's.
func (j *jsonFile) read(f func() error) (closed bool, err error) {
	broken := f()
	extra := broken == nil && !j.ended()
	if j.src.err != nil {
		return false, j.src.err
	}
	if j.src.over {
		j.problem(facts.Malformed, "too_large", 0, "the file is longer than %d bytes", j.lim.input)
	}
	if j.short.cut > 0 {
		j.note("texts_cut", 0, "%d texts were longer than %d bytes and were cut", j.short.cut, j.lim.value)
	}
	offset := j.short.offset
	switch {
	case extra:
		j.problem(facts.Malformed, "text_after_end", j.InputOffset(), "something follows the end of the document")
	case broken == nil:
	case errors.Is(broken, io.EOF) && offset == 0:
		j.problem(facts.Malformed, "empty", 0, "there is nothing in the file")
	case errors.Is(broken, io.EOF), errors.Is(broken, io.ErrUnexpectedEOF):
		j.problem(facts.Truncated, "truncated", offset, "cut off at byte %d", offset)
	default:
		j.problem(facts.Malformed, "broken_json", j.InputOffset(), "%v", broken)
	}
	return broken == nil, nil
}

// jsonLines is a results file whose lines are JSON objects, while it is read.
type jsonLines struct {
	*collector
	find   *finders
	lines  int // that are not blank
	events int // of them JSON objects
	live   int // bytes of failures held for tests that have not ended
}

// hold adds a failure to those of a test that has not ended, since any number may run at once.
func (s *jsonLines) hold(to []facts.Failure, f facts.Failure) []facts.Failure {
	if len(to) >= s.lim.failures {
		s.note("failures_cut", 0, "a test has more than %d failures: the rest is left out", s.lim.failures)
		return to
	}
	if s.live += len(f.Message) + len(f.Text); s.live > s.lim.texts {
		s.live -= len(f.Text)
		f.Text = ""
		s.note("texts_cut", 0, "the failures of the tests that run at once are longer than %d bytes: texts are left out", s.lim.texts)
	}
	return append(to, f)
}

// release lets go what was held for a test.
func (s *jsonLines) release(fs []facts.Failure) {
	for i := range fs {
		s.live -= len(fs[i].Message) + len(fs[i].Text)
	}
}

// sift drops from the order of what was opened that which is open no more, when there is much of it.
func sift[K comparable, V any](order []K, open map[K]V) []K {
	if len(order) <= 2*len(open)+1000 {
		return order
	}
	kept := order[:0]
	for _, k := range order {
		if _, still := open[k]; still {
			kept = append(kept, k)
		}
	}
	return kept
}

// tooMany is the error of a stream in which more is open at once than can be followed.
func tooMany(what string, max int) error {
	return unexpected{fmt.Sprintf("more than %d %s have not ended", max, what)}
}

func newJSONLines(lim limits) jsonLines {
	return jsonLines{collector: newCollector(lim), find: patterns()}
}

// read calls event with each object. What event says of one is a problem of that line; the error is the reader's. A
// line that begins with one of the words in light and is too long to be read is left out, since it says nothing of how
// a test ended.
func (s *jsonLines) read(r io.Reader, event func(line []byte, at int64) error, light ...string) error {
	src := newSource(r, s.lim.input)
	l := newLines(plainText(src, s.collector), s.lim)
	for {
		line, ok := l.next()
		if !ok {
			break
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		s.lines++
		switch {
		case line[0] != '{' && eventLike(line):
			s.problem(facts.Malformed, "broken_line", l.at, "line %d: what looks like an event does not begin as one: %q", s.lines, firstLine(s.prose(line, s.lim.message), 200))
		case line[0] != '{':
			s.note("text_in_stream", l.at, "a line is not JSON: %q", firstLine(s.prose(line, s.lim.message), 200))
		case l.long && begins(line, light):
			s.note("line_left_out", l.at, "a line longer than %d bytes was left out; it is of a kind that says nothing of outcomes", s.lim.line)
		case l.long:
			s.problem(facts.Malformed, "line_too_long", l.at, "an event is longer than %d bytes", s.lim.line)
		case !l.whole && !json.Valid(line):
			s.problem(facts.Truncated, "truncated", l.at, "cut off inside the line that begins at byte %d", l.at)
		default:
			if err := event(line, l.at); err != nil {
				s.problem(facts.Malformed, "broken_line", l.at, "line %d: %v", s.lines, err)
				break
			}
			s.events++
		}
	}
	if src.err != nil {
		return src.err
	}
	if src.over {
		s.problem(facts.Malformed, "too_large", 0, "the file is longer than %d bytes", s.lim.input)
	}
	if l.r.cut > 0 {
		s.note("texts_cut", 0, "%d texts were longer than %d bytes and were cut", l.r.cut, s.lim.value)
	}
	return nil
}

// eventLike reports whether a line that is no JSON object holds an event of a stream: one that lost its first byte, or one
// behind what a program printed without a line end. Those of libtest stand between what tests print, and its totals say
// what is missing.
func eventLike(line []byte) bool {
	if line[len(line)-1] != '}' {
		return false
	}
	whole := append([]byte("{"), line...)
	if i := bytes.IndexByte(line, '{'); i >= 0 && !json.Valid(whole) {
		whole = line[i:]
	}
	var e map[string]json.RawMessage
	if json.Unmarshal(whole, &e) != nil {
		return false
	}
	has := func(key string) bool { _, ok := e[key]; return ok }
	if len(e) == 1 {
		for key := range e {
			return strings.HasPrefix(key, "test") || key == "pickle" || key == "parseError" || key == "hook" // of Cucumber
		}
	}
	return has("$report_type") || has("type") && has("time") || has("Action") && (has("Package") || has("ImportPath"))
}

func begins(line []byte, words []string) bool {
	for _, w := range words {
		if bytes.HasPrefix(line, []byte(w)) {
			return true
		}
	}
	return false
}

// known says that the stream is of the format when it holds one of the format's events.
func (s *jsonLines) known(events int, what string) {
	switch {
	case s.lines == 0:
		s.problem(facts.Malformed, "empty", 0, "there is nothing in the file")
	case events == 0:
		s.problem(facts.Malformed, "no_event", 0, "there is no event of %s in the file", what)
	}
}

// named gives a case its identity: the file, the titles above it, its own name.
func (c *collector) named(file string, above []string, name string) facts.Case {
	k := facts.Case{File: c.word(c.label([]byte(file)))}
	parts := append(append(make([]string, 0, len(above)+2), file), above...)
	if file == "" {
		parts = parts[1:]
	}
	k.ID = c.label([]byte(strings.Join(append(parts, name), separator)))
	k.Name = c.label([]byte(name))
	if strings.HasSuffix(k.ID, k.Name) {
		k.Name = k.ID[len(k.ID)-len(k.Name):]
	}
	k.Suite = c.word(c.label([]byte(strings.Join(above, separator))))
	return k
}

// failure makes a failure of what a writer says about it. Where it gives no message the first line of the text stands
// for it, and where it says no place the text is searched for one.
func (c *collector) failure(find *finders, message, kind, text string) facts.Failure {
	f := facts.Failure{Type: c.word(c.label([]byte(kind))), Text: find.withoutJest(c.prose([]byte(text), c.lim.text))}
	whole := c.prose([]byte(message), c.lim.text)
	f.Message = firstLine(whole, c.lim.message)
	switch {
	case f.Text == "" && strings.Contains(strings.TrimSpace(whole), "\n"):
		f.Text = whole
	case f.Message == "":
		f.Message = firstLine(f.Text, c.lim.message)
	}
	find.locate(&f)
	return f
}

// explained makes sure that a case which did not pass says why: what is missing is said.
func explained(k *facts.Case, who string) {
	bad := k.Status == facts.Failed || k.Status == facts.Errored
	if bad && len(k.Failures) == 0 {
		k.Failures = []facts.Failure{{Message: k.Status.String() + ", and " + who + " gives no message", Error: k.Status == facts.Errored}}
	}
	for i := range k.Failures {
		if k.Failures[i].Message == "" {
			k.Failures[i].Message = who + " gives no message"
		}
	}
}

// outsideOf makes a failure outside cases of what a writer says about it.
func (c *collector) outsideOf(find *finders, kind facts.OutsideKind, where, message, text string) facts.Outside {
	f := c.failure(find, message, "", text)
	if f.Message == "" {
		f.Message = "it failed, and nothing is said about it"
	}
	return facts.Outside{Kind: kind, Where: c.label([]byte(where)), Message: f.Message, Text: f.Text, File: f.File, Line: f.Line}
}

// compare holds a total that a writer states against what it listed, where it counts in the same way. -1 is no total.
func (c *collector) compare(who, what string, claim, listed int) {
	switch {
	case claim > listed:
		c.problem(facts.Contradict, "claims_above_counts", 0, "%s counts %d %s, but %d are listed", who, claim, what, listed)
	case claim >= 0 && claim < listed:
		c.note("claims_below_counts", 0, "%s counts %d %s, and %d are listed", who, claim, what, listed)
	}
}

// tally counts all cases, those that were not kept included.
func (c *collector) tally() tally {
	n := facts.Count(c.res.Cases)
	all := tally{cases: n.Cases + c.dropped.Cases, passed: n.Passed + c.dropped.Passed, skipped: n.Skipped + c.dropped.Skipped}
	all.bad = all.cases - all.passed - all.skipped
	return all
}

// sound reports whether nothing was cut off, missing or not understood.
func (c *collector) sound() bool {
	for _, p := range c.res.Problems {
		if p.Weight == facts.Truncated || p.Weight == facts.Incomplete || p.Weight == facts.Malformed {
			return false
		}
	}
	return true
}
