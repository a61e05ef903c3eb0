package parsers

import (
	"bytes"
	"fmt"
	"hash"
	"hash/fnv"
	"strconv"
	"strings"
	"unicode/utf8"

	"factgate/facts"
)

// tag is one start tag. Only the attributes that mean something are kept; their values are good until more is read.
type tag struct {
	name  string
	attrs []attr
	empty bool // <name/>
	every bool // keep every attribute, whatever its name

	bad    string // what is wrong with how it is written, empty when nothing
	many   bool   // it has more attributes than are read
	twice  string // an attribute that is given twice
	damned string // an attribute of no meaning whose value is a word for failure
}

type attr struct {
	value []byte // as it is written
	id    attrID
	name  string // where it means nothing
}

// attrID is an attribute that a reader of JUnit files can make something of.
type attrID uint8

const (
	noAttr attrID = iota
	aName
	aClassname
	aClass
	aFile
	aFilepath
	aLine
	aLineno
	aTime
	aDuration
	aStatus
	aResult
	aMessage
	aType
	aTests
	aFailures
	aErrors
	aSkipped
	aSkip
	aSkips
	aDisabled
	aIgnored
	aPackage
)

// attribute gives an attribute's name without a copy of it, and noAttr for one that means nothing.
func attribute(name []byte) (attrID, string) {
	switch string(name) {
	case "name":
		return aName, "name"
	case "classname":
		return aClassname, "classname"
	case "class":
		return aClass, "class"
	case "file":
		return aFile, "file"
	case "filepath":
		return aFilepath, "filepath"
	case "line":
		return aLine, "line"
	case "lineno":
		return aLineno, "lineno"
	case "time":
		return aTime, "time"
	case "duration":
		return aDuration, "duration"
	case "status":
		return aStatus, "status"
	case "result":
		return aResult, "result"
	case "message":
		return aMessage, "message"
	case "type":
		return aType, "type"
	case "tests":
		return aTests, "tests"
	case "failures":
		return aFailures, "failures"
	case "errors":
		return aErrors, "errors"
	case "skipped":
		return aSkipped, "skipped"
	case "skip":
		return aSkip, "skip"
	case "skips":
		return aSkips, "skips"
	case "disabled":
		return aDisabled, "disabled"
	case "ignored":
		return aIgnored, "ignored"
	case "package":
		return aPackage, "package"
	}
	return noAttr, ""
}

// reset makes t ready for another tag. What its attributes pointed to may stay until then.
func (t *tag) reset(name string) {
	t.name, t.attrs, t.empty, t.many = name, t.attrs[:0], false, false
	if t.bad != "" || t.twice != "" || t.damned != "" {
		t.bad, t.twice, t.damned = "", "", ""
	}
}

// get gives an attribute's first value.
func (t *tag) get(name string) []byte {
	id, _ := attribute([]byte(name))
	for i := range t.attrs {
		if a := &t.attrs[i]; a.id == id && (id != noAttr || a.name == name) {
			return resolve(a.value)
		}
	}
	return nil
}

// all calls f with every value of an attribute: a document may give it twice.
func (t *tag) all(name string, f func([]byte)) {
	id, _ := attribute([]byte(name))
	for i := range t.attrs {
		if a := &t.attrs[i]; a.id == id && (id != noAttr || a.name == name) {
			f(resolve(a.value))
		}
	}
}

// resolve gives a value with its character references resolved.
func resolve(value []byte) []byte {
	if plain(value) {
		return value
	}
	return unescape(make([]byte, 0, len(value)), value, true)
}

// glance is what came of a look at a tag.
type glance uint8

const (
	unusual glance = iota // it must be read with care
	short                 // its end is not in the window
	whole                 // it was read
)

