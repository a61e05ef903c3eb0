package parsers

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"factgate/facts"
)

// junitCase is a testcase while it is read.
type junitCase struct {
	id       []byte
	spelt    []byte // name, class and file as they are written, when the id is not made yet
	nameLen  int
	classLen int
	print    uint64 // of the identity
	nameFrom int    // where the name begins in id, -1 when it is in name
	name     string // when it is not the end of id
	file     wordID
	suite    wordID
	line     int
	duration time.Duration
	doubtful bool         // the duration may be a thousand times that
	said     facts.Status // by its attributes, where no child speaks
	saidKind string
	unknown  string   // the first value of status= and result= that is not known
	words    []string // those values, when one of them says more than that it ran

	found      []facts.Failure // kept failures and errors
	retries    []facts.Failure // kept failures of earlier attempts
	failures   int             // failure elements
	errors     int             // error elements
	flaky      int             // earlier attempts by the writer's word flaky…
	reruns     int             // and by its word rerun…
	skip       bool            // a skipped element
	off        bool            // a disabled or ignored element
	kind       string
	reason     string
	unfinished bool // the document ended, or went on, before its end tag
	silent     bool // node lists a file in which it saw no test
}

// caseAttrs are the attributes of a testcase as they are written, nil where they have no value.
type caseAttrs struct {
	name, class, file, line, time []byte
	said                          bool // status= or result= say more than that it ran
}

func (t *tag) caseAttrs() (c caseAttrs) {
	for i := range t.attrs {
		a := &t.attrs[i]
		if len(a.value) == 0 {
			continue
		}
		switch a.id {
		case aName:
			c.name = a.value
		case aClassname:
			c.class = a.value
		case aFile:
			c.file = a.value
		case aLine:
			c.line = a.value
		case aTime:
			c.time = a.value
		case aClass:
			c.class = or(c.class, a.value)
		case aFilepath:
			c.file = or(c.file, a.value)
		case aLineno:
			c.line = or(c.line, a.value)
		case aDuration:
			c.time = or(c.time, a.value)
		case aStatus, aResult:
			w, known := statusWord(string(a.value))
			c.said = c.said || !known || w != facts.Passed
		}
	}
	return c
}

// newCase opens a case.
func (d *junitDoc) newCase(t *tag, at int64) *junitCase {
	k := d.spare
	if d.spare = nil; k == nil {
		k = new(junitCase)
	}
	a := t.caseAttrs()
	*k = junitCase{id: k.id[:0], spelt: k.spelt[:0], said: facts.Passed, silent: d.silentFile(a)}
	if a.said {
		d.status(k, t)
	}
	if t.damned != "" {
		d.damned(t, at)
	}
	d.describe(k, a, at)
	return k
}

// describe gives a case what its attributes say but for how it ended.
func (d *junitDoc) describe(k *junitCase, a caseAttrs, at int64) {
	k.duration, k.doubtful = d.time(a.time, at)
	hasLine := false
	if k.line = 0; a.line != nil {
		if n, err := strconv.Atoi(string(a.line)); err == nil && n >= 0 {
			k.line, hasLine = n, true
		}
	}
	d.identity(k, a, hasLine)
}

// isBrief reports whether what a case is called can be kept briefly.
func (k *junitCase) isBrief() bool {
	return k.nameFrom >= 0 && len(k.id) > 0 && len(k.id) <= math.MaxUint16
}

func (k *junitCase) brief() brief {
	return brief{
		name: uint16(len(k.id) - k.nameFrom), suite: k.suite, file: k.file, line: int32(min(k.line, math.MaxInt32)), duration: k.duration, doubtful: k.doubtful,
	}
}

func or(a, b []byte) []byte {
	if len(a) > 0 {
		return a
	}
	return b
}

// clean64 is the beginning of a value, for a word or a message.
func clean64(b []byte) string {
	return strings.ToValidUTF8(string(b[:min(len(b), 64)]), "\ufffd")
}

