package parsers

import (
	"io"
	"path"
	"strconv"
	"strings"

	"factgate/facts"
)

// XUnit reads the XML of xUnit.net: version 2 and later (assemblies, https://xunit.net/docs/format-xml-v2) and version 1
// (assembly with class elements, https://xunit.net/docs/format-xml-v1). What stands in an error, or fails a class as a
// whole, is a failure outside cases. An id is the test's display name, which begins with its class.
func XUnit(r io.Reader) (facts.Results, error) { return xunit(r, standard()) }

func xunit(r io.Reader, lim limits) (facts.Results, error) {
	return walk(r, lim, func(w *walker) dialect { return &xunitRun{walker: w, claims: noClaims()} })
}

// xunitRun is a document while it is read.
type xunitRun struct {
	*walker
	parts  []*xunitPart // open ones, the root first
	single *xunitTest   // the open test
	apart  *xunitError  // the open error, or the failure of a class
	claims claimed
}

// xunitPart is assemblies, an assembly, a collection or a class.
type xunitPart struct {
	element, name string
	at            int64
	claims, below claimed
	all           tally
}

type xunitTest struct {
	c      facts.Case
	kind   string // its class
	result string
	failed bool
	said   told
	reason string
	output string
}

type xunitError struct {
	where string
	said  told
}

func (d *xunitRun) root(name string) bool { return name == "assemblies" || name == "assembly" }

func (d *xunitRun) begin(t *tag, parent string, at int64) bool {
	switch t.name {
	case "assemblies", "assembly", "collection", "class":
		n := func(name string) int { return d.amount(t, name, at) }
		d.parts = append(d.parts, &xunitPart{
			element: t.name, name: d.word(d.label(t.get("name"))), at: at, below: noClaims(),
			claims: claimed{tests: n("total"), passed: n("passed"), failures: n("failed"), errors: n("errors"), skipped: total(n("skipped"), n("not-run"))},
		})
	case "test":
		if d.single != nil || d.apart != nil {
			d.unknown(t.name, parent)
			return false
		}
		d.newTest(t, at)
	case "error":
		name := d.label(t.get("name"))
		if name == "" {
			name = d.label(t.get("type"))
		}
		d.apart = &xunitError{where: name}
	case "failure":
		said := told{kind: d.label(t.get("exception-type"))}
		switch {
		case d.single != nil:
			d.single.failed, d.single.said = true, said
		case d.apart != nil:
			d.apart.said = said
		case len(d.parts) > 0:
			d.apart = &xunitError{where: d.parts[len(d.parts)-1].name, said: said}
		}
	case "message", "stack-trace":
		return parent == "failure" || parent == "reason"
	case "reason", "output":
		return true
	case "errors", "traits", "trait", "warnings", "warning", "attachments", "attachment":
	default:
		switch parent {
		case "assemblies", "assembly", "collection", "class", "test", "errors", "error":
			d.unknown(t.name, parent)
		}
	}
	return false
}

func (d *xunitRun) newTest(t *tag, at int64) {
	k := &xunitTest{kind: d.word(d.label(t.get("type"))), result: clean64(t.get("result"))}
	k.c.Name = d.label(t.get("name"))
	k.c.File = d.word(d.label(t.get("source-file")))
	if n, err := strconv.Atoi(string(t.get("source-line"))); err == nil && n > 0 && k.c.File != "" {
		k.c.Line = n
	}
	d.elapsed(&k.c, t, at, "time")
	d.single = k
}

func (d *xunitRun) end(e *xmlElement, text []byte) {
	switch e.name {
	case "assemblies", "assembly", "collection", "class":
		if n := len(d.parts); n > 0 {
			p := d.parts[n-1]
			d.parts = d.parts[:n-1]
			d.endPart(p)
		}
	case "test":
		if k := d.single; k != nil && e.parent != "test" {
			d.single = nil
			d.endTest(k, e.broken)
		}
	case "error", "failure":
		if d.apart != nil && d.single == nil {
			d.blame(d.apart)
			d.apart = nil
		}
	case "message", "stack-trace", "reason", "output":
		if e.text && len(text) > 0 {
			d.say(e, d.prose(text, d.lim.text))
		}
	}
}

