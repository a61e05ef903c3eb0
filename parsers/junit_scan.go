package parsers

import (
	"bytes"
	"encoding/binary"
	"io"
)

// scanner reads markup from a window of fixed size, in one pass. It knows where things end and nothing of what they
// mean; what stands in the way of understanding is said by its callers.
type scanner struct {
	r    io.Reader
	buf  []byte
	i, n int   // buf[i:n] is still to be read
	base int64 // offset of buf[0] in the text
	done bool  // nothing more comes

	swallowed bool // the last declaration held what belongs to elements: its own end is not there
}

// sink takes text as it is read. It must not keep the slice.
type sink func([]byte)

// A document that is longer than small gets the full window: most are shorter.
const (
	smallWindow = 16 << 10
	fullWindow  = 64 << 10
)

func newScanner(r io.Reader) *scanner { return &scanner{r: r, buf: make([]byte, smallWindow)} }

func (s *scanner) offset() int64 { return s.base + int64(s.i) }

// fill reads more behind what is left, as much as the window holds, and reports whether there is more than before.
func (s *scanner) fill() bool {
	if s.done {
		return false
	}
	to := s.buf
	if len(to) < fullWindow && s.base+int64(s.n) >= smallWindow {
		to = make([]byte, fullWindow)
	}
	copy(to, s.buf[s.i:s.n])
	s.base += int64(s.i)
	s.buf, s.i, s.n = to, 0, s.n-s.i
	before := s.n
	for tries := 0; s.n < len(s.buf) && tries < 100; tries++ {
		k, err := s.r.Read(s.buf[s.n:])
		if s.n += k; err != nil {
			s.done = true
			break
		}
		if k > 0 {
			tries = 0
		}
	}
	s.done = s.done || s.n < len(s.buf)
	return s.n > before
}

// peek gives the next k bytes, or fewer at the end. k is far below the window.
func (s *scanner) peek(k int) []byte {
	for s.n-s.i < k && s.fill() {
	}
	return s.buf[s.i:min(s.i+k, s.n)]
}

// next gives one byte, false at the end.
func (s *scanner) next() (byte, bool) {
	if s.i == s.n && !s.fill() {
		return 0, false
	}
	s.i++
	return s.buf[s.i-1], true
}

// until consumes everything through delim and hands what stands before it to keep. It is false when the end came first.
func (s *scanner) until(delim string, keep sink) bool {
	d := []byte(delim)
	for {
		if k := bytes.Index(s.buf[s.i:s.n], d); k >= 0 {
			keep.put(s.buf[s.i : s.i+k])
			s.i += k + len(d)
			return true
		}
		if k := s.n - s.i - len(d) + 1; k > 0 {
			keep.put(s.buf[s.i : s.i+k])
			s.i += k
		}
		if !s.fill() {
			keep.put(s.buf[s.i:s.n])
			s.i = s.n
			return false
		}
	}
}

// longest is the most bytes that a character reference takes: &#x10FFFF; with some leading zeros.
const longest = 16

// text consumes everything before the next '<' and hands it to keep in pieces that do not divide a character reference.
// It is false at the end of the text.
func (s *scanner) text(keep sink) bool {
	for {
		if k := bytes.IndexByte(s.buf[s.i:s.n], '<'); k >= 0 {
			keep.put(s.buf[s.i : s.i+k])
			s.i += k
			return true
		}
		k := s.n
		if amp := bytes.LastIndexByte(s.buf[s.i:s.n], '&'); amp >= 0 && s.n-s.i-amp < longest {
			k = s.i + amp
		}
		keep.put(s.buf[s.i:k])
		s.i = k
		if !s.fill() {
			keep.put(s.buf[s.i:s.n])
			s.i = s.n
			return false
		}
	}
}

// blank consumes space before a '<', when nothing else stands there. It is false when something does, or it cannot tell,
// and has consumed nothing.
func (s *scanner) blank() bool {
	for i := s.i; i < s.n; i++ {
		switch s.buf[i] {
		case '<':
			s.i = i
			return true
		case ' ', '\n', '\r', '\t':
		default:
			return false
		}
	}
	return false
}

func (k sink) put(b []byte) {
	if k != nil && len(b) > 0 {
		k(b)
	}
}

// has reports whether the text goes on with a word, letters compared without case, and consumes it if so.
func (s *scanner) has(word string) bool {
	b := s.peek(len(word))
	if len(b) < len(word) || !bytes.EqualFold(b, []byte(word)) {
		return false
	}
	s.i += len(word)
	return true
}

// doctype consumes a document type declaration behind "<!DOCTYPE". Its subset is passed over: nothing in it is read,
// expanded or opened.
func (s *scanner) doctype() bool {
	s.swallowed = false
	for inner := 0; ; {
		b, ok := s.next()
		switch {
		case !ok:
			return false
		case b == '"' || b == '\'':
			if !s.until(string(b), nil) {
				return false
			}
		case b == '<' && s.has("!--"):
			if !s.until("-->", nil) {
				return false
			}
		case b == '<' && s.has("?"):
			if !s.until("?>", nil) {
				return false
			}
		case b == '<':
			if p := s.peek(1); len(p) == 1 && p[0] != '!' {
				s.swallowed = true
			}
		case b == '[':
			inner++
		case b == ']':
			inner--
		case b == '>' && inner <= 0:
			return true
		}
	}
}

// instruction consumes a processing instruction or the XML declaration behind its mark.
func (s *scanner) instruction() bool {
	s.swallowed = false
	return s.until("?>", func(b []byte) { s.swallowed = s.swallowed || bytes.IndexByte(b, '<') >= 0 })
}

// skipSpace gives the next byte that is no space, without consuming it.
func (s *scanner) skipSpace() (byte, bool) {
	for s.i < s.n || s.fill() {
		if !space(s.buf[s.i]) {
			return s.buf[s.i], true
		}
		s.i++
	}
	return 0, false
}

func space(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// nameStart reports whether a tag's name can begin with b. Bytes of other scripts all may.
func nameStart(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_' || b == ':' || b >= 0x80
}

func nameByte(b byte) bool { return nameStart(b) || b >= '0' && b <= '9' || b == '-' || b == '.' }

// usual reports whether b stands in names as nearly all writers spell them: lower case and without a prefix. Such a name
// is its own key.
func usual(b byte) bool {
	return b >= 'a' && b <= 'z' || b == '-' || b == '_' || b >= '0' && b <= '9' || b == '.'
}

// usualName gives the length of the name that b begins with, when it is usual and its end is in b too, else 0.
func usualName(b []byte) int {
	for i, x := range b {
		if usual(x) {
			continue
		}
		if i > 0 && i <= 100 && nameStart(b[0]) && !nameByte(x) {
			return i
		}
		return 0
	}
	return 0
}

// plain reports whether b is its own meaning: ASCII without control characters and without the '&' of a reference.
func plain(b []byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for len(b) >= 8 {
		x := binary.LittleEndian.Uint64(b)
		amp := x ^ '&'*ones
		if (x|(x-' '*ones)|(amp-ones)&^amp)&highs != 0 { // a byte above 127, below a space, or equal to '&'
			return false
		}
		b = b[8:]
	}
	for _, x := range b {
		if x < ' ' || x >= 0x80 || x == '&' {
			return false
		}
	}
	return true
}

// appendName consumes a name of which at most 100 bytes are kept, in lower case and without its namespace prefix.
func (s *scanner) appendName(dst []byte) []byte {
	start := len(dst)
	for {
		if s.i == s.n && !s.fill() {
			return dst
		}
		b := s.buf[s.i]
		if !nameByte(b) {
			return dst
		}
		s.i++
		switch {
		case b == ':':
			dst = dst[:start]
		case len(dst)-start < 100:
			if b >= 'A' && b <= 'Z' {
				b += 'a' - 'A'
			}
			dst = append(dst, b)
		}
	}
}
