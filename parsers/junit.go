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
		text:   clip{max: lim.text}, output: clip{max: lim.text},
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

// room is what text means where it stands.
type room uint8

const (
	outdoors room = iota // around the document
	between              // in a case or a suite: none is expected
	kept                 // in what speaks for a case
	passed               // in what is passed over
)

// open is an element whose end was not seen yet.
type open struct {
	kind   kind
	room   room // what text in it means
	name   string
	suite  *junitSuite // of suites and suite
	single *junitCase  // of single
	about  *junitCase  // of failure, attempt and skipped: whom it speaks for, nil for nobody
	index  int         // and which of its failures it is, -1 when that is not kept
	to     *clip       // where text in it goes when it is kept
}

// junitDoc is one document while it is read.
type junitDoc struct {
	*collector
	scan  *scanner
	exact bool // offsets are those of the file
	find  *finders

	stack  []open
	over   int // open elements beyond the depth cap
	tag    tag
	spell  []byte // what is being spelt: the name of a tag that is not usual, text with references
	text   clip   // of the innermost element that speaks for a case
	output clip   // of the innermost case
	group  group
	spare  *junitCase
	unused *junitSuite

	roots    int
	declared bool   // a declaration was read, and no root behind it yet
	junk     int64  // bytes of text around the document
	first    string // name of the first element that is not JUnit's
	cut      string // where the text ended, when it did so too early
	cutAt    int64
	claims   claimed
	parents  parents
	odd      oddities
	clock    clock
}

