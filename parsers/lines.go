package parsers

import (
	"fmt"
	"hash"
	"hash/fnv"
	"io"
	"unicode/utf8"
)

// lines reads a stream line by line with a stated limit. A JSON string longer than limits.value is cut on the way, with
// a digest of what is left out, so that one endless output line neither fills the memory nor loses its event.
type lines struct {
	r   *shorten
	buf []byte
	lim int

	at    int64 // offset of the line in the file
	long  bool  // the line was longer than the limit: what was read is its beginning
	whole bool  // it ended with a line end
}

func newLines(r io.Reader, lim limits) *lines {
	return &lines{r: newShorten(r, lim.value), lim: lim.line}
}

// next gives the next line without its end, false behind the last. The slice is good until the next call.
func (l *lines) next() ([]byte, bool) {
	l.buf, l.long, l.whole = l.buf[:0], false, false
	l.at = l.r.offset
	for {
		b, ok := l.r.next()
		if !ok {
			return l.buf, len(l.buf) > 0
		}
		if b == '\n' {
			l.whole = true
			if n := len(l.buf); n > 0 && l.buf[n-1] == '\r' {
				l.buf = l.buf[:n-1]
			}
			return l.buf, true
		}
		if len(l.buf) >= l.lim {
			l.long = true
			continue
		}
		l.buf = append(l.buf, b)
	}
}

// shorten passes JSON text through and cuts strings that are longer than max bytes. A line end closes any string: a raw
// one cannot stand in it, and text that is no JSON must not confuse what follows.
type shorten struct {
	r      io.Reader
	buf    []byte
	i, n   int
	done   bool
	offset int64 // bytes consumed of the text below

	max    int
	in     bool // inside a string
	escape int  // bytes of an escape that are still to come
	length int  // bytes of the string so far
	left   int  // and of it left out
	sum    hash.Hash64
	mark   []byte // what stands for what was left out, still to be passed on
	cut    int    // strings that were cut
}

func newShorten(r io.Reader, max int) *shorten {
	return &shorten{r: r, buf: make([]byte, 32<<10), max: max}
}

// raw gives the next byte of the text below.
func (s *shorten) raw() (byte, bool) {
	for tries := 0; s.i == s.n; tries++ {
		if s.done || tries > 100 {
			return 0, false
		}
		n, err := s.r.Read(s.buf)
		s.i, s.n, s.done = 0, n, err != nil
	}
	s.i++
	s.offset++
	return s.buf[s.i-1], true
}

// next gives the next byte of the shortened text.
func (s *shorten) next() (byte, bool) {
	for {
		if len(s.mark) > 0 {
			b := s.mark[0]
			s.mark = s.mark[1:]
			return b, true
		}
		b, ok := s.raw()
		if !ok {
			return 0, false
		}
		if !s.in {
			if b == '"' {
				s.in, s.escape, s.length, s.left = true, 0, 0, 0
			}
			return b, true
		}
		ends := b == '\n' || b == '"' && s.escape == 0
		// An escape and a rune are kept or left out whole.
		if starts := s.escape == 0 && utf8.RuneStart(b); !ends && s.length >= s.max && (s.left > 0 || starts) {
			s.leave(b)
			continue
		}
		s.step(b)
		if ends {
			s.in = false
			if s.left > 0 {
				s.cut++
				s.mark = append(fmt.Appendf(nil, "…[%d bytes left out, %016x]", s.left, s.sum.Sum64()), b)
				continue
			}
		}
		return b, true
	}
}

// leave drops a byte of a string.
func (s *shorten) leave(b byte) {
	if s.left == 0 {
		s.sum = fnv.New64a()
	}
	s.left++
	s.sum.Write([]byte{b}) // never fails
	s.step(b)
}

// step follows escapes: \uXXXX has five bytes behind the backslash, any other one. A surrogate pair may be divided; the
// decoder replaces its half.
func (s *shorten) step(b byte) {
	s.length++
	switch {
	case s.escape == 0 && b == '\\':
		s.escape = -1 // the next byte says how long it is
	case s.escape == -1 && b == 'u':
		s.escape = 4
	case s.escape == -1:
		s.escape = 0
	case s.escape > 0:
		s.escape--
	}
}

// Read lets a decoder read the shortened text.
func (s *shorten) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if n > 0 && s.i == s.n && len(s.mark) == 0 {
			break // do not wait below for more while there is something to give
		}
		b, ok := s.next()
		if !ok {
			if n == 0 {
				return 0, io.EOF
			}
			break
		}
		p[n] = b
		n++
	}
	return n, nil
}
