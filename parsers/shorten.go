package parsers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"unicode/utf8"
)

// shorten passes JSON text through and cuts strings that are longer than max bytes. A line end closes any string: a raw
// one cannot stand in it, and text that is no JSON must not confuse what follows.
type shorten struct {
	r      io.Reader
	buf    []byte
	kept   []byte // what was made of buf
	rest   []byte // the end of kept, still to be passed on
	done   bool
	offset int64 // bytes consumed of the text below

	max    int
	in     bool   // inside a string
	escape int    // bytes of an escape that are still to come, -1 when the next says how many
	length int    // bytes of the string so far
	left   int    // and of it left out
	sum    uint64 // their FNV-1a digest
	cut    int    // strings that were cut
}

func newShorten(r io.Reader, max int) *shorten {
	return &shorten{r: r, buf: make([]byte, 32<<10), max: max}
}

// Read lets a decoder read the shortened text.
func (s *shorten) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.done {
			return 0, io.EOF
		}
		n, err := s.r.Read(s.buf)
		s.done = err != nil
		s.offset += int64(n)
		s.kept = s.pass(s.kept[:0], s.buf[:n])
		s.rest = s.kept
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// pass appends to dst what stays of p, which continues what was passed before.
func (s *shorten) pass(dst, p []byte) []byte {
	for len(p) > 0 {
		if !s.in {
			k := bytes.IndexByte(p, '"')
			if k < 0 {
				return append(dst, p...)
			}
			dst, p = append(dst, p[:k+1]...), p[k+1:]
			s.in, s.escape, s.length, s.left = true, 0, 0, 0
			continue
		}
		if s.escape == 0 {
			k, _ := plainJSON(p)
			dst = s.run(dst, p[:k])
			if p = p[k:]; len(p) == 0 {
				break
			}
		}
		dst = s.one(dst, p[0])
		p = p[1:]
	}
	return dst
}

// run takes bytes of a string that end neither it nor begin an escape.
func (s *shorten) run(dst, p []byte) []byte {
	keep := 0
	if s.left == 0 {
		// A rune is kept or left out whole.
		for keep = min(len(p), max(s.max-s.length, 0)); keep < len(p) && !utf8.RuneStart(p[keep]); {
			keep++
		}
	}
	s.leave(p[keep:])
	s.length += len(p)
	return append(dst, p[:keep]...)
}

// one takes a byte of a string that may end it or belong to an escape, which is kept or left out whole.
func (s *shorten) one(dst []byte, b byte) []byte {
	if b == '\n' || b == '"' && s.escape == 0 {
		s.in = false
		if s.left > 0 {
			s.cut++
			dst = fmt.Appendf(dst, "…[%d bytes left out, %016x]", s.left, s.sum)
		}
		return append(dst, b)
	}
	leave := s.length >= s.max && (s.left > 0 || s.escape == 0 && utf8.RuneStart(b))
	s.step(b)
	if leave {
		s.leave([]byte{b})
		return dst
	}
	return append(dst, b)
}

// leave adds bytes to the digest of what is left out.
func (s *shorten) leave(p []byte) {
	if len(p) == 0 {
		return
	}
	sum := s.sum
	if s.left == 0 {
		sum = 14695981039346656037
	}
	for _, b := range p {
		sum = (sum ^ uint64(b)) * 1099511628211
	}
	s.sum = sum
	s.left += len(p)
}

// step follows escapes: \uXXXX has five bytes behind the backslash, any other one. A surrogate pair may be divided; the
// decoder replaces its half.
func (s *shorten) step(b byte) {
	s.length++
	switch {
	case s.escape == 0 && b == '\\':
		s.escape = -1
	case s.escape == -1 && b == 'u':
		s.escape = 4
	case s.escape == -1:
		s.escape = 0
	case s.escape > 0:
		s.escape--
	}
}

// plainJSON gives how many bytes of b stand before the first quote, backslash or control character, eight at a time. ascii
// says that all of them are below 0x80; it may be false where they are.
func plainJSON(b []byte) (n int, ascii bool) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	var all uint64
	for ; n+8 <= len(b); n += 8 {
		w := binary.LittleEndian.Uint64(b[n:])
		all |= w
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		// The lowest high bit that is set is that of the first such byte; a borrow may set others above it.
		if found := ((w-ones*0x20)&^w | (quote-ones)&^quote | (slash-ones)&^slash) & highs; found != 0 {
			return n + bits.TrailingZeros64(found)/8, all&highs == 0
		}
	}
	for ; n < len(b); n++ {
		c := b[n]
		if c < 0x20 || c == '"' || c == '\\' {
			break
		}
		all |= uint64(c)
	}
	return n, all&highs == 0
}