// glance reads a start tag behind its name where it lies in the window as a whole and is written as nearly all are:
// usual names, quoted values, nothing twice. Otherwise nothing is consumed. Values are slices of the window.
func (s *scanner) glance(t *tag, lim *limits) glance {
	p := s.buf[s.i:s.n]
	var seen uint32
	for j, count := 0, 0; ; {
		for j < len(p) && space(p[j]) {
			j++
		}
		if j >= len(p) {
			return short
		}
		switch p[j] {
		case '>':
			s.i += j + 1
			return whole
		case '/':
			if j+1 < len(p) && p[j+1] == '>' {
				t.empty = true
				s.i += j + 2
				return whole
			}
			return unusual
		}
		from := j
		id, n := frequent(p[j:])
		if j += n; n == 0 {
			for j < len(p) && nameByte(p[j]) {
				j++
			}
			id = spelt(p[from:j])
		}
		if j+1 >= len(p) {
			return short
		}
		q := p[j+1]
		if j == from || p[j] != '=' || q != '"' && q != '\'' || !nameStart(p[from]) {
			return unusual
		}
		name := p[from:j]
		j += 2
		k := bytes.IndexByte(p[j:], q)
		if k < 0 || j+k+1 >= len(p) {
			return short
		}
		v := p[j : j+k]
		j += k + 1
		if c := p[j]; c != ' ' && c != '>' && c != '/' && !space(c) {
			return unusual
		}
		if count++; count > lim.attrs || k > lim.value || len(name) > 100 {
			return unusual
		}
		if id != noAttr {
			if seen&(1<<id) != 0 {
				return unusual
			}
			seen |= 1 << id
			t.attrs = append(t.attrs, attr{value: v, id: id})
			continue
		}
		if t.every {
			t.attrs = append(t.attrs, attr{value: v, name: lower(name)})
		} else if damning(v) {
			t.damned = lower(name)
		}
	}
}

// spelt gives the attribute of a name in any spelling.
func spelt(name []byte) attrID {
	if id, _ := attribute(name); id != noAttr {
		return id
	}
	for _, b := range name {
		if b == ':' || b >= 'A' && b <= 'Z' {
			id, _ := attribute([]byte(lower(name)))
			return id
		}
	}
	return noAttr
}

// lower gives a name in lower case and without its prefix.
func lower(name []byte) string {
	name = name[bytes.LastIndexByte(name, ':')+1:]
	return strings.ToLower(string(name))
}

// frequent gives the attribute that p begins with and the length of its name, if it is one of the three that nearly every
// case has.
func frequent(p []byte) (attrID, int) {
	switch {
	case len(p) < len("classname="):
	case string(p[:5]) == "name=":
		return aName, 4
	case string(p[:10]) == "classname=":
		return aClassname, 9
	case string(p[:5]) == "time=":
		return aTime, 4
	}
	return noAttr, 0
}

// pass consumes a start tag of which nothing matters but its end, when that is in the window and easy to tell: behind
// pairs of double quotes. It reports whether the tag closes itself too.
func (s *scanner) pass() (empty, ok bool) {
	p := s.buf[s.i:s.n]
	k := bytes.IndexByte(p, '>')
	if k < 0 || bytes.Count(p[:k], []byte{'"'})%2 != 0 || bytes.IndexByte(p[:k], '\'') >= 0 || bytes.IndexByte(p[:k], '<') >= 0 {
		return false, false
	}
	s.i += k + 1
	return k > 0 && p[k-1] == '/', true
}

// damning reports whether a value is a word for failure, in the spelling of a status.
func damning(v []byte) bool {
	if len(v) < 4 || len(v) > 9 {
		return false
	}
	switch v[0] | 0x20 {
	case 'f', 'e', 'b', 'c', 'a', 't':
		s, known := statusWord(strings.ToLower(string(v)))
		return known && (s == facts.Failed || s == facts.Errored)
	}
	return false
}

// tag consumes a start tag behind its name. It is false when the end of the text came first.
func (s *scanner) tag(t *tag, lim limits) bool {
	g := s.glance(t, &lim)
	if g == short && !s.done {
		s.again(t)
		s.fill()
		g = s.glance(t, &lim)
	}
	if g == whole {
		return true
	}
	s.again(t)
	return s.careful(t, lim)
}

// again forgets what a glance has seen.
func (s *scanner) again(t *tag) { t.reset(t.name) }

// careful reads what glance could not.
func (s *scanner) careful(t *tag, lim limits) bool {
	var name []byte
	for count := 0; ; {
		b, ok := s.next()
		switch {
		case !ok:
			return false
		case space(b):
			continue
		case b == '>':
			return true
		case b == '/':
			if p := s.peek(1); len(p) == 1 && p[0] == '>' {
				s.i++
				t.empty = true
				return true
			}
			t.bad = "a '/' inside the tag"
			continue
		case b == '<':
			s.i-- // the next tag begins: this one was never closed
			t.bad = "the tag is not closed"
			return true
		case !nameStart(b):
			t.bad = fmt.Sprintf("%q where an attribute should begin", b)
			continue
		}
		s.i--
		name = s.appendName(name[:0])
		if count++; count > lim.attrs {
			t.many = true
		}
		if !s.value(t, name, lim) {
			return false
		}
	}
}

