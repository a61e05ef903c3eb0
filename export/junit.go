package export

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"time"

	"factgate/facts"
)

// JUnit writes results in the dialect that dorny/test-reporter, mikepenz/action-junit-report,
// EnricoMi/publish-unit-test-result-action, GitLab and Jenkins read alike: testsuites, testsuite and testcase with totals,
// failure and error with message, type and text, skipped, and flakyFailure and rerunFailure as Maven Surefire writes them
// (https://maven.apache.org/surefire/maven-surefire-plugin/examples/rerun-failing-tests.html).
//
// A reader makes the same id of it that the case has. Where suite, class and name cannot spell the id, the whole of it is
// the name. Times are in seconds. The error is that of w.
func JUnit(w io.Writer, r facts.Results) error {
	d := &junitWriter{bufio.NewWriter(w)}
	suites, order := map[string]*junitSuite{}, []*junitSuite(nil)
	var all junitTotals
	cases := listed(&r)
	for i := range cases {
		c := &cases[i]
		p := spell(c)
		s := suites[p.suite]
		if s == nil {
			s = &junitSuite{name: p.suite}
			suites[p.suite] = s
			order = append(order, s)
		}
		s.cases = append(s.cases, junitCase{c, p})
		s.add(c)
		all.add(c)
	}
	d.raw(`<?xml version="1.0" encoding="UTF-8"?>` + "\n<testsuites")
	d.attr("name", "factgate")
	d.totals(all)
	d.raw(">\n")
	for _, s := range order {
		d.raw("  <testsuite")
		d.attr("name", s.name)
		d.totals(s.junitTotals)
		d.raw(">\n")
		for _, c := range s.cases {
			d.single(c)
		}
		d.raw("  </testsuite>\n")
	}
	d.raw("</testsuites>\n")
	return d.w.Flush()
}

type junitSuite struct {
	name  string
	cases []junitCase
	junitTotals
}

type junitCase struct {
	*facts.Case
	place
}

// junitTotals are the numbers of a suite, by case: none counts twice.
type junitTotals struct {
	tests, failures, errors, skipped int
	time                             time.Duration
}

func (n *junitTotals) add(c *facts.Case) {
	n.tests++
	n.time += c.Duration
	switch c.Status {
	case facts.Passed:
	case facts.Skipped:
		n.skipped++
	case facts.Failed:
		n.failures++
	default:
		n.errors++
	}
}

// place is how a case's names are divided over suite and case. Its id is read out of them again.
type place struct{ suite, file, class, name string }

// spell finds attributes of which a reader of JUnit makes the case's id.
func spell(c *facts.Case) place {
	id, file, class, name := clean(c.ID), clean(c.File), clean(c.Suite), clean(c.Name)
	var tries []place
	if file != "" {
		tries = []place{{file, file, class, name}, {file, file, "", name}}
	}
	if inner, ok := strings.CutPrefix(strings.TrimSuffix(id, "::"+name), file); ok && strings.HasSuffix(file, ".py") {
		tries = append(tries, place{file, file, module(file) + strings.ReplaceAll(inner, "::", "."), name}) // a node id of pytest
	}
	for _, class := range []string{class, ""} {
		tail := join("", class, name)
		if before, ok := strings.CutSuffix(id, separator+tail); ok {
			tries = append(tries, place{suite: before, class: class, name: name})
		}
		tries = append(tries, place{suite: class, class: class, name: name})
	}
	for _, p := range tries {
		if p.id() == id {
			return p
		}
	}
	return place{name: id}
}

// id is what a reader makes of the attributes: file or suite, class and name; of a Python file and its module, the node id
// of pytest.
func (p place) id() string {
	where := p.file
	if where == "" {
		where = p.suite
	}
	inner, ok := strings.CutPrefix(p.class, module(p.file))
	switch {
	case p.suite == "pytest":
		return "\x00" // has rules of its own; no id has this in it
	case strings.HasSuffix(p.file, ".py") && ok && (inner == "" || inner[0] == '.'):
		return p.file + strings.ReplaceAll(inner, ".", "::") + "::" + p.name
	}
	return join(where, p.class, p.name)
}

// counted reports whether lines count from 0 there, as pytest's do.
func (p place) counted() bool { return strings.HasSuffix(p.file, ".py") }

