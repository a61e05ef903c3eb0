package parsers

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"factgate/facts"
)

// junitCase is a testcase while it is read.
type junitCase struct {
	name, class, file string
	line              int // as written
	hasLine           bool
	duration          time.Duration
	words             []string // values of status= and result=

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
	output     string // of system-out and system-err, for writers that put the failure there
	unfinished bool   // the document ended, or went on, before its end tag
}

func (d *junitDoc) newCase(t *tag, at int64) *junitCase {
	k := &junitCase{name: d.label(t.get("name"))}
	k.class = d.word(d.label(or(t.get("classname"), t.get("class"))))
	k.file = d.word(d.label(or(t.get("file"), t.get("filepath"))))
	if n, err := strconv.Atoi(string(or(t.get("line"), t.get("lineno")))); err == nil && n >= 0 {
		k.line, k.hasLine = n, true
	}
	var odd bool
	if k.duration, odd = duration(string(or(t.get("time"), t.get("duration")))); odd {
		d.note("odd_time", d.at(at), "a time could not be read, or is none: %q", clean64(t.get("time")))
	}
	word := func(v []byte) { k.words = append(k.words, strings.ToLower(strings.TrimSpace(clean64(v)))) }
	t.all("status", word)
	t.all("result", word)
	return k
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
				s.failed = &junitCase{name: "(suite)"}
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
	f := facts.Failure{
		Message: d.prose(t.get("message"), d.lim.message), Type: d.word(d.label(t.get("type"))), Error: strings.HasSuffix(t.name, "error"),
		File: d.word(d.label(t.get("file"))),
	}
	f.Line, _ = strconv.Atoi(string(t.get("line"))) // 0 is unknown
	to := &c.found
	switch {
	case k == attempt:
		to = &c.retries
		if strings.HasPrefix(t.name, "flaky") {
			c.flaky++
		} else {
			c.reruns++
		}
	case f.Error:
		c.errors++
	default:
		c.failures++
	}
	if len(*to) < d.lim.failures {
		*to = append(*to, f)
		return c, len(*to) - 1
	}
	return c, -1
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
	if k.reason == "" {
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
	if o.kind == stream {
		if i := len(d.stack) - 2; i >= 0 && d.stack[i].single != nil && d.text.total > 0 {
			c := d.stack[i].single
			if len(c.found) > 0 || len(c.output) == 0 {
				c.output = string(d.text.bytes())
			}
		}
		return
	}
	c, i := o.about, o.index
	if c == nil || d.text.total == 0 {
		return
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
	s := d.owner()
	c := facts.Case{Name: k.name, File: k.file, Line: k.line, Duration: k.duration, Kind: k.kind, Reason: k.reason}
	d.name(&c, k, s)
	d.conclude(&c, k)
	if c.Status == facts.Failed || c.Status == facts.Errored || len(k.retries) > 0 {
		d.explain(&c, k)
	}
	t := tally{cases: 1, failures: k.failures + k.errors, retried: k.flaky + k.reruns}
	switch c.Status {
	case facts.Passed:
		t.passed = 1
	case facts.Skipped:
		t.skipped = 1
	default:
		t.bad = 1
	}
	if s != nil {
		s.own.plus(t)
	}
	d.add(c)
}

// conclude decides by severity: what stands in a case is stronger than its attributes, a failure stronger than anything.
func (d *junitDoc) conclude(c *facts.Case, k *junitCase) {
	said, kind, unknown := statusWords(k.words)
	switch {
	case k.errors > 0:
		c.Status = facts.Errored
	case k.failures > 0:
		c.Status = facts.Failed
	case k.unfinished:
		c.Status = facts.StatusUnknown
		d.problem(facts.Malformed, "unfinished_case", 0, "case %q was not closed: how it ended is not known", c.ID)
	case k.skip:
		c.Status = facts.Skipped
	case k.flaky+k.reruns > 0:
		c.Status, c.Flaky = facts.Passed, true
		if k.flaky == 0 {
			d.note("rerun_passed", 0, "case %q was run again and no final failure is listed: read as passed in the end", c.ID)
		}
	case k.off:
		c.Status = facts.Skipped
	case unknown != "":
		c.Status = facts.StatusUnknown
		d.problem(facts.Malformed, "unknown_status", 0, "case %q has the status %q, which is not known", c.ID, unknown)
	default:
		c.Status, c.Kind = said, kind
	}
	if n := k.flaky + k.reruns; n > 0 {
		c.Attempts = n + 1
	}
	bad := c.Status == facts.Failed || c.Status == facts.Errored
	switch {
	case bad && (k.skip || k.off):
		d.note("skipped_and_failed", 0, "case %q is listed as skipped and as failed: read as failed", c.ID)
	case bad && said == facts.Skipped:
		d.note("skipped_and_failed", 0, "case %q has the status %q and a failure: read as failed", c.ID, strings.Join(k.words, " "))
	case (c.Status == facts.Passed || c.Status == facts.Skipped) && (said == facts.Failed || said == facts.Errored):
		d.problem(facts.Contradict, "status_against_child", 0, "case %q has the status %q, but its element says %s", c.ID, strings.Join(k.words, " "), c.Status)
	}
	if !bad && c.Status != facts.Skipped {
		c.Kind, c.Reason = "", ""
	}
}

// statusWords reads the values of status= and result=: the worst of them, and the first that is not known.
func statusWords(words []string) (s facts.Status, kind, unknown string) {
	s = facts.Passed
	for _, w := range words {
		switch w {
		case "", "run", "passed", "pass", "ok", "success", "successful", "succeeded", "completed", "complete", "executed", "true":
		case "failed", "fail", "failure", "false", "not ok":
			if s != facts.Errored {
				s = facts.Failed
			}
		case "error", "errored", "broken", "crashed", "aborted", "timeout", "timedout", "timed_out":
			s = facts.Errored
		case "notrun", "not_run", "not run", "skipped", "skip", "suppressed", "disabled", "ignored", "pending", "todo", "xfail", "inconclusive":
			if s == facts.Passed {
				s = facts.Skipped
			}
			if kind = skipKind(w); w == "suppressed" {
				kind = "disabled"
			}
		default:
			if unknown == "" {
				unknown = w
			}
		}
	}
	return s, kind, unknown
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
		if f.Text == "" && f.Message == "" && k.output != "" {
			f.Text = d.prose([]byte(k.output), d.lim.text)
		}
		// gotestsum writes Failed for any failure, Rust's writers the place of the panic.
		if f.Message == "" || f.Message == "Failed" || strings.Contains(f.Message, "panicked at ") {
			if said := d.find.says(f.Text); said != "" || f.Message == "Failed" {
				f.Message = said
			}
		}
		if f.Message = firstLine(f.Message, d.lim.message); f.Message == "" {
			f.Message = cmp.Or(firstLine(f.Text, d.lim.message), f.Type)
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
		d.note("failures_cut", 0, "case %q has %d failures: %d are kept", c.ID, n, len(all))
	}
	c.Failures = all
}
