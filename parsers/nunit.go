package parsers

import (
	"io"
	"strconv"
	"strings"

	"factgate/facts"
)

// NUnit reads the results of NUnit 3 and later (test-run, https://docs.nunit.org/articles/nunit/technical-notes/usage/Test-Result-XML-Format.html)
// and of NUnit 2 (test-results, Results.xsd beside its console), told apart by their root.
//
// A suite that failed by itself (its OneTimeSetUp, say) is a failure outside cases, and so is one that is said to have
// failed where nothing in it did: NUnit 2 says no more of a fixture whose tear-down throws, and exits with 0.
// An id is the full name of the test.
func NUnit(r io.Reader) (facts.Results, error) { return nunit(r, standard()) }

func nunit(r io.Reader, lim limits) (facts.Results, error) {
	return walk(r, lim, func(w *walker) dialect { return &nunitRun{walker: w, claims: noClaims()} })
}

// nunitRun is a document while it is read.
type nunitRun struct {
	*walker
	suites []*nunitSuite // open ones, the root first
	single *nunitCase    // the open case
	claims claimed
}

// nunitResult is what both suites and cases say of how they ended.
type nunitResult struct {
	result, label, site string // in lower case
	failure             told
	reason              string
	assertions          []told // each failed assertion of NUnit 3, warnings left out
}

type nunitSuite struct {
	nunitResult
	name, kind string
	at         int64
	claims     claimed
	all        tally
	outside    int // failures outside cases in it
}

type nunitCase struct {
	nunitResult
	c                 facts.Case
	full, class       string
	executed, success string // of NUnit 2, in lower case
}

func (d *nunitRun) root(name string) bool { return name == "test-run" || name == "test-results" }

func (d *nunitRun) begin(t *tag, parent string, at int64) bool {
	switch t.name {
	case "test-run", "test-results", "test-suite":
		d.suite(t, at)
	case "test-case":
		if d.single != nil {
			d.unknown(t.name, parent)
			return false
		}
		d.newCase(t, at)
	case "message":
		return parent == "failure" || parent == "reason" || parent == "assertion"
	case "stack-trace":
		return parent == "failure" || parent == "assertion"
	case "assertion":
		if word(t, "result") == "warning" {
			return false
		}
		if r := d.about(); r != nil && len(r.assertions) < d.lim.failures {
			r.assertions = append(r.assertions, told{})
		}
	case "failure", "reason", "results", "assertions", "properties", "environment", "culture-info", "settings", "output",
		"attachments", "categories", "command-line", "filter", "description":
	default:
		switch parent {
		case "test-run", "test-results", "test-suite", "test-case", "results", "failure", "reason":
			d.unknown(t.name, parent)
		}
	}
	return false
}

// word gives the value of an attribute that is one of a few words.
func word(t *tag, name string) string {
	return strings.ToLower(strings.TrimSpace(clean64(t.get(name))))
}

func nunitWords(t *tag) nunitResult {
	return nunitResult{result: word(t, "result"), label: word(t, "label"), site: word(t, "site")}
}

// words quotes those that are given.
func words(all ...string) string {
	return strconv.Quote(strings.Join(strings.Fields(strings.Join(all, " ")), " "))
}

// about is whom a failure or a reason that stands here speaks for.
func (d *nunitRun) about() *nunitResult {
	switch {
	case d.single != nil:
		return &d.single.nunitResult
	case len(d.suites) > 0:
		return &d.suites[len(d.suites)-1].nunitResult
	}
	return nil
}

// suite opens a suite, or the root with its totals. NUnit 2 counts in total only what was run.
func (d *nunitRun) suite(t *tag, at int64) {
	n := func(name string) int { return d.amount(t, name, at) }
	s := &nunitSuite{nunitResult: nunitWords(t), name: d.word(d.label(t.get("name"))), kind: word(t, "type"), at: at}
	if t.name == "test-results" {
		s.claims = claimed{tests: total(n("total"), n("not-run")), passed: -1, failures: n("failures"), errors: total(n("errors"), n("invalid")),
			skipped: total(n("ignored"), n("skipped"), n("inconclusive"))}
	} else {
		s.claims = claimed{tests: n("total"), passed: n("passed"), failures: n("failed"), errors: -1, skipped: total(n("skipped"), n("inconclusive"))}
	}
	d.suites = append(d.suites, s)
}

func (d *nunitRun) newCase(t *tag, at int64) {
	k := &nunitCase{nunitResult: nunitWords(t), executed: word(t, "executed"), success: word(t, "success")}
	k.c.Name, k.full, k.class = d.label(t.get("name")), d.label(t.get("fullname")), d.word(d.label(t.get("classname")))
	d.elapsed(&k.c, t, at, "duration", "time")
	d.single = k
}

