package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf16"

	"factgate/facts"
)

// specVersion is the version of https://github.com/ctrf-io/ctrf/blob/main/spec/ctrf.md that CTRF writes.
const specVersion = "1.0.0"

// CTRF writes results in the Common Test Report Format (https://ctrf.io, schema/ctrf.schema.json of ctrf-io/ctrf), one test
// a line. version is factgate's own. Durations are in whole milliseconds. The facts hold no clock time, which the format
// demands: a run starts at 0 and stops after the sum of its cases' durations.
//
// filePath is given where it begins the id, so that filePath, suite and name spell the id together; else the file is in
// extra. rawStatus is factgate's word, which tells an error from a failure and the kinds of skips apart. The error is that
// of w.
func CTRF(w io.Writer, r facts.Results, version string) error {
	cases := listed(&r)
	var sum ctrfSummary
	var total time.Duration
	for i := range cases {
		sum.add(&cases[i])
		total += cases[i].Duration
	}
	sum.Stop = total.Milliseconds()
	out := &lineWriter{w: w}
	out.raw(`{"reportFormat":"CTRF","specVersion":`)
	out.json(specVersion)
	out.raw(`,"generatedBy":"factgate","results":{"tool":`)
	out.json(struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}{"factgate", version})
	out.raw(`,"summary":`)
	out.json(sum)
	out.raw(`,"tests":[`)
	for i := range cases {
		if i > 0 {
			out.raw(",")
		}
		out.raw("\n")
		out.json(ctrfCase(&cases[i]))
	}
	out.raw("\n]}}\n")
	return out.err
}

type ctrfSummary struct {
	Tests   int   `json:"tests"`
	Passed  int   `json:"passed"`
	Failed  int   `json:"failed"`
	Skipped int   `json:"skipped"`
	Pending int   `json:"pending"`
	Other   int   `json:"other"`
	Flaky   int   `json:"flaky"`
	Start   int64 `json:"start"`
	Stop    int64 `json:"stop"`
}

func (n *ctrfSummary) add(c *facts.Case) {
	n.Tests++
	switch status, _ := ctrfStatus(c); status {
	case "passed":
		n.Passed++
	case "failed":
		n.Failed++
	case "skipped":
		n.Skipped++
	case "pending":
		n.Pending++
	default:
		n.Other++
	}
	if c.Flaky {
		n.Flaky++
	}
}

type ctrfTest struct {
	TestID        string         `json:"testId,omitempty"`
	Name          string         `json:"name"`
	Status        string         `json:"status"`
	RawStatus     string         `json:"rawStatus"`
	Duration      int64          `json:"duration"`
	Suite         []string       `json:"suite,omitempty"`
	FilePath      string         `json:"filePath,omitempty"`
	Line          int            `json:"line,omitempty"`
	Message       string         `json:"message,omitempty"`
	Trace         string         `json:"trace,omitempty"`
	Flaky         bool           `json:"flaky,omitempty"`
	Retries       int            `json:"retries,omitempty"`
	RetryAttempts []ctrfAttempt  `json:"retryAttempts,omitempty"`
	Extra         map[string]any `json:"extra,omitempty"`
}

// ctrfAttempt is an attempt that failed before the last one.
type ctrfAttempt struct {
	Attempt int    `json:"attempt"`
	Status  string `json:"status"`
	Message string `json:"message,omitempty"`
	Trace   string `json:"trace,omitempty"`
}

// ctrfStatus gives the format's word for how a case ended, and factgate's.
func ctrfStatus(c *facts.Case) (status, raw string) {
	raw = c.Status.String()
	switch c.Status {
	case facts.Passed:
		return "passed", raw
	case facts.Failed, facts.Errored:
		return "failed", raw
	case facts.Skipped:
		if c.Kind != "" {
			raw = clean(c.Kind)
		}
		if c.Kind == "todo" {
			return "pending", raw
		}
		return "skipped", raw
	}
	return "other", raw
}

func ctrfCase(c *facts.Case) ctrfTest {
	t := ctrfTest{TestID: clean(c.ID), Duration: c.Duration.Milliseconds(), Flaky: c.Flaky}
	t.Status, t.RawStatus = ctrfStatus(c)
	extra := map[string]any{}
	rest := t.TestID
	if file := clean(c.File); file != "" {
		if inner, ok := strings.CutPrefix(rest, file+separator); ok && inner != "" {
			t.FilePath, t.Line, rest = file, max(c.Line, 0), inner
		} else {
			extra["filePath"] = file
		}
	}
	t.Name = rest
	if name := clean(c.Name); name != "" {
		if above, ok := strings.CutSuffix(rest, separator+name); ok {
			t.Suite, t.Name = strings.Split(above, separator), name
		}
	}
	if t.Name == "" {
		t.Name = "(no name)" // the format demands one
	}
	if c.Cached {
		extra["cached"] = true
	}
	if len(extra) > 0 {
		t.Extra = extra
	}
	switch c.Status {
	case facts.Passed:
		t.attempts(c, c.Failures)
	case facts.Skipped:
		t.Message = clean(c.Reason)
		t.attempts(c, c.Failures)
	default:
		t.failures(c)
	}
	return t
}

// attempts lists failures of earlier attempts.
func (t *ctrfTest) attempts(c *facts.Case, failed []facts.Failure) {
	for i, f := range failed {
		t.RetryAttempts = append(t.RetryAttempts, ctrfAttempt{i + 1, "failed", clean(f.Message), clean(f.Text)})
	}
	if c.Attempts > 1 {
		t.Retries = c.Attempts - 1
	}
}

// failures says why a case did not pass. There is one message and one trace: those of the first failure, and behind its
// trace what the others say, but for attempts that all failed, which have a list of their own.
func (t *ctrfTest) failures(c *facts.Case) {
	all := c.Failures
	if len(all) == 0 {
		all = []facts.Failure{{Message: c.Status.String() + ", and nothing is said about it"}}
	}
	t.Message, t.Trace = clean(all[0].Message), clean(all[0].Text)
	if c.Attempts > 1 && c.Attempts == len(all) {
		t.attempts(c, all[1:])
		return
	}
	t.attempts(c, nil)
	for _, f := range all[1:] {
		t.Trace += "\n\n" + clean(f.Message) + "\n" + clean(f.Text)
	}
}

// lineWriter writes JSON. The first error of the writer below stays, and nothing is written behind it.
type lineWriter struct {
	w   io.Writer
	err error
}

func (l *lineWriter) raw(s string) {
	if l.err == nil {
		_, l.err = io.WriteString(l.w, s)
	}
}

func (l *lineWriter) json(v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil && l.err == nil {
		l.err = err
	}
	l.raw(hushed(strings.TrimSuffix(b.String(), "\n")))
}

// hushed escapes in JSON what a terminal or the log of a CI job would act on. It can stand only inside strings.
func hushed(s string) string {
	q := quiet{begun: true} // a line end in a string is escaped
	var out strings.Builder
	for _, r := range s {
		if !q.loud(r) {
			out.WriteRune(r)
			continue
		}
		for _, u := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&out, `\u%04x`, u)
		}
	}
	return out.String()
}