// module is the dotted name of a Python file.
func module(file string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.ReplaceAll(file, `\`, "/"), ".py"), "/", ".")
}

// join makes an id of its parts, without those that say nothing new.
func join(where, class, name string) string {
	if class == where || class == name {
		class = ""
	}
	var parts []string
	for _, part := range []string{where, class, name} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, separator)
}

// junitWriter writes markup. An error of the writer below sticks until Flush gives it.
type junitWriter struct{ w *bufio.Writer }

func (d *junitWriter) raw(s string) { _, _ = d.w.WriteString(s) } // the error sticks

// attr writes one attribute.
func (d *junitWriter) attr(name, value string) {
	d.raw(" " + name + `="`)
	d.text(value, true)
	d.raw(`"`)
}

// text writes text so that it is read back as it is, line ends included. A '>' is always escaped: "]]>" must not stand
// in text. So is what a terminal or the log of a CI job would act on where the document is printed there.
func (d *junitWriter) text(s string, attribute bool) {
	var q quiet
	for _, r := range clean(s) {
		switch loud := q.loud(r); {
		case r == '&':
			d.raw("&amp;")
		case r == '<':
			d.raw("&lt;")
		case r == '>':
			d.raw("&gt;")
		case r == '"' && attribute:
			d.raw("&quot;")
		case loud, r == '\r', attribute && (r == '\n' || r == '\t'):
			d.raw("&#" + strconv.Itoa(int(r)) + ";")
		default:
			_, _ = d.w.WriteRune(r) // the error sticks
		}
	}
}

func (d *junitWriter) totals(n junitTotals) {
	d.attr("tests", strconv.Itoa(n.tests))
	d.attr("failures", strconv.Itoa(n.failures))
	d.attr("errors", strconv.Itoa(n.errors))
	d.attr("skipped", strconv.Itoa(n.skipped))
	d.attr("time", seconds(n.time))
}

func seconds(t time.Duration) string { return strconv.FormatFloat(t.Seconds(), 'f', -1, 64) }

// single writes one case.
func (d *junitWriter) single(c junitCase) {
	d.raw("    <testcase")
	if c.class != "" {
		d.attr("classname", c.class)
	}
	d.attr("name", c.name)
	if c.file != "" {
		d.attr("file", c.file)
		if c.Line > 0 && !c.counted() {
			d.attr("line", strconv.Itoa(c.Line))
		}
	}
	d.attr("time", seconds(c.Duration))
	d.raw(">")
	if c.Cached {
		d.raw(`<properties><property name="cached" value="true"/></properties>`)
	}
	d.outcome(c.Case)
	d.raw("</testcase>\n")
}

// outcome writes the children that say how a case ended.
func (d *junitWriter) outcome(c *facts.Case) {
	switch c.Status {
	case facts.Passed:
		for _, f := range c.Failures {
			d.failure("flakyFailure", f)
		}
		if c.Flaky && len(c.Failures) == 0 {
			d.failure("flakyFailure", facts.Failure{Message: "failed before it passed"})
		}
	case facts.Skipped:
		d.raw("<skipped")
		if c.Kind != "" && c.Kind != "skip" {
			d.attr("type", c.Kind)
		}
		if c.Reason != "" {
			d.attr("message", c.Reason)
		}
		d.raw("/>")
		for _, f := range c.Failures { // of attempts before it was skipped
			d.failure("rerunFailure", f)
		}
	case facts.Failed, facts.Errored:
		d.failures(c)
	default:
		d.failure("error", facts.Failure{Message: "how it ended could not be understood", Type: "unknown"})
		for _, f := range c.Failures {
			d.failure("error", f)
		}
	}
}

// failures writes why a case did not pass: errors make it errored, and only they do. Attempts that all failed are one
// failure and its reruns.
func (d *junitWriter) failures(c *facts.Case) {
	all := c.Failures
	if len(all) == 0 {
		all = []facts.Failure{{Message: c.Status.String() + ", and nothing is said about it"}}
	}
	reruns := c.Attempts > 1 && c.Attempts == len(all)
	for i, f := range all {
		element := "failure"
		switch {
		case i > 0 && reruns:
			element = "rerunFailure"
		case c.Status == facts.Errored && (f.Error || i == 0):
			element = "error"
		}
		d.failure(element, f)
	}
}

func (d *junitWriter) failure(element string, f facts.Failure) {
	d.raw("<" + element)
	d.attr("message", f.Message)
	if f.Type != "" {
		d.attr("type", f.Type)
	}
	if f.File != "" {
		d.attr("file", f.File)
		if f.Line > 0 {
			d.attr("line", strconv.Itoa(f.Line))
		}
	}
	d.raw(">")
	d.text(f.Text, false)
	d.raw("</" + element + ">")
}