func (d *nunitRun) end(e *xmlElement, text []byte) {
	switch e.name {
	case "test-run", "test-results", "test-suite":
		if n := len(d.suites); n > 0 {
			s := d.suites[n-1]
			d.suites = d.suites[:n-1]
			d.endSuite(s, e)
		}
	case "test-case":
		if k := d.single; k != nil && e.parent != "test-case" {
			d.single = nil
			d.endCase(k, e.broken)
		}
	case "message", "stack-trace":
		if e.text {
			d.say(e, d.prose(text, d.lim.text))
		}
	}
}

// say takes the text of a message or a stack.
func (d *nunitRun) say(e *xmlElement, text string) {
	r := d.about()
	if r == nil {
		return
	}
	to := &r.failure
	switch {
	case e.parent == "reason":
		r.reason = text
		return
	case e.parent == "assertion":
		if len(r.assertions) == 0 {
			return
		}
		to = &r.assertions[len(r.assertions)-1]
	}
	if e.name == "message" {
		to.message = text
	} else {
		to.stack = text
	}
}

// conclude reads result and label: a failed test whose label is Error, Invalid or Cancelled never got to its assertions.
func (r *nunitResult) conclude() (s facts.Status, kind string) {
	switch r.result {
	case "passed", "success", "warning":
		s = facts.Passed
	case "failed", "failure":
		s = facts.Failed
	case "error", "cancelled", "notrunnable":
		s = facts.Errored
	case "skipped", "inconclusive", "explicit":
		s, kind = facts.Skipped, "skip"
	case "ignored":
		s, kind = facts.Skipped, "ignored"
	}
	switch {
	case r.label == "ignored" && (s == facts.Skipped || r.result == "warning"): // NUnit 3.0 to 3.6 wrote Warning:Ignored
		s, kind = facts.Skipped, "ignored"
	case s == facts.Skipped && r.label == "invalid": // it cannot be run
		s, kind = facts.Errored, ""
	case s == facts.Failed && (r.label == "error" || r.label == "invalid" || r.label == "cancelled"):
		s = facts.Errored
	}
	return s, kind
}

// endCase concludes how a case ended and keeps it.
func (d *nunitRun) endCase(k *nunitCase, broken bool) {
	c := &k.c
	d.name(k)
	c.Status, c.Kind = k.conclude()
	if k.result == "" { // NUnit before 2.5 has these two only
		switch {
		case k.executed == "false":
			c.Status, c.Kind = facts.Skipped, "ignored"
		case k.success == "true":
			c.Status = facts.Passed
		case k.success == "false":
			c.Status = facts.Failed
		}
	}
	if c.Status == facts.Passed {
		d.doubt(k)
	}
	switch {
	case c.Status == facts.Failed || c.Status == facts.Errored:
		d.explain(k)
	case broken:
		c.Status = facts.StatusUnknown
		d.problem(facts.Malformed, "unfinished_case", 0, "case %q was not closed: how it ended is not known", c.ID)
	case c.Status == facts.StatusUnknown:
		d.problem(facts.Malformed, "unknown_status", 0, "case %q has the result %q, which is not known", c.ID, k.result)
	case k.result == "inconclusive" || k.result == "warning" && c.Status == facts.Passed:
		d.note(k.result, 0, "case %q has the result %q: read as %s", c.ID, k.result, c.Status)
	}
	if c.Status != facts.Skipped {
		c.Kind = ""
	} else if c.Reason = firstLine(k.reason, d.lim.message); c.Reason == "" {
		c.Reason = firstLine(k.failure.message, d.lim.message)
	}
	t := tally{cases: 1, failures: len(c.Failures)}
	switch c.Status {
	case facts.Passed:
		t.passed = 1
	case facts.Skipped:
		t.skipped = 1
	default:
		t.bad = 1
	}
	for _, s := range d.suites {
		s.all.plus(t)
	}
	d.add(*c)
}

// doubt looks for what speaks against a pass.
func (d *nunitRun) doubt(k *nunitCase) {
	switch {
	case !k.failure.empty() || k.result != "warning" && len(k.assertions) > 0:
		k.c.Status = facts.Failed
		d.problem(facts.Contradict, "status_against_child", 0, "case %q has the result %q, and a failure: read as failed", k.c.ID, k.result)
	case k.success == "false":
		k.c.Status = facts.Failed
		d.problem(facts.Contradict, "status_against_child", 0, "case %q has the result %q, and success is %q: read as failed", k.c.ID, k.result, k.success)
	case k.executed == "false":
		k.c.Status = facts.StatusUnknown
		d.problem(facts.Contradict, "status_against_child", 0, "case %q has the result %q, and executed is %q", k.c.ID, k.result, k.executed)
	}
}

