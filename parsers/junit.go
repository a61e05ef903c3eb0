package parsers

import (
	"bytes"
	"io"

	"factgate/facts"
)

// JUnit reads JUnit XML in all its dialects. There is no schema that writers keep to, so the reader takes the words that
// matter (testsuites, testsuite, testcase and what stands in a case) wherever they stand, in any case and namespace, and
// skips the rest. It is lenient in what it reads and strict in what it concludes: what could hide a failure is blocking.
func JUnit(r io.Reader) (facts.Results, error) { return junit(r, standard()) }

func junit(r io.Reader, lim limits) (facts.Results, error) {
	src := newSource(r, lim.input)
	c := newCollector(lim)
	text, exact := document(src, c)
	d := &junitDoc{
		collector: c, scan: newScanner(text), exact: exact, find: patterns(),
		claims: noClaims(),
		text:   clip{max: lim.text},
	}
	d.read()
	if src.err != nil {
		return facts.Results{}, src.err
	}
	if src.over {
		d.problem(facts.Malformed, "too_large", 0, "the file is longer than %d bytes", lim.input)
	}
	return d.end(), nil
}

// kind is what an element means.
type kind uint8

const (
	other   kind = iota
	suites       // testsuites
	suite        // testsuite
	single       // testcase
	failure      // failure, error
	attempt      // flakyFailure, flakyError, rerunFailure, rerunError
	skipped      // skipped, disabled, ignored
	stream       // system-out, system-err
)

func kindOf(name string) kind {
	switch name {
	case "testsuites":
		return suites
	case "testsuite":
		return suite
	case "testcase":
		return single
	case "failure", "error":
		return failure
	case "flakyfailure", "flakyerror", "rerunfailure", "rerunerror":
		return attempt
	case "skipped", "disabled", "ignored":
		return skipped
	case "system-out", "system-err":
		return stream
	}
	return other
}

// open is an element whose end was not seen yet.
type open struct {
	kind   kind
	name   string
	suite  *junitSuite // of suites and suite
	single *junitCase  // of single
	about  *junitCase  // of failure, attempt and skipped: whom it speaks for, nil for nobody
	index  int         // and which of its failures it is, -1 when that is not kept
}

// junitDoc is one document while it is read.
type junitDoc struct {
	*collector
	scan  *scanner
	exact bool // offsets are those of the file
	find  *finders

	stack []open
	over  int // open elements beyond the depth cap
	text  clip

	roots    int
	declared bool   // a declaration was read, and no root behind it yet
	junk     int64  // bytes of text around the document
	first    string // name of the first element that is not JUnit's
	cut      string // where the text ended, when it did so too early
	cutAt    int64
	claims   claimed
}

// read goes through the document once.
func (d *junitDoc) read() {
	chars := sink(d.chars)
	for {
		more := d.scan.text(chars)
		at := d.scan.offset()
		if !more {
			break
		}
		d.scan.i++ // the '<'
		if !d.markup(at) {
			d.cut, d.cutAt = d.inside(), d.scan.offset()
			break
		}
	}
	if d.cut == "" && len(d.stack)+d.over > 0 {
		d.cut, d.cutAt = d.inside(), d.scan.offset()
	}
}

// inside names the place where the text ended.
func (d *junitDoc) inside() string {
	if len(d.stack) == 0 {
		return "a tag outside any element"
	}
	return "element " + d.stack[len(d.stack)-1].name
}

// markup reads what follows a '<'. It is false when the text ended within it.
func (d *junitDoc) markup(at int64) bool {
	s := d.scan
	switch p := s.peek(9); {
	case len(p) == 0:
		return false
	case bytes.HasPrefix(p, []byte("!--")):
		s.i += 3
		text := capped{max: 64}
		whole := s.until("-->", text.write)
		d.comment(text.b)
		return whole
	case bytes.HasPrefix(p, []byte("![CDATA[")):
		s.i += 8
		return s.until("]]>", d.literal)
	case p[0] == '?':
		if len(d.stack) == 0 && len(p) > 3 && bytes.EqualFold(p[:4], []byte("?xml")) {
			d.declared = true
		}
		return s.until("?>", nil)
	case s.has("!doctype"):
		return s.doctype()
	case p[0] == '/' && len(p) > 1 && nameStart(p[1]):
		s.i++
		return d.closeTag(string(s.appendName(nil)), at)
	case nameStart(p[0]):
		return d.startTag(at)
	case len(p) < 9 && (p[0] == '!' || p[0] == '/'): // a cut may have left only this of a longer mark
		return s.until(">", nil)
	}
	d.stray([]byte("<"), at)
	return true
}

// closeTag reads an end tag behind its name.
func (d *junitDoc) closeTag(name string, at int64) bool {
	b, ok := d.scan.skipSpace()
	if !ok {
		return false
	}
	if b == '>' {
		d.scan.i++
	} else if len(d.stack) > 0 {
		d.problem(facts.Malformed, "broken_tag", d.at(at), "</%s> is not closed", name)
	}
	d.endTag(name, at)
	return true
}

