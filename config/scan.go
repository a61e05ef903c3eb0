package config

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxDepth   = 16  // names of a key, inline tables and arrays around a value, all together; the schema needs 5
	maxName    = 256 // bytes of one name of a key
	lookBehind = 64  // bytes that the decoder sees behind the first irregular one, to say what is wrong
)

// scan walks over the text of a TOML file before the decoder may. It accepts more than TOML does, never less, and cuts
// strings, comments and brackets as TOML does: on every text that the decoder accepts, scan has seen the same keys at
// the same depth. Where the text is irregular, scan stops, and the decoder gets no more than what scan has seen.
type scan struct {
	text  string
	i     int
	base  []string // of the table that the last header opened
	keys  positions
	kinds map[string]defined
	lists map[string]int // arrays of tables: how many elements there are so far
	twice []twice
	limit *limitError
}

// defined is how a key came to be.
type defined uint8

const (
	undefined defined = iota
	implied           // a header below it names it
	header            // [key]
	dottedKey         // a dotted key names it on the way
	value             // key = value
)

// twice is a key that the file defines again.
type twice struct {
	path       []string
	first, off int
	closed     bool // the first is a value, and this adds to it
}

// limitError is a bound of ours that the text does not keep.
type limitError struct {
	off  int
	text string
}

// stop is the panic value by which the scanner leaves its recursion; it never leaves run.
type stop struct{}

// scanText returns what it found. vetted is the length of the text that the decoder may be given.
func scanText(text string) (s *scan, vetted int) {
	s = &scan{text: text, keys: newPositions(text), kinds: map[string]defined{}, lists: map[string]int{}}
	if s.run() {
		return s, len(text)
	}
	vetted = min(s.i+lookBehind, len(text))
	for vetted < len(text) && !utf8.RuneStart(text[vetted]) {
		vetted++
	}
	return s, vetted
}

func (s *scan) run() (whole bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ours := r.(stop); !ours {
				panic(r)
			}
			whole = false
		}
	}()
	for {
		s.space(true)
		switch {
		case s.i == len(s.text):
			return true
		case s.peek() == '[':
			s.header()
		default:
			s.pair(s.base)
		}
		s.space(false)
		if s.peek() == '\r' {
			s.i++
		}
		if s.i < len(s.text) {
			s.need('\n')
		}
	}
}

func (s *scan) peek() byte {
	if s.i < len(s.text) {
		return s.text[s.i]
	}
	return 0
}

func (s *scan) need(c byte) {
	if s.peek() != c {
		panic(stop{})
	}
	s.i++
}

// space skips blanks and comments, and line breaks where they may stand.
func (s *scan) space(breaks bool) {
	for s.i < len(s.text) {
		switch c := s.text[s.i]; {
		case c == ' ', c == '\t', breaks && (c == '\n' || c == '\r'):
			s.i++
		case c == '#':
			if n := strings.IndexByte(s.text[s.i:], '\n'); n >= 0 {
				s.i += n
			} else {
				s.i = len(s.text)
			}
		default:
			return
		}
	}
}

func (s *scan) blanks() {
	for s.peek() == ' ' || s.peek() == '\t' {
		s.i++
	}
}

// name is one part of a key, and where it stands.
type name struct {
	text string
	off  int
}

func (s *scan) header() {
	s.need('[')
	list := s.peek() == '['
	if list {
		s.i++
	}
	names := s.key(0)
	s.need(']')
	if list {
		s.need(']')
	}
	var path []string
	for i, n := range names {
		path = append(path, n.text)
		last := i == len(names)-1
		k := join(path)
		s.keys.add(k, n.off)
		switch {
		case last && list:
			if _, ok := s.lists[k]; !ok && s.kinds[k] != undefined {
				s.again(path, n.off, false)
			}
			s.kinds[k] = header
			s.lists[k]++
		case last:
			if had := s.kinds[k]; had != undefined && had != implied {
				s.again(path, n.off, false)
			}
			s.kinds[k] = header
		case s.kinds[k] == value:
			s.again(path, n.off, true)
		case s.kinds[k] == undefined:
			s.kinds[k] = implied
		}
		if count, ok := s.lists[k]; ok {
			path = append(path, element+strconv.Itoa(count-1))
			s.keys.add(join(path), n.off)
		}
	}
	s.base = path
}

// key reads a dotted key. depth is that of what stands around it.
func (s *scan) key(depth int) []name {
	var names []name
	for {
		s.blanks()
		n := name{off: s.i}
		n.text = s.name()
		if len(n.text) > maxName {
			s.exceeds(n.off, "this name is longer than "+strconv.Itoa(maxName)+" bytes")
		}
		names = append(names, n)
		if depth+len(names) > maxDepth {
			s.exceeds(n.off, "nested deeper than "+strconv.Itoa(maxDepth)+" levels")
		}
		s.blanks()
		if s.peek() != '.' {
			return names
		}
		s.i++
	}
}

