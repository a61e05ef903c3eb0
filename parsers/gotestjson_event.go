package parsers

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// goEvent is one line of the stream. Its texts are good until the next line is read.
type goEvent struct {
	Action      []byte
	Package     []byte
	Test        []byte
	Elapsed     float64 // seconds
	Output      []byte
	ImportPath  []byte
	FailedBuild []byte
}

// goDecoder reads the lines of `go test -json`. What cmd/test2json and cmd/go write is read by hand: one flat object of
// known keys without space. Anything else is left to encoding/json, whose word on what a line says is final.
type goDecoder struct {
	event   goEvent
	scratch []byte // the texts of strings that held an escape
	slow    int    // lines that were left to encoding/json
}

// decode reads one line. The event is good until the next call.
func (d *goDecoder) decode(line []byte) (*goEvent, error) {
	d.event, d.scratch = goEvent{}, d.scratch[:0]
	if d.flat(line) {
		return &d.event, nil
	}
	d.slow++
	return d.any(line)
}

// any reads a line of any shape.
func (d *goDecoder) any(line []byte) (*goEvent, error) {
	var v struct {
		Action, Package, Test, Output, ImportPath, FailedBuild string

		Elapsed float64
	}
	err := json.Unmarshal(line, &v)
	d.event = goEvent{
		Action: []byte(v.Action), Package: []byte(v.Package), Test: []byte(v.Test), Elapsed: v.Elapsed, Output: []byte(v.Output),
		ImportPath: []byte(v.ImportPath), FailedBuild: []byte(v.FailedBuild),
	}
	return &d.event, err
}

// flat reads a line of the usual shape, and is false for any other.
func (d *goDecoder) flat(b []byte) bool {
	if len(b) == 0 || b[0] != '{' {
		return false
	}
	for {
		var ok bool
		if b, ok = d.field(b[1:]); !ok || len(b) == 0 {
			return false
		}
		if b[0] != ',' {
			return b[0] == '}' && len(b) == 1
		}
	}
}

// field reads a key and its value, and gives what follows them.
func (d *goDecoder) field(b []byte) (rest []byte, ok bool) {
	e := &d.event
	if len(b) < 2 {
		return nil, false
	}
	switch b[1] {
	case 'T':
		if rest, ok = after(b, `"Time":`); ok {
			return unread(rest)
		}
		return d.text(&e.Test, b, `"Test":`)
	case 'A':
		return d.text(&e.Action, b, `"Action":`)
	case 'O':
		if rest, ok = d.text(&e.Output, b, `"Output":`); ok {
			return rest, ok
		}
		rest, ok = after(b, `"OutputType":`)
	case 'E':
		if rest, ok = after(b, `"Elapsed":`); ok {
			e.Elapsed, rest, ok = shortDecimal(rest)
		}
		return rest, ok
	case 'I':
		return d.text(&e.ImportPath, b, `"ImportPath":`)
	case 'F':
		return d.text(&e.FailedBuild, b, `"FailedBuild":`)
	case 'K':
		rest, ok = after(b, `"Key":`)
	case 'V':
		rest, ok = after(b, `"Value":`)
	case 'P':
		if rest, ok = d.text(&e.Package, b, `"Package":`); ok {
			return rest, ok
		}
		rest, ok = after(b, `"Path":`)
	}
	if !ok {
		return nil, false
	}
	return unread(rest)
}

// after gives what follows a word at the beginning of b.
func after(b []byte, word string) (rest []byte, ok bool) {
	if len(b) < len(word) || string(b[:len(word)]) != word {
		return nil, false
	}
	return b[len(word):], true
}

// unread passes over a string that holds no escape.
func unread(b []byte) (rest []byte, ok bool) {
	_, rest, _, ok = quoted(b)
	return rest, ok
}

// quoted reads a string that holds no escape. ascii may be false for one that is.
func quoted(b []byte) (text, rest []byte, ascii, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, false, false
	}
	b = b[1:]
	n, ascii := plainJSON(b)
	if n == len(b) || b[n] != '"' {
		return nil, nil, false, false
	}
	return b[:n], b[n+1:], ascii, true
}

// text reads a key and a string of valid UTF-8 without surrogates.
func (d *goDecoder) text(to *[]byte, b []byte, key string) (rest []byte, ok bool) {
	if b, ok = after(b, key); !ok {
		return nil, false
	}
	text, rest, ascii, ok := quoted(b)
	if !ok {
		text, rest, ok = d.unescaped(b)
	}
	*to = text
	return rest, ok && (ascii || utf8.Valid(text))
}

// unescaped reads a string that holds escapes.
func (d *goDecoder) unescaped(b []byte) (text, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, false
	}
	begin := len(d.scratch)
	for b = b[1:]; ; {
		n, _ := plainJSON(b)
		d.scratch = append(d.scratch, b[:n]...)
		if b = b[n:]; len(b) == 0 {
			return nil, nil, false
		}
		if b[0] == '"' {
			return d.scratch[begin:], b[1:], true
		}
		if b, ok = d.escape(b); !ok {
			return nil, nil, false
		}
	}
}

// escape reads an escape of one character, and gives what follows it.
func (d *goDecoder) escape(b []byte) (rest []byte, ok bool) {
	if len(b) < 2 || b[0] != '\\' {
		return nil, false
	}
	if b[1] == 'u' {
		if len(b) < 6 {
			return nil, false
		}
		n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
		if err != nil || n >= 0xd800 && n < 0xe000 {
			return nil, false
		}
		d.scratch = utf8.AppendRune(d.scratch, rune(n))
		return b[6:], true
	}
	k := bytes.IndexByte([]byte(`"\/bfnrt`), b[1])
	if k < 0 {
		return nil, false
	}
	d.scratch = append(d.scratch, "\"\\/\b\f\n\r\t"[k])
	return b[2:], true
}

// shortDecimal reads a number of at most 15 digits without an exponent: it and its power of ten are exact in a float64, and
// so is their quotient rounded as it must be.
func shortDecimal(b []byte) (v float64, rest []byte, ok bool) {
	var n int64
	i, point := 0, -1
	for ; i < len(b) && i <= 16; i++ {
		if c := b[i]; c >= '0' && c <= '9' {
			n = n*10 + int64(c-'0')
		} else if c == '.' && point < 0 && i > 0 {
			point = i
		} else {
			break
		}
	}
	digits, places := i, 0
	if point >= 0 {
		digits, places = i-1, i-1-point
	}
	switch {
	case digits == 0, digits > 15, point >= 0 && places == 0, b[0] == '0' && i > 1 && point != 1:
		return 0, nil, false
	}
	power := 1.0
	for range places {
		power *= 10
	}
	return float64(n) / power, b[i:], true
}
