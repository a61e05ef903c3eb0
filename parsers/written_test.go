package parsers

import (
	"bytes"
	"compress/gzip"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// TestWritten: whatever a file is packed and written in, it is the same file.
func TestWritten(t *testing.T) {
	for _, c := range captures(t) {
		if c.format == "probe" || bytes.HasPrefix(c.bytes, []byte{0x1f, 0x8b}) || declaredAs.Match(c.bytes) || len(c.bytes) > 60_000 {
			continue // the probe is our own; what declares a charset has its own test
		}
		was := parse(t, c.format, c.bytes)
		same := func(how string, b []byte) {
			t.Helper()
			r := parse(t, c.format, b)
			if r.Counts != was.Counts || r.Complete != was.Complete || green(r) != green(was) {
				t.Errorf("%s/%s in %s: %+v, complete %v, %v; it was %+v, %v", c.format, c.name, how, r.Counts, r.Complete, r.Problems, was.Counts, was.Complete)
			}
			if is := Sniff(b[:min(len(b), 4096)]); is != c.format {
				t.Errorf("%s/%s in %s looks like %q", c.format, c.name, how, is)
			}
		}
		packed := packed(c.bytes)
		same("gzip", packed)
		same("UTF-8 with a mark", append([]byte("\xef\xbb\xbf"), c.bytes...))
		for how, e := range map[string]encoding.Encoding{
			"UTF-16LE": unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "UTF-16BE": unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
		} {
			if b, err := e.NewEncoder().Bytes(c.bytes); err == nil && utf8.Valid(c.bytes) {
				same(how, b)
				if c.bytes[0] == '{' {
					same(how+" without a mark", b[2:])
				}
			}
		}
		for _, n := range []int{len(packed) / 3, len(packed) - 1} {
			if r := parse(t, c.format, packed[:n]); green(r) {
				t.Errorf("%s/%s, packed and cut at byte %d: passed", c.format, c.name, n)
			}
		}
	}
}

func packed(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(b) // never fails
	z.Close()
	return out.Bytes()
}

// TestPackedLimit: what is unpacked has the same limit, and a stream that ends there is not one that ended by itself.
func TestPackedLimit(t *testing.T) {
	ended := `{"Action":"start","Package":"p"}` + "\n" + `{"Action":"skip","Package":"p"}` + "\n"
	more := ended + strings.Repeat(strings.ReplaceAll(ended, `"p"`, `"q"`), 100)
	l := standard()
	l.input = int64(len(ended))
	r, err := goTestJSON(bytes.NewReader(packed([]byte(more))), l)
	if w, ok := has(r, "too_large"); err != nil || !ok || !w.Blocking() || green(r) {
		t.Errorf("%v %v", r.Problems, err)
	}
}

// TestLostByteElsewhere: what holds for a lost byte of JUnit XML holds for every other format, in files where few tests
// failed, so that one byte may hide them all.
func TestLostByteElsewhere(t *testing.T) {
	tried := map[string]int{}
	for _, c := range captures(t) {
		bad := 0
		if c.format != "junit" {
			n := parse(t, c.format, c.bytes).Counts
			bad = n.Failed + n.Errored
		}
		if bad == 0 || bad > 3 {
			continue
		}
		for i := 0; i < len(c.bytes); i += stepFor(3 * len(c.bytes)) {
			tried[c.format]++
			if green(parse(t, c.format, slices.Concat(c.bytes[:i], c.bytes[i+1:]))) {
				t.Errorf("%s/%s without byte %d, in %q: passed", c.format, c.name, i, c.bytes[max(0, i-40):min(len(c.bytes), i+20)])
			}
		}
	}
	if len(tried) < len(Formats())-4 {
		t.Errorf("only these formats were tried: %v", tried)
	}
}

// TestEventLike: an event that lost its first byte, or stands behind other text, is not taken for what a program printed.
func TestEventLike(t *testing.T) {
	tried := map[string]int{}
	for _, c := range captures(t) {
		switch c.format {
		case "gotestjson", "cucumber", "reportlog":
		default:
			continue
		}
		n := 0
		for line := range bytes.Lines(c.bytes) {
			if line = bytes.TrimSpace(line); len(line) == 0 || line[0] != '{' || bytes.Contains(line, []byte(`"meta":`)) {
				continue
			}
			if n++; n > 60 {
				break
			}
			word, _, _ := bytes.Cut(bytes.TrimLeft(line[1:], ` "`), []byte(`"`))
			if c.format == "cucumber" && !strings.HasPrefix(string(word), "test") && string(word) != "pickle" && string(word) != "parseError" && string(word) != "hook" {
				continue // it says nothing of outcomes
			}
			for _, bad := range []string{string(line[1:]), "half a line" + string(line)} {
				if tried[c.format]++; !eventLike([]byte(bad)) {
					t.Errorf("%s/%s: taken for text: %s", c.format, c.name, bad)
				}
			}
			if r := parse(t, c.format, line[1:]); green(r) {
				t.Errorf("%s/%s: passed: %s", c.format, c.name, line[1:])
			} else if w, ok := has(r, "broken_line"); !ok || !w.Blocking() {
				t.Errorf("%s/%s: %v: %s", c.format, c.name, r.Problems, line[1:])
			}
		}
	}
	if len(tried) != 3 {
		t.Errorf("only these formats were tried: %v", tried)
	}
	for _, text := range []string{"hello", `say {"a":1}`, `log {"type":"info","level":"x"}`, "}", "{}", `x {"a"}`, `[{"type":"test","event":"ok"}] }`} {
		if eventLike([]byte(text)) {
			t.Errorf("taken for an event: %s", text)
		}
	}
}