// speak takes a child of a case that says how it ended. Where no case is open it speaks for the suite.
func (d *junitDoc) speak(t *tag, k kind) (c *junitCase, index int) {
	for i := len(d.stack) - 1; i >= 0; i-- {
		if d.stack[i].single != nil {
			c = d.stack[i].single
			break
		}
		if s := d.stack[i].suite; s != nil {
			if k != failure {
				d.note("suite_skipped", 0, "<%s> stands in a suite, outside any case", t.name)
				return nil, -1
			}
			if s.failed == nil {
				s.failed = new(junitCase)
			}
			c = s.failed
			break
		}
	}
	if c == nil {
		return nil, -1
	}
	if k == skipped {
		c.skipped(d, t)
		return c, -1
	}
	to := &c.found
	isError := strings.HasSuffix(t.name, "error")
	switch {
	case k == attempt:
		to = &c.retries
		if strings.HasPrefix(t.name, "flaky") {
			c.flaky++
		} else {
			c.reruns++
		}
	case isError:
		c.errors++
	default:
		c.failures++
	}
	if d.lim.counts || len(*to) >= d.lim.failures || k == failure && d.bad >= d.lim.bad { // nothing of it will be kept
		return c, -1
	}
	f := facts.Failure{
		Message: d.prose(t.get("message"), d.lim.message), Type: d.word(d.label(t.get("type"))), Error: isError,
		File: d.word(d.label(t.get("file"))),
	}
	f.Line, _ = strconv.Atoi(string(t.get("line"))) // 0 is unknown
	*to = append(*to, f)
	return c, len(*to) - 1
}

// skipped takes <skipped>, <disabled> or <ignored>.
func (k *junitCase) skipped(d *junitDoc, t *tag) {
	if t.name == "skipped" {
		k.skip = true
		k.kind = skipKind(strings.ToLower(clean64(t.get("type"))))
	} else {
		k.off = true
		if k.kind == "" {
			k.kind = t.name
		}
	}
	if k.reason == "" && !d.counting() {
		k.reason = d.prose(t.get("message"), d.lim.message)
	}
}

func skipKind(word string) string {
	for _, k := range []string{"xfail", "todo", "disabled", "ignored"} {
		if strings.Contains(word, k) {
			return k
		}
	}
	return "skip"
}

// childText takes the text of an element that speaks for a case, at its end.
func (d *junitDoc) childText(o *open) {
	c, i := o.about, o.index
	if c == nil || o.to == nil || d.text.total == 0 {
		return
	}
	if d.text.total > int64(d.lim.text) {
		d.note("text_cut", 0, "a text of %d bytes was cut to its head and tail", d.text.total)
	}
	switch {
	case o.kind == skipped && c.reason == "":
		c.reason = d.prose(d.text.bytes(), d.lim.message)
	case o.kind == failure && i >= 0:
		c.found[i].Text = d.prose(d.text.bytes(), d.lim.text)
	case o.kind == attempt && i >= 0:
		c.retries[i].Text = d.prose(d.text.bytes(), d.lim.text)
	}
}

// endCase concludes how a case ended and keeps it.
func (d *junitDoc) endCase(k *junitCase) {
	status, kind := d.conclude(k)
	t := tally{cases: 1, failures: k.failures + k.errors, retried: k.flaky + k.reruns}
	switch status {
	case facts.Passed:
		t.passed = 1
	case facts.Skipped:
		t.skipped = 1
	default:
		t.bad = 1
	}
	if s := d.owner(); s != nil {
		s.own.plus(t)
	}
	d.print(k.print)
	flaky := status == facts.Passed && t.retried > 0
	switch {
	case d.lim.counts:
		d.dropped.Add(&facts.Case{Status: status, Flaky: flaky})
	case status != facts.Passed && status != facts.Skipped && d.bad >= d.lim.bad:
		d.collector.room(status, len(k.id)) // says that there is none
		d.dropped.Add(&facts.Case{Status: status})
	case status == facts.Passed && t.retried == 0 && k.isBrief():
		d.keepBrief(k.brief(), k.id)
	default:
		c := facts.Case{
			ID: string(k.id), Name: k.name, Suite: d.known[k.suite], File: d.known[k.file], Line: k.line, Status: status, Kind: kind,
			Flaky: flaky, Duration: k.duration,
		}
		if k.nameFrom >= 0 {
			c.Name = c.ID[k.nameFrom:] // one copy of the bytes
		}
		if t.retried > 0 {
			c.Attempts = t.retried + 1
		}
		bad := status == facts.Failed || status == facts.Errored
		if bad || status == facts.Skipped {
			c.Reason = k.reason
		}
		if bad || len(k.retries) > 0 {
			d.explain(&c, k)
		}
		d.keepFull(c, k.doubtful)
	}
	d.output.reset()
	d.spare = k
}

