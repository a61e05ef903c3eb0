package parsers

import (
	"bytes"
	"strconv"

	"factgate/facts"
)

// chars takes text between tags.
func (d *junitDoc) chars(b []byte) {
	switch d.room() {
	case outdoors:
		d.stray(b, d.scan.offset())
	case between:
		d.loose(b)
	case kept:
		if bytes.IndexByte(b, '&') >= 0 {
			d.spell = unescape(d.spell[:0], b, false)
			b = d.spell
		}
		d.stack[len(d.stack)-1].to.Write(b) // never fails
	}
}

// section reads a CDATA section behind its mark. One that goes on behind the end tag of the element that it stands in
// has lost its own end, and hides what follows.
func (d *junitDoc) section(at int64) bool {
	swallowed := false
	var end []byte
	if len(d.stack) > 0 {
		end = append(append(d.spell[:0], "</"...), d.stack[len(d.stack)-1].name...)
		d.spell = end
	}
	whole := d.scan.until("]]>", func(b []byte) {
		if i := bytes.Index(b, end); i > 1 && len(end) > 0 && b[i-2] == ']' && (b[i-1] == ']' || b[i-1] == '>') {
			swallowed = true
		}
		d.literal(b)
	})
	if swallowed {
		d.problem(facts.Malformed, "broken_cdata", d.at(at), "a CDATA section in <%s> goes on behind that element's end: its own end is not there", end[2:])
	}
	return whole
}

// literal takes the text of a CDATA section.
func (d *junitDoc) literal(b []byte) {
	switch d.room() {
	case outdoors:
		d.stray(b, d.scan.offset())
	case between:
		d.loose(b)
	case kept:
		d.stack[len(d.stack)-1].to.Write(b) // never fails
	}
}

// stray takes text outside any element. Plain text there is the output of the program; markup behind the document is
// the remains of something that was to be read.
func (d *junitDoc) stray(b []byte, at int64) {
	n := 0
	for _, x := range b {
		if !space(x) {
			n++
		}
	}
	d.junk += int64(n)
	if d.roots > 0 && len(b) > 0 && b[0] == '<' {
		d.problem(facts.Malformed, "markup_after_end", d.at(at), "markup stands behind the end of the document")
	}
}

// comment reads a comment behind its mark. Directly in the root node's test reporter writes its totals so, as it has no
// suite to state them.
func (d *junitDoc) comment(at int64) bool {
	head := capped{max: 64}
	dashes, tag := false, false
	whole := d.scan.until("-->", func(b []byte) {
		head.write(b)
		dashes = dashes || bytes.Contains(b, []byte("--"))
		tag = tag || bytes.IndexByte(b, '<') >= 0
	})
	if dashes && tag { // XML forbids two dashes: this is the beginning of a comment, what it hides, and the end of another
		d.problem(facts.Malformed, "broken_comment", d.at(at), "a comment holds two dashes and a tag: its own end is not there")
	}
	if len(d.stack) == 1 && d.stack[0].kind == suites {
		d.total(head.b)
	}
	return whole
}

// declaration notes what a declaration that was read swallowed.
func (d *junitDoc) declaration(whole bool, at int64) bool {
	if d.scan.swallowed {
		d.problem(facts.Malformed, "broken_declaration", d.at(at), "a declaration or instruction holds a tag: its own end is not there")
	}
	return whole
}

// total reads one of node's totals.
func (d *junitDoc) total(b []byte) {
	m := d.find.total.FindSubmatch(b)
	if m == nil {
		return
	}
	n, err := strconv.Atoi(string(m[2]))
	if err != nil {
		return
	}
	one := noClaims()
	switch string(m[1]) {
	case "tests":
		one.tests = n
	case "pass":
		one.passed = n
	case "fail":
		one.failures = n
	case "cancelled":
		one.errors = n
	default: // skipped and todo are two totals there
		one.skipped = n
	}
	s := d.stack[0].suite
	s.comments = s.comments.plus(one)
}

// at gives an offset for a problem, 0 where it would not be one in the file.
func (d *junitDoc) at(offset int64) int64 {
	if !d.exact {
		return 0
	}
	return offset
}
