package parsers

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestShorten: what is cut stays JSON, is bounded, and differs where what was left out differs.
func TestShorten(t *testing.T) {
	for _, unit := range []string{"x", "é", `\"`, `\\`, `\u00e9`, `\n`, "日"} {
		for n := range 60 {
			text := `{"a":"` + strings.Repeat("y", n%7) + strings.Repeat(unit, n) + `","b":"z"}`
			b, err := io.ReadAll(newShorten(strings.NewReader(text), 20))
			var v struct{ A, B string }
			if err != nil || json.Unmarshal(b, &v) != nil || v.B != "z" {
				t.Fatalf("%q became %q", text, b)
			}
			if len(b) > 90 || len(text) < 30 && string(b) != text {
				t.Fatalf("%q became %q", text, b)
			}
		}
	}
	a, _ := io.ReadAll(newShorten(strings.NewReader(`"`+strings.Repeat("x", 30)+`a"`), 20))
	b, _ := io.ReadAll(newShorten(strings.NewReader(`"`+strings.Repeat("x", 30)+`b"`), 20))
	if string(a) == string(b) {
		t.Errorf("two long strings became one: %s", a)
	}
}

// TestLines: quotes in text that is no JSON do not swallow the lines behind it.
func TestLines(t *testing.T) {
	l := newLines(strings.NewReader("it's \"open\nsecond\r\n\n"+strings.Repeat("w", 3000)+"\nlast"), small())
	var got []string
	for {
		b, ok := l.next()
		if !ok {
			break
		}
		got = append(got, fmt.Sprintf("%d %d %v %v", l.at, len(b), l.long, l.whole))
	}
	want := "0 10 false true|11 6 false true|19 0 false true|20 2000 true true|3021 4 false false"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("%s, want %s", s, want)
	}
}
