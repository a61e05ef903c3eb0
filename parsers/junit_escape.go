package parsers

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

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
