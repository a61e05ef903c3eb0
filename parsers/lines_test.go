package parsers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// shortened is what shorten must give, said once more without runs: byte after byte.
func shortened(text string, most int) string {
	var out, in []byte // in: the string so far, escapes and all
	open, escaped, hex := false, false, 0
	var left []byte
	for _, b := range []byte(text) {
		if !open {
			out = append(out, b)
			if b == '"' {
				open, escaped, hex, in, left = true, false, 0, nil, nil
			}
			continue
		}
		begins := !escaped && hex == 0
		if b == '\n' || b == '"' && begins {
			open = false
			if len(left) > 0 {
				h := fnv.New64a()
				h.Write(left)
				out = fmt.Appendf(out, "…[%d bytes left out, %016x]", len(left), h.Sum64())
			}
			out = append(out, b)
			continue
		}
		if len(in) >= most && (len(left) > 0 || begins && utf8.RuneStart(b)) {
			left = append(left, b)
		} else {
			out = append(out, b)
		}
		in = append(in, b)
		switch {
		case begins:
			escaped = b == '\\'
		case escaped && b == 'u':
			escaped, hex = false, 4
		case escaped:
			escaped = false
		default:
			hex--
		}
	}
	return string(out)
}

// lined is what lines must give: offset, long, whole and text of each line.
func lined(text string, lim limits) (all []string) {
	for at := 0; at < len(text); {
		line := text[at:]
		whole := false
		if k := strings.IndexByte(line, '\n'); k >= 0 {
			line, whole = line[:k+1], true
		}
		next := at + len(line)
		short := strings.TrimSuffix(shortened(line, lim.value), "\n")
		long := len(short) > lim.line
		if long {
			short = short[:lim.line]
		}
		if whole {
			short = strings.TrimSuffix(short, "\r")
		}
		if short != "" || whole {
			all = append(all, fmt.Sprintf("%d %v %v %q", at, long, whole, short))
		}
		at = next
	}
	return all
}

// readLines reads all lines through a window of that size.
func readLines(r io.Reader, lim limits, window int) (all []string) {
	l := newLines(r, lim)
	l.buf = make([]byte, window)
	l.direct = min(l.direct, window/2)
	for {
		b, ok := l.next()
		if !ok {
			return all
		}
		all = append(all, fmt.Sprintf("%d %v %v %q", l.at, l.long, l.whole, b))
	}
}

// sameLines holds the readers against what they must give, through windows of several sizes.
func sameLines(t *testing.T, text string) {
	t.Helper()
	lim := limits{value: 7, line: 60}
	want := strings.Join(lined(text, lim), "\n")
	for _, window := range []int{2, 3, 8, 16, 64, lineWindow} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
			if got := strings.Join(readLines(r, lim, window), "\n"); got != want {
				t.Fatalf("window %d of %q:\n%s\nwant\n%s", window, text, got, want)
			}
		}
	}
	for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
		got, err := io.ReadAll(newShorten(r, lim.value))
		if err != nil || string(got) != shortened(text, lim.value) {
			t.Fatalf("%q became %q, want %q, %v", text, got, shortened(text, lim.value), err)
		}
	}
}

var lineTexts = []string{
	"", "\n", "\r\n", "a", "a\n", "a\r\nb\r\n", "\n\n\r\r\n", "it's \"open\nsecond\r\n\n" + strings.Repeat("w", 300) + "\nlast", strings.Repeat("w", 61) + "\n" + strings.Repeat("w", 60) + "\r\n",
	`{"a":"12345678"}` + "\n" + `{"a":"1234567"}`, `{"a":"123456é"}` + "\n" + `{"a":"12345é67"}`, `{"a":"123456\n"}` + "\n", `{"a":"12345\u00e9z\"","b":"` + strings.Repeat(`\\`, 30) + `"}`,
	`"` + strings.Repeat("x", 200), `"` + strings.Repeat("x", 200) + "\n" + `"y"`, `"` + strings.Repeat("日", 20) + "\"\r\n", "\"\\\n\"\\u12\n\"1234567\xff\xff\"", `"1234567\`, `"12345678\` + "\n",
}

func TestLines(t *testing.T) {
	for _, text := range lineTexts {
		sameLines(t, text)
		for pad := range 20 {
			sameLines(t, strings.Repeat("p", pad)+text)
		}
	}
}

func FuzzLines(f *testing.F) {
	for _, text := range lineTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) { sameLines(t, string(b)) })
}

// TestLinesInPlace: a line that cannot hold anything too long is not copied.
func TestLinesInPlace(t *testing.T) {
	text := strings.Repeat(strings.Repeat("x", 999)+"\n", 5000)
	l := newLines(strings.NewReader(text), standard())
	n := 0
	if allocs := testing.AllocsPerRun(1, func() {
		for {
			b, ok := l.next()
			if !ok {
				break
			}
			n += len(b) + 1
		}
	}); allocs > 0 {
		t.Errorf("%v allocations", allocs)
	}
	if n != len(text) || l.out != nil {
		t.Errorf("%d of %d bytes", n, len(text))
	}
}

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

// TestNoProgress: a reader that gives nothing and no error is broken, and not at its end.
func TestNoProgress(t *testing.T) {
	for _, c := range captures(t) {
		p, _ := Lookup(c.format)
		if _, err := p(io.MultiReader(bytes.NewReader(c.bytes), idle{})); err != io.ErrNoProgress {
			t.Fatalf("%s/%s: %v", c.format, c.name, err)
		}
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }
