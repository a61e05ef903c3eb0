package parsers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strings"
	"unicode/utf8"
)

// clip keeps the head and the tail of a text of any length.
type clip struct {
	max        int
	head, tail []byte
	total      int64
}

func (c *clip) Write(p []byte) (int, error) {
	n := len(p)
	c.total += int64(n)
	if room := c.max/2 - len(c.head); room > 0 {
		k := min(room, len(p))
		c.head = append(c.head, p[:k]...)
		p = p[k:]
	}
	keep := c.max / 2
	if len(p) > keep {
		p = p[len(p)-keep:]
	}
	if len(c.tail)+len(p) > 2*keep {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-(keep-len(p)):]...)
	}
	c.tail = append(c.tail, p...)
	return n, nil
}

func (c *clip) reset() { c.head, c.tail, c.total = c.head[:0], c.tail[:0], 0 }

// bytes gives the text, good until the next write. Where something is left out, a line says how much.
func (c *clip) bytes() []byte {
	tail := c.tail
	if len(tail) > c.max/2 {
		tail = tail[len(tail)-c.max/2:]
	}
	left := c.total - int64(len(c.head)) - int64(len(tail))
	if left == 0 && len(tail) == 0 {
		return c.head
	}
	if left == 0 {
		return append(append([]byte(nil), c.head...), tail...)
	}
	head := c.head
	for len(head) > 0 && !utf8.FullRune(lastRune(head)) {
		head = head[:len(head)-1]
	}
	for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	out := append([]byte(nil), head...)
	out = fmt.Appendf(out, "\n[… %d bytes left out …]\n", left)
	return append(out, tail...)
}

// lastRune gives the last started rune of b, whole or not.
func lastRune(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	return b
}

// clean makes kept bytes into a string without invalid UTF-8 and without characters that XML forbids, and counts what
// it replaced.
func (c *collector) clean(b []byte) string {
	if wellFormed(b) {
		return string(b)
	}
	var out strings.Builder
	for rest := b; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if !allowed(r) || (r == utf8.RuneError && n == 1) {
			r = utf8.RuneError
			c.replaced++
		}
		out.WriteRune(r)
		rest = rest[n:]
	}
	return out.String()
}

// wellFormed reports whether b is UTF-8 without characters that XML forbids.
func wellFormed(b []byte) bool {
	for i := 0; i < len(b); {
		if i+8 <= len(b) && printable(binary.LittleEndian.Uint64(b[i:])) {
			i += 8
			continue
		}
		if x := b[i]; x < utf8.RuneSelf {
			if x < ' ' && x != '\t' && x != '\n' && x != '\r' {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if !allowed(r) || r == utf8.RuneError && n == 1 {
			return false
		}
		i += n
	}
	return true
}

// printable reports whether none of eight bytes is a control character or above ASCII.
func printable(x uint64) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	return (x|(x-' '*ones))&highs == 0
}

// allowed is the Char production of XML 1.0.
func allowed(r rune) bool {
	return r >= 0x20 && r < 0xD800 || r == '\t' || r == '\n' || r == '\r' || r >= 0xE000 && r < 0xFFFE || r >= 0x10000
}

// prose makes a message or a failure text of at most max bytes: colour codes go, so does what clean replaces.
func (c *collector) prose(b []byte, max int) string {
	b = uncolour(b)
	if len(b) > max+64 { // what was clipped before has a line on that in it
		c.note("text_cut", 0, "a text of %d bytes was cut to its head and tail", len(b))
		k := clip{max: max}
		k.Write(b) // never fails
		b = k.bytes()
	}
	for len(b) > 0 && space(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return c.clean(b)
}

// label makes a name of at most lim.name bytes. A longer one is cut and told apart by a digest of all of it.
func (c *collector) label(b []byte) string {
	if len(b) <= c.lim.name {
		return c.clean(b)
	}
	h := fnv.New64a()
	h.Write(b)
	head := b[:c.lim.name]
	for len(head) > 0 && !utf8.FullRune(lastRune(head)) {
		head = head[:len(head)-1]
	}
	c.note("name_cut", 0, "a name of %d bytes was cut", len(b))
	return c.clean(head) + fmt.Sprintf("…[%d bytes, %016x]", len(b), h.Sum64())
}

// uncolour removes the escape sequences that terminals understand as colour and movement (CSI, ECMA-48 5.4).
func uncolour(b []byte) []byte {
	i := bytes.IndexByte(b, 0x1b)
	if i < 0 {
		return b
	}
	out := append([]byte(nil), b[:i]...)
	for i < len(b) {
		if b[i] != 0x1b || i+1 >= len(b) || b[i+1] != '[' {
			out = append(out, b[i])
			i++
			continue
		}
		j := i + 2
		for j < len(b) && b[j] >= 0x20 && b[j] < 0x40 {
			j++
		}
		if j == len(b) || b[j] < 0x40 || b[j] > 0x7e {
			out = append(out, b[i])
			i++
			continue
		}
		i = j + 1
	}
	return out
}

// firstLine gives the first line that is not blank, of at most max bytes.
func firstLine(s string, max int) string {
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if len(line) > max {
			k := max
			for k > 0 && !utf8.RuneStart(line[k]) {
				k--
			}
			line = line[:k] + "…"
		}
		return line
	}
	return ""
}

// plural counts in words: 1 file, 2 files.
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