// startTag reads a start tag. Outside any element only JUnit's own words are tags: the text around a document is
// whatever the program printed.
func (d *junitDoc) startTag(at int64) bool {
	s := d.scan
	t := tag{name: string(s.appendName(nil))}
	k := kindOf(t.name)
	if len(d.stack) == 0 && k != suites && k != suite && k != single {
		if p := s.peek(1); len(p) == 0 {
			return false
		}
		if d.first == "" {
			d.first = t.name
		}
		if k == failure || k == attempt {
			d.problem(facts.Malformed, "stray_failure", d.at(at), "<%s> stands outside any suite", t.name)
		}
		d.stray([]byte("<"+t.name), at)
		return true
	}
	if !s.tag(&t, d.lim) {
		d.lost(&t, k)
		return false
	}
	if k != other {
		d.wellWritten(&t, at)
	}
	if d.begin(&t, k, at) && t.empty {
		d.finishTop()
	}
	return true
}

// lost keeps what a cut start tag already said: a failure counts, whole or not.
func (d *junitDoc) lost(t *tag, k kind) {
	if k == failure {
		d.begin(t, k, d.scan.offset())
	}
}

// wellWritten notes what is wrong with a tag that matters. Such a tag could be read in two ways.
func (d *junitDoc) wellWritten(t *tag, at int64) {
	if t.bad != "" {
		d.problem(facts.Malformed, "broken_tag", d.at(at), "<%s>: %s", t.name, t.bad)
	}
	if t.twice != "" {
		d.problem(facts.Contradict, "duplicate_attribute", d.at(at), "<%s> gives attribute %s twice; the worst value was taken", t.name, t.twice)
	}
	if t.many {
		d.problem(facts.Malformed, "too_many_attributes", d.at(at), "<%s> has more than %d attributes", t.name, d.lim.attrs)
	}
}

// begin opens an element, unless it lies too deep.
func (d *junitDoc) begin(t *tag, k kind, at int64) bool {
	if len(d.stack) >= d.lim.depth {
		d.problem(facts.Malformed, "too_deep", d.at(at), "elements are nested more than %d deep", d.lim.depth)
		if !t.empty {
			d.over++
		}
		return false
	}
	if (k == stream || k == skipped) && d.collecting() {
		k = other // output of an earlier attempt, say: part of what it stands in
	}
	o := open{kind: k, name: t.name}
	if len(d.stack) == 0 {
		d.roots++
		d.declared = false
	}
	switch k {
	case suites, suite:
		o.suite = d.newSuite(t, k, at)
	case single:
		o.single = d.newCase(t, at)
	case failure, attempt, skipped:
		o.about, o.index = d.speak(t, k)
		d.text.reset()
	case stream:
		d.text.reset()
	}
	d.stack = append(d.stack, o)
	return true
}

// endTag closes the element of that name, and what was left open within it.
func (d *junitDoc) endTag(name string, at int64) {
	if d.over > 0 {
		d.over--
		return
	}
	k := kindOf(name)
	i := len(d.stack) - 1
	for i >= 0 && d.stack[i].name != name {
		i--
	}
	if i < 0 {
		switch {
		case len(d.stack) == 0:
			d.stray([]byte("</"+name), at)
		case k != other:
			d.problem(facts.Malformed, "unmatched_tag", d.at(at), "</%s> closes nothing", name)
		default:
			d.note("unmatched_tag", d.at(at), "</%s> closes nothing", name)
		}
		return
	}
	for len(d.stack)-1 > i {
		top := d.stack[len(d.stack)-1]
		if top.kind == other {
			d.note("unclosed_tag", d.at(at), "<%s> was not closed before </%s>", top.name, name)
		} else {
			d.problem(facts.Malformed, "unclosed_tag", d.at(at), "<%s> was not closed before </%s>", top.name, name)
			if top.single != nil {
				top.single.unfinished = true
			}
		}
		d.finishTop()
	}
	d.finishTop()
}

// finishTop closes the innermost element.
func (d *junitDoc) finishTop() {
	top := d.stack[len(d.stack)-1]
	switch top.kind {
	case failure, attempt, skipped, stream:
		d.childText(&top)
		d.text.reset()
	}
	d.stack = d.stack[:len(d.stack)-1]
	switch top.kind {
	case single:
		d.endCase(top.single)
	case suites, suite:
		d.endSuite(top.suite)
	}
}

// end closes what is still open and says what the document as a whole shows.
func (d *junitDoc) end() facts.Results {
	if d.cut != "" {
		d.problem(facts.Truncated, "truncated", d.at(d.cutAt), "cut off at byte %d, inside %s", d.cutAt, d.cut)
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
	d.res.Claims = d.claims.facts()
	return d.finish(d.roots > 0 && d.cut == "")
}
