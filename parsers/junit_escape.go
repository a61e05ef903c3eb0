package parsers

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"unicode/utf8"
)

// unescape appends text with its character references resolved: the five of XML and numbers. Any other stays as it is
// written: nothing that a document declares is expanded. In an attribute, raw line ends and tabs are spaces.
func unescape(dst, src []byte, attribute bool) []byte {
	for len(src) > 0 {
		run := bytes.IndexByte(src, '&')
		if run < 0 {
			run = len(src)
		}
		from := len(dst)
		dst = append(dst, src[:run]...)
		if attribute && !flat(src[:run]) {
			for i := from; i < len(dst); i++ {
				if space(dst[i]) {
					dst[i] = ' '
				}
			}
		}
		if src = src[run:]; len(src) == 0 {
			break
		}
		r, n := reference(src)
		if n == 0 {
			dst, src = append(dst, '&'), src[1:]
			continue
		}
		dst, src = utf8.AppendRune(dst, r), src[n:]
	}
	return dst
}

// flat reports whether no control character is in b: no line end and no tab.
func flat(b []byte) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for len(b) >= 8 {
		x := binary.LittleEndian.Uint64(b)
		if (x-' '*ones)&^x&highs != 0 {
			return false
		}
		b = b[8:]
	}
	for _, x := range b {
		if x < ' ' {
			return false
		}
	}
	return true
}

// reference reads one character reference at the start of b; n is its length, 0 when it is none.
func reference(b []byte) (r rune, n int) {
	switch {
	case len(b) < len("&quot;"):
	case string(b[:4]) == "&lt;":
		return '<', 4
	case string(b[:4]) == "&gt;":
		return '>', 4
	case string(b[:5]) == "&amp;":
		return '&', 5
	case string(b[:6]) == "&quot;":
		return '"', 6
	}
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
