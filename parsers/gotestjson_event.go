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
	event goEvent
	text  []byte // of strings that held an escape
	slow  int    // lines that were left to encoding/json
}

// decode reads one line. The event is good until the next call.
func (d *goDecoder) decode(line []byte) (*goEvent, error) {
	d.event, d.text = goEvent{}, d.text[:0]
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
	for b = b[1:]; ; b = b[1:] {
		key, rest, ok := quoted(b)
		if !ok || len(rest) < 2 || rest[0] != ':' {
			return false
		}
		if b, ok = d.field(string(key), rest[1:]); !ok || len(b) == 0 {
			return false
		}
		if b[0] != ',' {
			return b[0] == '}' && len(b) == 1
		}
	}
}

// field reads the value of a key, and gives what follows it.
func (d *goDecoder) field(key string, b []byte) (rest []byte, ok bool) {
	e := &d.event
	switch key {
	case "Action":
		e.Action, rest, ok = d.string(b)
	case "Package":
		e.Package, rest, ok = d.string(b)
	case "Test":
		e.Test, rest, ok = d.string(b)
	case "Output":
		e.Output, rest, ok = d.string(b)
	case "ImportPath":
		e.ImportPath, rest, ok = d.string(b)
	case "FailedBuild":
		e.FailedBuild, rest, ok = d.string(b)
	case "Elapsed":
		e.Elapsed, rest, ok = shortDecimal(b)
	case "Time", "OutputType", "Key", "Value", "Path": // says nothing of how a test ended
		_, rest, ok = quoted(b)
	}
	return rest, ok
}

// quoted reads a string that holds no escape.
func quoted(b []byte) (text, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, false
	}
	b = b[1:]
	n := plain(b)
	if n == len(b) || b[n] != '"' {
		return nil, nil, false
	}
	return b[:n], b[n+1:], true
}

// string reads a string of valid UTF-8 without surrogates.
func (d *goDecoder) string(b []byte) (text, rest []byte, ok bool) {
	if text, rest, ok = quoted(b); ok {
		return text, rest, utf8.Valid(text)
	}
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, false
	}
	begin := len(d.text)
	for b = b[1:]; ; {
		n := plain(b)
		d.text = append(d.text, b[:n]...)
		if b = b[n:]; len(b) == 0 {
			return nil, nil, false
		}
		if b[0] == '"' {
			text = d.text[begin:]
			return text, b[1:], utf8.Valid(text)
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
		d.text = utf8.AppendRune(d.text, rune(n))
		return b[6:], true
	}
	k := bytes.IndexByte([]byte(`"\/bfnrt`), b[1])
	if k < 0 {
		return nil, false
	}
	d.text = append(d.text, "\"\\/\b\f\n\r\t"[k])
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
