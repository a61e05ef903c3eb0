package parsers

import (
	"fmt"

	"factgate/facts"
)

// end closes what is still open and says what the document as a whole shows.
func (d *junitDoc) end() facts.Results {
	if d.cut != "" {
		d.problem(facts.Truncated, "truncated", d.at(d.cutAt), "cut off at byte %d, inside %s%s", d.cutAt, d.cut, d.missing())
		for len(d.stack) > 0 {
			if top := d.stack[len(d.stack)-1]; top.single != nil {
				top.single.unfinished = true
			}
			d.finishTop()
		}
	}
	if d.declared && d.roots > 0 && d.cut == "" {
		d.cut = "a second document"
		d.problem(facts.Truncated, "truncated", d.at(d.scan.offset()), "cut off at byte %d, before the root of a second document", d.scan.offset())
	}
	if d.roots == 0 {
		switch {
		case d.junk == 0 && d.cut == "":
			d.problem(facts.Malformed, "empty", 0, "there is nothing in the file")
		case d.first != "":
			d.problem(facts.Malformed, "no_junit_element", 0, "no testsuites, testsuite or testcase in it: %s", foreign(d.first))
		default:
			d.problem(facts.Malformed, "no_junit_element", 0, "no testsuites, testsuite or testcase in it")
		}
	} else if d.junk > 0 {
		d.note("text_around", 0, "%d bytes of other text stand around the document", d.junk)
	}
	if d.roots > 1 {
		d.note("several_roots", 0, "%d documents stand in one file; all were read", d.roots)
	}
	if d.cut == "" {
		d.reconcileParents()
	}
	d.withoutTests()
	d.losses()
	d.settle()
	d.res.Claims = d.claims.facts()
	return d.finish(d.roots > 0 && d.cut == "")
}

// missing says how much a cut document claims to hold beyond what was read.
func (d *junitDoc) missing() string {
	for i := range d.stack {
		s := d.stack[i].suite
		if s == nil || s.claims.tests < 0 {
			continue
		}
		n := 0
		for j := i; j < len(d.stack); j++ { // what closed suites hold has been handed up to the open ones
			if x := d.stack[j].suite; x != nil {
				n += x.own.cases + x.all.cases
			}
		}
		return fmt.Sprintf("; it claims %s, and %s ended before", plural(s.claims.tests, "test"), plural(n, "case"))
	}
	return ""
}
