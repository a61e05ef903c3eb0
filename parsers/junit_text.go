package parsers

import (
	"bytes"
	"strconv"

	"factgate/facts"
)

// collecting reports whether text that stands here is kept.
func (d *junitDoc) collecting() bool {
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

// chars takes text between tags.
func (d *junitDoc) chars(b []byte) {
	if len(d.stack) == 0 {
		d.stray(b, d.scan.offset())
	} else if d.collecting() {
		if bytes.IndexByte(b, '&') >= 0 {
			b = unescape(make([]byte, 0, len(b)), b, false)
		}
		d.text.Write(b) // never fails
	}
}

// literal takes the text of a CDATA section.
func (d *junitDoc) literal(b []byte) {
	if len(d.stack) == 0 {
		d.stray(b, d.scan.offset())
	} else if d.collecting() {
		d.text.Write(b) // never fails
	}
}

// stray takes text outside any element. Plain text there is the output of the program; markup behind the document is
// the remains of something that was to be read.
func (d *junitDoc) stray(b []byte, at int64) {
	if len(d.stack) > 0 {
		d.chars(b)
		return
	}
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

// comment reads a comment directly in the root: node's test reporter writes its totals so, as it has no suite to state
// them.
func (d *junitDoc) comment(b []byte) {
	if len(d.stack) != 1 || d.stack[0].kind != suites {
		return
	}
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