func (s *scan) name() string {
	start := s.i
	switch s.peek() {
	case '"':
		s.quoted('"')
		return unescape(s.text[start+1 : s.i-1])
	case '\'':
		s.quoted('\'')
		return s.text[start+1 : s.i-1]
	}
	for s.i < len(s.text) && isBareRune(rune(s.text[s.i])) {
		s.i++
	}
	if s.i == start {
		panic(stop{})
	}
	return s.text[start:s.i]
}

// pair reads key = value below base.
func (s *scan) pair(base []string) {
	names := s.key(len(base))
	s.need('=')
	path := base[:len(base):len(base)]
	for i, n := range names {
		path = append(path, n.text)
		k := join(path)
		s.keys.add(k, n.off)
		had := s.kinds[k]
		if i == len(names)-1 {
			if had != undefined {
				s.again(path, n.off, false)
			}
			s.kinds[k] = value
		} else if had == undefined {
			s.kinds[k] = dottedKey
		} else if had != dottedKey {
			// A table with a header, or a value, is closed; the decoder would let the former pass.
			s.again(path, n.off, had == value)
		}
	}
	s.blanks()
	s.value(path)
}

func (s *scan) value(path []string) {
	switch s.peek() {
	case '"', '\'':
		s.quoted(s.peek())
	case '[':
		s.list(path)
	case '{':
		s.inline(path)
	default:
		n := strings.IndexAny(s.text[s.i:], ",]}#\n")
		if n == 0 {
			panic(stop{})
		}
		if n < 0 {
			n = len(s.text) - s.i
		}
		s.i += n
	}
}

func (s *scan) list(path []string) {
	if len(path) >= maxDepth {
		s.exceeds(s.i, "nested deeper than "+strconv.Itoa(maxDepth)+" levels")
	}
	s.i++
	for n := 0; ; n++ {
		s.space(true)
		if s.peek() == ']' {
			break
		}
		at := append(path[:len(path):len(path)], element+strconv.Itoa(n))
		s.keys.add(join(at), s.i)
		s.value(at)
		s.space(true)
		if s.peek() != ',' {
			break
		}
		s.i++
	}
	s.need(']')
}

func (s *scan) inline(path []string) {
	if len(path) >= maxDepth {
		s.exceeds(s.i, "nested deeper than "+strconv.Itoa(maxDepth)+" levels")
	}
	s.i++
	for {
		s.space(true)
		if s.peek() == '}' {
			break
		}
		s.pair(path)
		s.space(true)
		if s.peek() != ',' {
			break
		}
		s.i++
	}
	s.need('}')
}

// quoted skips a string of any of TOML's four kinds, from its first quote.
func (s *scan) quoted(q byte) {
	triple := strings.Repeat(string(q), 3)
	long := strings.HasPrefix(s.text[s.i:], triple)
	s.i++
	if long {
		s.i += 2
	}
	for s.i < len(s.text) {
		switch c := s.text[s.i]; {
		case c == '\\' && q == '"':
			s.i = min(s.i+2, len(s.text))
		case c == '\n' && !long:
			panic(stop{})
		case c == q && !long:
			s.i++
			return
		case c == q && strings.HasPrefix(s.text[s.i:], triple):
			s.i += 3
			// One or two more quotes belong to the string: it ends with the last three.
			for n := 0; n < 2 && s.peek() == q; n++ {
				s.i++
			}
			return
		default:
			s.i++
		}
	}
	panic(stop{})
}

func (s *scan) exceeds(off int, text string) {
	s.limit = &limitError{off, text}
	panic(stop{})
}

func (s *scan) again(path []string, off int, closed bool) {
	first, _ := s.keys.offset(join(path))
	s.twice = append(s.twice, twice{append([]string(nil), path...), first, off, closed})
}

// unescape replaces the escapes of a basic string. What is none stays; the decoder refuses it.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	simple := map[byte]string{'b': "\b", 't': "\t", 'n': "\n", 'f': "\f", 'r': "\r", 'e': "\x1b", '"': `"`, '\\': `\`}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if r, ok := simple[s[i]]; ok {
			b.WriteString(r)
		} else if n := digits[s[i]]; n > 0 && i+n < len(s) {
			if code, err := strconv.ParseUint(s[i+1:i+1+n], 16, 32); err == nil {
				b.WriteRune(rune(code))
			}
			i += n
		}
	}
	return b.String()
}