// value consumes "= value" behind an attribute's name.
func (s *scanner) value(t *tag, spelt []byte, lim limits) bool {
	id, name := attribute(spelt)
	if id == noAttr {
		name = string(spelt)
	}
	keep := (id != noAttr || t.every) && !t.many
	if b, ok := s.skipSpace(); !ok {
		return false
	} else if b != '=' {
		if keep {
			t.bad = "attribute " + name + " has no value"
		}
		return true
	}
	s.i++
	q, ok := s.skipSpace()
	if !ok {
		return false
	}
	var v capped
	if v.max = 16; keep { // long enough for a word
		v.max = lim.value
	}
	put := sink(v.write)
	if q != '"' && q != '\'' {
		t.bad = "the value of attribute " + name + " is not quoted"
		for {
			p := s.peek(1)
			if len(p) == 0 {
				return false
			}
			if space(p[0]) || p[0] == '>' {
				break
			}
			put.put(p)
			s.i++
		}
	} else {
		s.i++
		if !s.until(string(q), put) {
			return false
		}
		if p := s.peek(1); len(p) == 1 && !space(p[0]) && p[0] != '>' && p[0] != '/' && p[0] != '?' {
			t.bad = "attribute " + name + " is followed by " + strconv.QuoteRune(rune(p[0]))
		}
	}
	switch {
	case keep:
		if t.get(name) != nil {
			t.twice = name
		}
		t.attrs = append(t.attrs, attr{value: v.value(), id: id, name: name})
	case id == noAttr && v.over == 0 && damning(v.b):
		t.damned = name
	}
	return true
}

// capped keeps the beginning of a value and a digest of the rest.
type capped struct {
	max  int
	b    []byte
	over int
	sum  hash.Hash64
}

func (v *capped) write(p []byte) {
	if room := v.max - len(v.b); room > 0 {
		k := min(room, len(p))
		v.b = append(v.b, p[:k]...)
		p = p[k:]
	}
	if len(p) > 0 {
		v.over += len(p)
		if v.sum == nil {
			v.sum = fnv.New64a()
		}
		v.sum.Write(p) // never fails
	}
}

// value gives what was kept, never nil.
func (v *capped) value() []byte {
	if v.over > 0 {
		return fmt.Appendf(v.b, "…[%d more bytes, %016x]", v.over, v.sum.Sum64())
	}
	return append([]byte{}, v.b...)
}

// unescape appends text with its character references resolved: the five of XML and numbers. Any other stays as it is
// written: nothing that a document declares is expanded. In an attribute, raw line ends and tabs are spaces.
func unescape(dst, src []byte, attribute bool) []byte {
	for i := 0; i < len(src); i++ {
		from := i
		if attribute {
			for i < len(src) && src[i] != '&' && (src[i] == ' ' || !space(src[i])) {
				i++
			}
		} else if k := bytes.IndexByte(src[i:], '&'); k >= 0 {
			i += k
		} else {
			i = len(src)
		}
		if dst = append(dst, src[from:i]...); i == len(src) {
			break
		}
		if src[i] != '&' {
			dst = append(dst, ' ')
			continue
		}
		r, n := reference(src[i:])
		if n == 0 {
			dst = append(dst, '&')
			continue
		}
		dst = utf8.AppendRune(dst, r)
		i += n - 1
	}
	return dst
}

// reference reads one character reference at the start of b; n is its length, 0 when it is none.
func reference(b []byte) (r rune, n int) {
	end := 1
	for end < len(b) && end < longest && b[end] != ';' {
		if b[end] == '&' || space(b[end]) {
			return 0, 0
		}
		end++
	}
	if end >= len(b) || b[end] != ';' || end < 2 {
		return 0, 0
	}
	switch w := string(b[1:end]); w {
	case "lt":
		return '<', end + 1
	case "gt":
		return '>', end + 1
	case "amp":
		return '&', end + 1
	case "quot":
		return '"', end + 1
	case "apos":
		return '\'', end + 1
	default:
		if w[0] != '#' {
			return 0, 0
		}
		base, digits := 10, w[1:]
		if len(digits) > 0 && (digits[0] == 'x' || digits[0] == 'X') {
			base, digits = 16, digits[1:]
		}
		v, err := strconv.ParseUint(digits, base, 32)
		if err != nil {
			return 0, 0
		}
		if v > utf8.MaxRune {
			v = utf8.RuneError
		}
		return rune(v), end + 1
	}
}
