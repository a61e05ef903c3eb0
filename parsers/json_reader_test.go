package parsers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
)

// jsonTokens lists the tokens of the first value of a document, and how it ended: "whole", "more" behind it, "cut" or
// "broken".
func jsonTokens(token func() (json.Token, error)) (list []string, end string) {
	for depth := 0; ; {
		v, err := token()
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return list, "cut"
		case err != nil:
			return list, "broken"
		}
		list = append(list, fmt.Sprintf("%T %#v", v, v))
		switch v {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			if _, err := token(); err != io.EOF {
				return list, "more"
			}
			return list, "whole"
		}
	}
}

// narrow reads through the smallest window that there may be.
func narrow(r io.Reader) tokens {
	d := newTokens(r)
	d.buf = make([]byte, maxNumber+8)
	return d
}

// sameTokens holds our tokenizer against encoding/json's, however the bytes arrive. We read the colon with its key, so
// that a key before a mistake may be missing.
func sameTokens(t *testing.T, text string) {
	t.Helper()
	want, said := jsonTokens(json.NewDecoder(strings.NewReader(text)).Token)
	for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.HalfReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
		got, end := jsonTokens(narrow(r).Token)
		wantEnd := said
		same := len(got) == len(want)
		if end == "cut" || end == "broken" {
			same = same || len(got) == len(want)-1
		}
		for i := range got {
			same = same && got[i] == want[i]
		}
		if head := strings.TrimLeft(text, " \t\r\n"); head == "" || head[0] != '{' && head[0] != '[' {
			same, end, wantEnd = true, fmt.Sprint(end == "whole"), fmt.Sprint(wantEnd == "whole") // it takes 00 for two numbers
		}
		if !same || end != wantEnd {
			t.Fatalf("%q: %s, %q\nencoding/json: %s, %q", text, end, got, wantEnd, want)
		}
	}
	if strings.ContainsAny(text, "eE") && said == "broken" {
		return // perhaps a number beyond a float64, which json.Valid lets through
	}
	skip := narrow(iotest.HalfReader(strings.NewReader(text)))
	if got := skip.skip() == nil && skip.ended(); got != json.Valid([]byte(text)) {
		t.Fatalf("%q: passed over is %v, encoding/json says valid is %v", text, got, !got)
	}
}