// say takes the text of an element.
func (d *xunitRun) say(e *xmlElement, text string) {
	k := d.single
	switch {
	case k != nil && (e.name == "reason" || e.parent == "reason"):
		k.reason = text
	case k != nil && e.name == "output":
		k.output = text
	case e.parent != "failure":
	case k != nil && e.name == "message":
		k.said.message = text
	case k != nil:
		k.said.stack = text
	case d.apart != nil && e.name == "message":
		d.apart.said.message = text
	case d.apart != nil:
		d.apart.said.stack = text
	}
}

// endTest concludes how a test ended and keeps it.
func (d *xunitRun) endTest(k *xunitTest, broken bool) {
	c := &k.c
	d.name(k)
	word := strings.ToLower(strings.TrimSpace(k.result))
	switch word {
	case "pass":
		c.Status = facts.Passed
	case "fail":
		c.Status = facts.Failed
	case "skip", "notrun":
		c.Status, c.Kind, c.Reason = facts.Skipped, "skip", firstLine(k.reason, d.lim.message)
	}
	if k.failed && c.Status != facts.Failed {
		if word != "" {
			d.problem(facts.Contradict, "status_against_child", 0, "test %q has the result %q, and a failure: read as failed", c.ID, k.result)
		}
		c.Status, c.Kind = facts.Failed, ""
	}
	t := tally{cases: 1}
	switch {
	case c.Status == facts.Failed:
		t.bad = 1
		if k.said.empty() {
			k.said.message = k.output // jest-xunit puts the message there
		}
		if k.said.empty() {
			k.said.message = "result " + strconv.Quote(k.result) + ", and no message"
		}
		c.Failures = []facts.Failure{d.failure(k.said, false)}
	case broken:
		c.Status, t.bad = facts.StatusUnknown, 1
		d.problem(facts.Malformed, "unfinished_case", 0, "test %q was not closed: how it ended is not known", c.ID)
	case c.Status == facts.Passed:
		t.passed = 1
	case c.Status == facts.Skipped:
		t.skipped = 1
	default:
		t.bad = 1
		d.problem(facts.Malformed, "unknown_status", 0, "test %q has the result %q, which is not known", c.ID, k.result)
	}
	d.count(t)
	d.add(*c)
}

func (d *xunitRun) count(t tally) {
	for _, p := range d.parts {
		p.all.plus(t)
	}
}

// name gives a test its id. A collection that is a test file is where its tests stand.
func (d *xunitRun) name(k *xunitTest) {
	c := &k.c
	c.Suite = k.kind
	where := ""
	for _, p := range d.parts {
		if p.element != "collection" || !strings.ContainsAny(p.name, `/\`) {
			continue
		}
		switch path.Ext(p.name) {
		case ".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx":
			where, c.File = p.name, p.name
		}
	}
	if rest, ok := strings.CutPrefix(c.Name, k.kind+"."); ok && k.kind != "" {
		c.ID, c.Name = join(where, "", c.Name), rest
	} else {
		c.ID = join(where, k.kind, c.Name)
	}
	c.ID = d.label([]byte(c.ID))
	if c.Name == "" {
		d.note("no_name", 0, "a test has no name")
	}
}

// blame makes a failure outside cases of an error. The totals of an assembly count errors too.
func (d *xunitRun) blame(x *xunitError) {
	if x.said.empty() {
		x.said.message = "an error without a message"
	}
	f := d.failure(x.said, true)
	d.count(tally{bad: 1, failures: 1})
	d.outside(facts.Outside{Where: x.where, Message: f.Message, Text: f.Text, File: f.File, Line: f.Line})
}

// endPart holds totals against what was read.
func (d *xunitRun) endPart(p *xunitPart) {
	if d.cut == "" {
		d.reconcile(p.element+" "+strconv.Quote(p.name), p.claims, p.all, p.all, p.at)
	}
	stated := p.claims
	if !stated.any() {
		stated = p.below
	}
	if n := len(d.parts); n > 0 {
		d.parts[n-1].below = d.parts[n-1].below.plus(stated)
		return
	}
	d.claims = d.claims.plus(stated)
}

func (d *xunitRun) last() { d.res.Claims = d.claims.facts() }