// explain gives a case its failures.
func (d *nunitRun) explain(k *nunitCase) {
	all := k.assertions
	if len(all) < 2 {
		all = []told{k.failure}
		if k.failure.empty() && k.reason != "" {
			all[0] = told{message: k.reason}
		}
	}
	for _, said := range all {
		if said.empty() {
			said = told{message: "result " + words(k.result, k.label) + ", and no message"}
		}
		if kind, rest, ok := strings.Cut(said.message, " : "); ok && strings.Contains(kind, ".") && !strings.ContainsAny(kind, " \n") {
			said.kind, said.message = kind, rest // System.InvalidOperationException : boom
		}
		k.c.Failures = append(k.c.Failures, d.failure(said, k.c.Status == facts.Errored))
	}
}

// name gives a case its names. NUnit 2 writes the full one as name, others the bare one in suites that are files.
func (d *nunitRun) name(k *nunitCase) {
	c := &k.c
	var fixture []string
	for _, s := range d.suites {
		switch s.kind {
		case "namespace", "testfixture", "genericfixture", "parameterizedfixture", "setupfixture":
			if strings.ContainsAny(s.name, `/\`) {
				c.File = s.name
			} else {
				fixture = append(fixture, s.name)
			}
		}
	}
	if k.class == "" {
		k.class = d.word(d.label([]byte(strings.Join(fixture, "."))))
	}
	c.Suite = k.class
	switch file, _, ok := strings.Cut(k.full, "::"); {
	case ok && strings.HasSuffix(file, ".py"): // pytest-nunit gives the node id
		c.File, c.ID = d.word(file), k.full
	case k.full != "":
		c.ID = k.full
	case k.class != "" && strings.HasPrefix(c.Name, k.class+"."):
		c.ID = c.Name
		c.Name = c.Name[len(k.class)+1:]
	default:
		c.ID = join(c.File, k.class, c.Name)
	}
	c.ID = d.label([]byte(c.ID))
	if c.Name == "" {
		c.Name = c.ID
	}
	if c.Name == "" {
		d.note("no_name", 0, "a case has no name")
	}
}

// endSuite holds a suite's result and totals against what was read in it.
func (d *nunitRun) endSuite(s *nunitSuite, e *xmlElement) {
	root := len(d.suites) == 0
	where := "suite " + strconv.Quote(s.name)
	if root {
		where = "the root"
	}
	status, _ := s.conclude()
	bad := status == facts.Failed || status == facts.Errored
	child := strings.HasPrefix(s.failure.message, "One or more child tests")
	own := !s.failure.empty() && !child && s.site != "child" && s.site != "parent" || bad && (s.site == "setup" || s.site == "teardown")
	switch {
	case own:
		d.blame(s, s.failure)
	case bad && s.all.bad == 0 && s.outside == 0 && root:
		d.problem(facts.Contradict, "failed_without_failure", s.at, "the result of the run is %q, and no failure is listed", s.result)
	case bad && s.all.bad == 0 && s.outside == 0 && d.cut == "" && !e.broken:
		said := told{message: s.reason}
		if s.reason == "" {
			said.message = "the suite is said to have failed, and no case in it did: its tear-down may have"
		}
		d.blame(s, said)
	case status == facts.StatusUnknown && s.result != "":
		d.problem(facts.Malformed, "unknown_status", s.at, "%s has the result %q, which is not known", where, s.result)
	}
	if d.cut == "" {
		d.reconcile(where, s.claims, s.all, s.all, s.at)
	}
	if root {
		d.claims = d.claims.plus(s.claims)
	} else {
		d.suites[len(d.suites)-1].outside += s.outside
	}
}

// blame makes a failure outside cases of what a suite says of itself.
func (d *nunitRun) blame(s *nunitSuite, said told) {
	s.outside++
	if said.empty() {
		said.message = "result " + words(s.result, s.label, s.site) + ", and no message"
	}
	f := d.failure(said, true)
	o := facts.Outside{Where: s.name, Message: f.Message, Text: f.Text, File: f.File, Line: f.Line}
	if s.label == "invalid" {
		o.Kind = facts.Collection
	}
	d.outside(o)
}

func (d *nunitRun) last() { d.res.Claims = d.claims.facts() }