var jsonTexts = []string{
	"", " ", "{}", "[]", " { } ", "[ ]\n", `{"a":1}`, `{"a" : 1 , "b" : [ ] }`, `[1,2,3]`, `[1,]`, `[,1]`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{"a" 1}`, `{a:1}`, `{1:1}`, `{"a":1 "b":2}`,
	`[1 2]`, `[1}`, `{"a":1]`, `]`, `}`, `[]]`, `[] x`, `[][]`, `{"a":{"b":[{"c":null}]}}`, `[true,false,null]`, `[tru]`, `[truex]`, `[nul`, `[nux`, `[t`, `[`, `{`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`,
	`["\"\\\/\b\f\n\r\t\u00e9"]`, `["\ud83d\ude00"]`, `["\ud83d"]`, `["\ud83dx"]`, `["\ud83d\u0041"]`, `["\ud83d\ud83d\ude00"]`, `["\ude00\ud83d"]`, `["\ude00\ude00"]`, `["\ud83d\n"]`, `["\ud83d`, `["\ud83d\u`, `["\u12`, `["\u1g`, `["\u12g4"]`, `["\u 123"]`, `["\x"]`, `["\`,
	"[\"\xff\"]", "[\"\xe6\\u0097\xa5\"]", "[\"a\xffb\xfe\\n\"]", "[\"\xf0\x9f\x98\x80\"]", "{\"\xff\":1}", `{"\u0061":1}`, "[\"a\tb\"]", "[\"a\nb\"]", "[\"\x7f\"]", "[\x00]", "\ufeff{}",
	`[0]`, `[-0]`, `[-1.5]`, `[01]`, `[1.]`, `[.5]`, `[+1]`, `[1e5]`, `[1E-5]`, `[1e]`, `[1e+]`, `[-]`, `[--1]`, `[1-1]`, `[1.2.3]`, `[1e999]`, `[-1e999]`, `[1e-999]`, `[123456789012345678901234567890]`, `[0.1234567890123456789]`,
	`[9007199254740993]`, `[1`, `[-`, `[1.`, `[1e`, `["` + strings.Repeat("x", 70_000) + `"]`, `["` + strings.Repeat(`x\n`, 40_000) + `"]`, `["` + strings.Repeat("é", 70_000) + `"]`, strings.Repeat(" ", 70_000) + "[]", strings.Repeat("[", 900) + strings.Repeat("]", 900),
}

func TestJSONTokens(t *testing.T) {
	for _, text := range jsonTexts {
		sameTokens(t, text)
	}
	for _, c := range captures(t) {
		if c.format == "jestjson" {
			sameTokens(t, string(c.bytes))
			for n := 0; n < min(len(c.bytes), 1000); n += 7 {
				sameTokens(t, string(c.bytes[:n]))
			}
		}
	}
}

func FuzzJSONTokens(f *testing.F) {
	for _, text := range jsonTexts {
		if len(text) < 2000 {
			f.Add([]byte(text))
		}
	}
	for _, c := range captures(f) {
		if c.format == "jestjson" && len(c.bytes) < 2000 {
			f.Add(c.bytes)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { sameTokens(t, string(b)) })
}

// TestJSONCaps: neither brackets nor digits without end are held.
func TestJSONCaps(t *testing.T) {
	for _, text := range []string{strings.Repeat("[", maxDepth+1), "[0." + strings.Repeat("1", maxNumber), strings.Repeat(`{"a":`, maxDepth+1)} {
		err := newTokens(strings.NewReader(text)).skip()
		if err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%.20q…: %v", text, err)
		}
	}
}

// TestTokensShapes: a value of another kind than was asked for is passed over, and what follows is still read.
func TestTokensShapes(t *testing.T) {
	for _, value := range []string{`"s"`, `7`, `true`, `null`, `[]`, `{}`, `[1,[2,{"a":3}]]`, `{"a":{"b":[1]},"c":"]"}`, `"]}"`} {
		open := func() tokens {
			d := newTokens(strings.NewReader("[" + value + `,"after"]`))
			if v, err := d.Token(); v != json.Delim('[') || err != nil {
				t.Fatal(v, err)
			}
			return d
		}
		then := func(d tokens, err error) {
			t.Helper()
			if after, e := d.text(); err != nil || e != nil || after != "after" || d.More() {
				t.Errorf("%s: %v, %v, %q", value, err, e, after)
			}
		}
		var want any
		if err := json.Unmarshal([]byte(value), &want); err != nil {
			t.Fatal(err)
		}
		d := open()
		then(d, d.skip())
		d = open()
		s, err := d.text()
		then(d, err)
		if w, _ := want.(string); s != w {
			t.Errorf("text of %s: %q", value, s)
		}
		d = open()
		n, err := d.number()
		then(d, err)
		if w, _ := want.(float64); n != w || math.IsNaN(n) {
			t.Errorf("number of %s: %v", value, n)
		}
		d = open()
		v, err := d.scalar()
		then(d, err)
		switch want.(type) {
		case []any, map[string]any:
			want = nil
		}
		if v != want {
			t.Errorf("scalar of %s: %v", value, v)
		}
	}
	list, n, err := newTokens(strings.NewReader(`["a",1,"b",["x"],"c"]`)).texts(3)
	if fmt.Sprint(list, n, err) != "[a  b] 5 <nil>" {
		t.Error(list, n, err)
	}
	if err := newTokens(strings.NewReader(`7`)).object(nil); err == nil {
		t.Error("a number was read as an object")
	}
	if err := newTokens(strings.NewReader(`null`)).array(nil); err != nil {
		t.Error(err)
	}
}
