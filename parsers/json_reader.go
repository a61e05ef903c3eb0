package parsers

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// jsonReader reads a JSON document (RFC 8259) token by token through a fixed window. What it accepts, and what it makes
// of a string or number, is what encoding/json's Decoder does, but for the caps maxDepth and maxNumber. At the end of a
// document it gives io.EOF, and io.ErrUnexpectedEOF where more was to come.
type jsonReader struct {
	r    io.Reader
	buf  []byte
	i, n int   // where in it what was not read begins and ends
	read int64 // offset of buf[0]
	done bool  // there is nothing below

	open    []byte // the brackets that are open
	at      jsonPlace
	scratch []byte     // a string that holds escapes or straddles the window
	keys    [64]string // of late, since the same ones come again and again
}

// jsonPlace is what may come next.
type jsonPlace uint8

const (
	atValue    jsonPlace = iota // a value
	atFirst                     // a value or the end of the array
	atKey                       // a key
	atFirstKey                  // a key or the end of the object
	atEnd                       // a comma or a closing bracket
)

const (
	jsonWindow = 64 << 10
	maxDepth   = 10_000  // of open brackets
	maxNumber  = 4 << 10 // bytes of a number
)

func newJSONReader(r io.Reader) *jsonReader { return &jsonReader{r: r, buf: make([]byte, jsonWindow)} }

// InputOffset is where what was not read begins.
func (j *jsonReader) InputOffset() int64 { return j.read + int64(j.i) }

// more reads until n bytes are there, and is false when there are less.
func (j *jsonReader) more(n int) bool {
	for j.n-j.i < n {
		if j.done {
			return false
		}
		j.read += int64(j.i)
		j.n = copy(j.buf, j.buf[j.i:j.n])
		j.i = 0
		k, err := j.r.Read(j.buf[j.n:])
		j.n += k
		j.done = err != nil
	}
	return true
}

// peek passes over space and gives the byte behind it, io.EOF at the end.
func (j *jsonReader) peek() (byte, error) {
	for {
		for ; j.i < j.n; j.i++ {
			switch c := j.buf[j.i]; c {
			case ' ', '\n', '\r', '\t':
			default:
				return c, nil
			}
		}
		if !j.more(1) {
			return 0, io.EOF
		}
	}
}

// next goes to the next token and gives its first byte. Brackets are then passed; anything else is still to be read, a
// key by key and a value by str, num or word.
func (j *jsonReader) next() (byte, error) {
	c, err := j.peek()
	if err == nil && j.at == atEnd && c == ',' {
		j.i++
		j.at = atValue
		if j.open[len(j.open)-1] == '{' {
			j.at = atKey
		}
		c, err = j.peek()
	}
	if err != nil {
		if len(j.open) > 0 {
			return 0, io.ErrUnexpectedEOF
		}
		return 0, err
	}
	switch {
	case (c == '}' || c == ']') && j.closes(c):
		j.i++
		j.open = j.open[:len(j.open)-1]
		j.valued()
		return c, nil
	case j.at == atEnd:
		return 0, j.wrong(c, "a comma or a closing bracket")
	case j.at == atKey || j.at == atFirstKey:
		if c != '"' {
			return 0, j.wrong(c, "a key")
		}
		return c, nil
	case c == '{' || c == '[':
		if len(j.open) == maxDepth {
			return 0, unexpected{fmt.Sprintf("more than %d brackets are open", maxDepth)}
		}
		j.i++
		j.open = append(j.open, c)
		if j.at = atFirst; c == '{' {
			j.at = atFirstKey
		}
		return c, nil
	case c == '"', c == '-', c >= '0' && c <= '9', c == 't', c == 'f', c == 'n':
		return c, nil
	}
	return 0, j.wrong(c, "a value")
}

// keyed reports whether the token that next gave is a key.
func (j *jsonReader) keyed(c byte) bool { return c == '"' && (j.at == atKey || j.at == atFirstKey) }

// closes reports whether a closing bracket may stand here.
func (j *jsonReader) closes(c byte) bool {
	if c == '}' {
		return j.at == atFirstKey || j.at == atEnd && j.open[len(j.open)-1] == '{'
	}
	return j.at == atFirst || j.at == atEnd && j.open[len(j.open)-1] == '['
}

// valued takes note that a value has ended.
func (j *jsonReader) valued() {
	if j.at = atValue; len(j.open) > 0 {
		j.at = atEnd
	}
}

func (j *jsonReader) wrong(c byte, wanted string) error {
	return unexpected{fmt.Sprintf("found %q where %s should be", rune(c), wanted)}
}

// key reads a key and the colon behind it.
func (j *jsonReader) key() (string, error) {
	b, err := j.quoted(true)
	if err != nil {
		return "", err
	}
	k := &j.keys[slot(b)]
	if *k != string(b) {
		*k = string(b)
	}
	key := *k
	c, err := j.peek()
	if err != nil {
		return "", io.ErrUnexpectedEOF
	}
	if c != ':' {
		return "", j.wrong(c, "a colon")
	}
	j.i++
	j.at = atValue
	return key, nil
}

// slot is where a key is remembered.
func slot(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	return (len(b)*7 + int(b[0])*3 + int(b[len(b)-1])) % 64
}