// conclude decides by severity: what stands in a case is stronger than its attributes, a failure stronger than anything.
func (d *junitDoc) conclude(k *junitCase) (s facts.Status, kind string) {
	said := k.said
	switch kind = k.kind; {
	case k.errors > 0:
		s = facts.Errored
	case k.failures > 0:
		s = facts.Failed
	case k.unfinished:
		d.problem(facts.Malformed, "unfinished_case", 0, "case %q was not closed: how it ended is not known", d.called(k))
	case k.flaky+k.reruns > 0:
		if s = facts.Passed; k.skip || k.off {
			d.note("skipped_and_flaky", 0, "case %q is listed as skipped and as failed in earlier attempts: read as passed in the end", d.called(k))
		}
		if k.flaky == 0 {
			d.note("rerun_passed", 0, "case %q was run again and no final failure is listed: read as passed in the end", d.called(k))
		}
	case k.skip, k.off:
		s = facts.Skipped
	case k.unknown != "":
		d.problem(facts.Malformed, "unknown_status", 0, "case %q has the status %q, which is not known", d.called(k), k.unknown)
	case k.silent && said == facts.Passed:
		s, kind, k.reason = facts.Skipped, "skip", noTestSeen
		d.silent++
	default:
		s, kind = said, k.saidKind
	}
	bad := s == facts.Failed || s == facts.Errored
	switch {
	case bad && (k.skip || k.off):
		d.note("skipped_and_failed", 0, "case %q is listed as skipped and as failed: read as failed", d.called(k))
	case bad && said == facts.Skipped:
		d.note("skipped_and_failed", 0, "case %q has the status %q and a failure: read as failed", d.called(k), strings.Join(k.words, " "))
	case (s == facts.Passed || s == facts.Skipped) && (said == facts.Failed || said == facts.Errored):
		d.problem(facts.Contradict, "status_against_child", 0, "case %q has the status %q, but its element says %s", d.called(k), strings.Join(k.words, " "), s)
	}
	if !bad && s != facts.Skipped {
		kind = ""
	}
	return s, kind
}

// explain gives a case its failures: every one, the worst first, with the place where each happened.
func (d *junitDoc) explain(c *facts.Case, k *junitCase) {
	all := append(k.found, k.retries...)
	if len(all) == 0 {
		all = []facts.Failure{{Message: "status " + strconv.Quote(strings.Join(k.words, " ")), Error: c.Status == facts.Errored}}
	}
	for i := range all {
		f := &all[i]
		if f.Text == "" && strings.Contains(f.Message, "\n") {
			f.Text = f.Message
		}
		if f.Text == "" && f.Message == "" && d.output.total > 0 {
			f.Text = d.prose(d.output.bytes(), d.lim.text)
		}
		// gotestsum writes Failed for any failure, Rust's writers the place of the panic.
		if f.Message == "" || f.Message == "Failed" || strings.Contains(f.Message, "panicked at ") {
			if said := d.find.says(f.Text); said != "" || f.Message == "Failed" {
				f.Message = said
			}
		}
		if f.Message = headline(f.Message, c, d.lim.message); f.Message == "" {
			f.Message = cmp.Or(headline(f.Text, c, d.lim.message), f.Type)
		}
		d.find.locate(f)
	}
	slices.SortStableFunc(all, func(a, b facts.Failure) int {
		switch {
		case a.Error == b.Error:
			return 0
		case a.Error:
			return -1
		}
		return 1
	})
	if n := k.failures + k.errors + k.flaky + k.reruns; n > len(all) && n > d.lim.failures {
		d.note("failures_cut", 0, "case %q has %d failures: %d are kept", k.id, n, len(all))
	}
	c.Failures = all
}

// headline gives the first line that says something: googletest, Catch2, bats and PHPUnit begin with the place, a mark
// or the name of the case.
func headline(text string, c *facts.Case, max int) string {
	for rest := text; rest != ""; {
		line, after, _ := strings.Cut(rest, "\n")
		rest = after
		switch s := strings.TrimSpace(line); {
		case s == "", s == "FAILED:", s == "Failure:", s == "unknown file", strings.HasPrefix(s, "(in test file "):
		case strings.HasSuffix(s, c.Name) && strings.HasPrefix(s, c.Suite) && strings.Contains(s, "::"):
		case placeOnly(s):
		default:
			return firstLine(line, max)
		}
	}
	return firstLine(text, max)
}

// placeOnly reports whether a line is a place and nothing else.
func placeOnly(line string) bool {
	p := named(line)
	return p.file != "" && line == p.file+":"+strconv.Itoa(p.line)
}