// read goes through the document once.
func (d *junitDoc) read() {
	chars := sink(d.chars)
	for {
		if d.quick() {
			continue
		}
		if !(d.room() != kept && d.scan.blank()) && !d.scan.text(chars) {
			break
		}
		at := d.scan.offset()
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

// room is what text means here.
func (d *junitDoc) room() room {
	if len(d.stack) == 0 {
		return outdoors
	}
	return d.stack[len(d.stack)-1].room
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
	p := s.peek(9)
	switch {
	case len(p) == 0:
		return false
	case p[0] == '/' && d.closesTop():
		d.finishTop()
		return true
	case nameStart(p[0]):
		return d.startTag(at)
	case p[0] == '/' && len(p) > 1 && nameStart(p[1]):
		s.i++
		d.spell = s.appendName(d.spell[:0])
		return d.closeTag(string(d.spell), at)
	case bytes.HasPrefix(p, []byte("!--")):
		s.i += 3
		return d.comment(at)
	case bytes.HasPrefix(p, []byte("![CDATA[")):
		s.i += 8
		return d.section(at)
	case p[0] == '?':
		if len(d.stack) == 0 && len(p) > 3 && bytes.EqualFold(p[:4], []byte("?xml")) {
			d.declared = true
		}
		return d.declaration(s.instruction(), at)
	case s.has("!doctype"):
		return d.declaration(s.doctype(), at)
	case len(p) < 9 && (p[0] == '!' || p[0] == '/'): // a cut may have left only this of a longer mark
		return s.until(">", nil)
	}
	d.chars([]byte("<"))
	return true
}

// closesTop consumes "/name>" when that is the innermost element's, spelt as usual and in the window.
func (d *junitDoc) closesTop() bool {
	if len(d.stack) == 0 || d.over > 0 {
		return false
	}
	s, name := d.scan, d.stack[len(d.stack)-1].name
	p, n := s.buf[s.i+1:s.n], len(name)
	if len(p) <= n || p[n] != '>' || string(p[:n]) != name {
		return false
	}
	s.i += n + 2
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
	k, name := d.element()
	if len(d.stack) == 0 && k != suites && k != suite && k != single {
		if p := s.peek(1); len(p) == 0 {
			return false
		}
		if d.first == "" {
			d.first = name
		}
		if k == failure || k == attempt {
			d.problem(facts.Malformed, "stray_failure", d.at(at), "<%s> stands outside any suite", name)
		}
		d.stray([]byte("<"+name), at)
		return true
	}
	t := &d.tag
	t.reset(name)
	if k == harmless && name != "warning" {
		if empty, ok := s.pass(); ok && empty {
			return true
		} else if ok {
			d.begin(t, k, at)
			return true
		}
	}
	if s.glance(t, &d.lim) != whole {
		s.again(t)
		if !s.tag(t, d.lim) {
			d.lost(t, k)
			return false
		}
	}
	if k != other && k != harmless {
		d.wellWritten(t, at)
	}
	if d.begin(t, k, at) && t.empty {
		d.finishTop()
	}
	return true
}

// element consumes a tag's name and gives what it means.
func (d *junitDoc) element() (kind, string) {
	s := d.scan
	p := s.buf[s.i:s.n]
	const usualCase = "testcase "
	if len(p) > len(usualCase) && string(p[:len(usualCase)]) == usualCase {
		s.i += len(usualCase) - 1
		return single, "testcase"
	}
	n := usualName(p)
	spelt := p[:n]
	if s.i += n; n == 0 {
		d.spell = s.appendName(d.spell[:0])
		spelt = d.spell
	}
	k, name := element(spelt)
	if name == "" {
		name = string(spelt)
	}
	return k, name
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
	if t.cut != "" {
		d.note("value_cut", d.at(at), "attribute %s of <%s> is longer than %d bytes: the rest of it is kept as a digest", t.cut, t.name, d.lim.value)
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
	in := d.room()
	if (k == stream || k == skipped) && in != between && d.speaking() {
		k = harmless // output of an earlier attempt, say: part of what it stands in
	}
	d.stack = append(d.stack, open{kind: k, name: t.name, room: between, index: -1})
	o := &d.stack[len(d.stack)-1]
	switch k {
	case suites, suite:
		d.root()
		o.suite = d.newSuite(t, k, at)
	case single:
		d.root()
		o.single = d.newCase(t, at)
	case failure, attempt, skipped:
		o.room = passed
		if o.about, o.index = d.speak(t, k); o.about != nil && !d.counting() && (k != failure || o.index >= 0) {
			o.room, o.to = kept, &d.text
			d.text.reset()
		}
	case stream:
		o.room = passed
		if c := d.stack[max(0, len(d.stack)-2)].single; c != nil && !d.counting() && (len(c.found) > 0 || d.output.total == 0) {
			o.room, o.to = kept, &d.output
			d.output.reset()
		}
	default:
		o.room = passed
		if in == kept {
			o.room, o.to = kept, d.stack[len(d.stack)-2].to
		}
		switch {
		case in != between:
		case k == other:
			d.unknown(t, at)
		case t.name == "warning":
			d.note("warning", d.at(at), "a case has a warning")
		}
	}
	return true
}

// speaking reports whether what stands here is part of an element that speaks for a case.
func (d *junitDoc) speaking() bool {
	for i := len(d.stack) - 1; i >= 0; i-- {
		switch d.stack[i].kind {
		case failure, attempt, skipped, stream:
			return true
		case single, suite, suites:
			return false
		}
	}
	return false
}

// endTag closes the element of that name, and what was left open within it.
func (d *junitDoc) endTag(name string, at int64) {
	if d.over > 0 {
		d.over--
		return
	}
	k, _ := element([]byte(name))
	i := len(d.stack) - 1
	for i >= 0 && d.stack[i].name != name {
		i--
	}
	if i < 0 {
		switch {
		case len(d.stack) == 0:
			d.stray([]byte("</"+name), at)
		case k != other && k != harmless:
			d.problem(facts.Malformed, "unmatched_tag", d.at(at), "</%s> closes nothing", name)
		default:
			d.note("unmatched_tag", d.at(at), "</%s> closes nothing", name)
		}
		return
	}
	for len(d.stack)-1 > i {
		top := d.stack[len(d.stack)-1]
		if top.kind == other || top.kind == harmless {
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
	top := &d.stack[len(d.stack)-1]
	switch top.kind {
	case failure, attempt, skipped:
		d.childText(top)
	case single:
		d.stack = d.stack[:len(d.stack)-1]
		d.endCase(top.single)
		return
	case suites, suite:
		d.stack = d.stack[:len(d.stack)-1]
		d.leave(top.suite)
		return
	}
	d.stack = d.stack[:len(d.stack)-1]
}