// str reads a string value. Where it is not wanted none is made.
func (j *jsonReader) str(wanted bool) (string, error) {
	b, err := j.quoted(wanted)
	if err != nil {
		return "", err
	}
	j.valued()
	if !wanted {
		return "", nil
	}
	return string(b), nil
}

// quoted reads a string; the bytes are good until the next call. Where it is not wanted it is only looked through.
func (j *jsonReader) quoted(wanted bool) ([]byte, error) {
	j.i++
	n, ascii := plainJSON(j.buf[j.i:j.n])
	if end := j.i + n; end < j.n && j.buf[end] == '"' {
		b := j.buf[j.i:end]
		j.i = end + 1
		if !ascii && wanted {
			b = validUTF8(b)
		}
		return b, nil
	}
	j.scratch = j.scratch[:0]
	for {
		n, _ := plainJSON(j.buf[j.i:j.n])
		if wanted {
			j.scratch = append(j.scratch, j.buf[j.i:j.i+n]...)
		}
		j.i += n
		if !j.more(1) {
			return nil, io.ErrUnexpectedEOF
		}
		switch c := j.buf[j.i]; {
		case c == '"':
			j.i++
			return validUTF8(j.scratch), nil
		case c == '\\':
			if err := j.escape(); err != nil {
				return nil, err
			}
		case c < 0x20:
			return nil, unexpected{fmt.Sprintf("found %q inside a string", rune(c))}
		}
	}
}

// validUTF8 gives b with each byte replaced that is no UTF-8.
func validUTF8(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return []byte(string([]rune(string(b))))
}

// escape reads an escape onto the scratch.
func (j *jsonReader) escape() error {
	if !j.more(2) {
		return io.ErrUnexpectedEOF
	}
	c := j.buf[j.i+1]
	if c != 'u' {
		k := strings.IndexByte(`"\/bfnrt`, c)
		if k < 0 {
			return unexpected{fmt.Sprintf("found %q behind a backslash", rune(c))}
		}
		j.scratch = append(j.scratch, "\"\\/\b\f\n\r\t"[k])
		j.i += 2
		return nil
	}
	if !j.more(6) {
		for _, c := range j.buf[min(j.i+2, j.n):j.n] {
			if !hexDigit(c) {
				return unexpected{fmt.Sprintf("found %q in an escape", rune(c))}
			}
		}
		return io.ErrUnexpectedEOF
	}
	r, ok := hex4(j.buf[j.i:j.n])
	if !ok {
		return unexpected{"an escape is not of four hexadecimal digits"}
	}
	j.i += 6
	if r >= 0xd800 && r < 0xe000 {
		r = j.pair(r)
	}
	j.scratch = utf8.AppendRune(j.scratch, r)
	return nil
}

// pair reads the second half of a surrogate pair, where it follows; a half alone is replaced.
func (j *jsonReader) pair(high rune) rune {
	if high < 0xdc00 && j.more(6) {
		if low, ok := hex4(j.buf[j.i:j.n]); ok && low >= 0xdc00 && low < 0xe000 {
			j.i += 6
			return (high-0xd800)<<10 | (low - 0xdc00) + 0x10000
		}
	}
	return utf8.RuneError
}

func hexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// hex4 reads \uXXXX at the beginning of b.
func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(n), err == nil
}

// num reads a number. One that is beyond a float64 is an error.
func (j *jsonReader) num() (float64, error) {
	n := 0
	for {
		for j.i+n < j.n && numeric(j.buf[j.i+n]) {
			n++
		}
		if n > maxNumber {
			return 0, unexpected{fmt.Sprintf("a number is longer than %d bytes", maxNumber)}
		}
		if j.i+n < j.n || !j.more(n+1) {
			break
		}
	}
	b := j.buf[j.i : j.i+n]
	v, rest, ok := shortDecimal(b)
	if !ok || len(rest) > 0 {
		if !json.Valid(b) {
			if j.i+n == j.n && len(b) > 0 && !digit(b[len(b)-1]) && json.Valid(append(append([]byte(nil), b...), '0')) {
				return 0, io.ErrUnexpectedEOF
			}
			return 0, unexpected{fmt.Sprintf("%.40q is not a number", b)}
		}
		var err error
		if v, err = strconv.ParseFloat(string(b), 64); err != nil {
			return 0, unexpected{fmt.Sprintf("%.40q is beyond what can be read", b)}
		}
	}
	j.i += n
	j.valued()
	return v, nil
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func numeric(c byte) bool {
	return digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

// word reads true, false or null, by its first byte.
func (j *jsonReader) word(c byte) (any, error) {
	word, value := "null", any(nil)
	switch c {
	case 't':
		word, value = "true", true
	case 'f':
		word, value = "false", false
	}
	whole := j.more(len(word))
	b := string(j.buf[j.i:min(j.n, j.i+len(word))])
	switch {
	case !whole && strings.HasPrefix(word, b):
		return nil, io.ErrUnexpectedEOF
	case b != word:
		return nil, unexpected{fmt.Sprintf("found %q where a value should be", b)}
	}
	j.i += len(word)
	j.valued()
	return value, nil
}
