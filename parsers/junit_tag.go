package parsers

import (
	"fmt"
	"hash"
	"hash/fnv"
	"strconv"
	"unicode/utf8"
)

// tag is one start tag. Only the attributes that mean something are kept.
type tag struct {
	name  string
	attrs []attr
	empty bool // <name/>
	every bool // keep every attribute, whatever its name

	bad   string // what is wrong with how it is written, empty when nothing
	many  bool   // it has more attributes than are read
	twice string // an attribute that is given twice
}

type attr struct {
	name  string
	value []byte // character references resolved
}

// meaningful is every attribute that a reader of JUnit files can make something of.
func meaningful(name []byte) bool {
	switch string(name) {
	case "name", "classname", "class", "file", "filepath", "line", "lineno", "time", "duration", "status", "result", "message", "type",
		"tests", "failures", "errors", "skipped", "skip", "skips", "disabled", "ignored", "package":
		return true
	}
	return false
}

// get gives an attribute's first value.
func (t *tag) get(name string) []byte {
	for i := range t.attrs {
		if t.attrs[i].name == name {
			return t.attrs[i].value
		}
	}
	return nil
}

// all calls f with every value of an attribute: a document may give it twice.
func (t *tag) all(name string, f func([]byte)) {
	for i := range t.attrs {
		if t.attrs[i].name == name {
			f(t.attrs[i].value)
		}
	}
}

// tag consumes a start tag behind its name. It is false when the end of the text came first.
func (s *scanner) tag(t *tag, lim limits) bool {
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
		if !s.value(t, string(name), (t.every || meaningful(name)) && !t.many, lim) {
			return false
		}
	}
}

// value consumes "= value" behind an attribute's name.
func (s *scanner) value(t *tag, name string, keep bool, lim limits) bool {
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
	var put sink
	if keep {
		v.max = lim.value
		put = v.write
	}
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
	if keep {
		if t.get(name) != nil {
			t.twice = name
		}
		t.attrs = append(t.attrs, attr{name, v.value()})
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

// value gives what was kept with its character references resolved, never nil.
func (v *capped) value() []byte {
	out := unescape(make([]byte, 0, len(v.b)), v.b, true)
	if v.over > 0 {
		out = fmt.Appendf(out, "…[%d more bytes, %016x]", v.over, v.sum.Sum64())
	}
	return out
}

// unescape appends text with its character references resolved: the five of XML and numbers. Any other stays as it is
// written: nothing that a document declares is expanded. In an attribute, raw line ends and tabs are spaces.
func unescape(dst, src []byte, attribute bool) []byte {
	for i := 0; i < len(src); i++ {
		b := src[i]
		switch {
		case b == '&':
			r, n := reference(src[i:])
			if n == 0 {
				dst = append(dst, b)
				continue
			}
			dst = utf8.AppendRune(dst, r)
			i += n - 1
		case attribute && space(b):
			dst = append(dst, ' ')
		default:
			dst = append(dst, b)
		}
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
