package parsers

import (
	"bytes"
	"fmt"
	"hash"
	"hash/fnv"
	"strconv"
)

// tag is one start tag. Only the attributes that mean something are kept; their values are good until more is read.
type tag struct {
	name  string
	attrs []attr
	empty bool // <name/>
	every bool // keep every attribute, whatever its name

	bad    string // what is wrong with how it is written, empty when nothing
	many   bool   // it has more attributes than are read
	cut    string // an attribute whose value is longer than is kept
	twice  string // an attribute that is given twice
	damned string // an attribute of no meaning whose value is a word for failure
}

// reset makes t ready for another tag. What its attributes pointed to may stay until then.
func (t *tag) reset(name string) {
	t.name, t.attrs, t.empty, t.many = name, t.attrs[:0], false, false
	if t.bad != "" || t.twice != "" || t.cut != "" || t.damned != "" {
		t.bad, t.twice, t.cut, t.damned = "", "", "", ""
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
		if v.over > 0 {
			t.cut = name
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
