package shim

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
)

// TestWithheld: only a last line that begins as said is dropped, and nothing else is lost, however it is cut.
func TestWithheld(t *testing.T) {
	const line = noLibrary + " `x`\n"
	for _, c := range []struct {
		text    string
		dropped string // what is handed on where the line may be dropped
		did     bool
	}{
		{"", "", false},
		{"a\nb", "a\nb", false},
		{line, "", true},
		{"a\n\x1b[1m\x1b[91merror\x1b[0m: no library targets found in packages: a, b\n", "a\n", true},
		{line + "more\n", line + "more\n", false},
		{line + "more", line + "more", false},
		{line + line, line, true},
		{"  " + line, "  " + line, false},
		{strings.Repeat("x", 3*maxTextLine), strings.Repeat("x", 3*maxTextLine), false},
	} {
		for _, size := range []int{1, 7, 1 << 20} {
			for _, drop := range []bool{true, false} {
				var out bytes.Buffer
				w := &withheld{to: &out, begins: noLibrary}
				for rest := c.text; rest != ""; {
					n := min(size, len(rest))
					if got, err := w.Write([]byte(rest[:n])); got != n || err != nil {
						t.Fatal(got, err)
					}
					rest = rest[n:]
				}
				want, did := c.text, false
				if drop {
					want, did = c.dropped, c.did
				}
				if got := w.close(drop); got != did || out.String() != want {
					t.Errorf("%.60q in pieces of %d, drop %v: %v, %.60q, want %v, %.60q", c.text, size, drop, got, out.String(), did, want)
				}
			}
		}
	}
}

// TestPassedTests: every test that nextest's JUnit says passed is held against its output, and no other.
func TestPassedTests(t *testing.T) {
	const good = "\nrunning 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.00s\n\n"
	text := func(s string) string {
		var b bytes.Buffer
		if err := xml.EscapeText(&b, []byte(s)); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	document := func(cases ...string) string {
		return `<?xml version="1.0" encoding="UTF-8"?><testsuites><testsuite name="x">` + strings.Join(cases, "") + `</testsuite></testsuites>`
	}
	one := func(body string) string {
		return fmt.Sprintf(`<testcase name="a" classname="x::y">%s</testcase>`, body)
	}
	out := func(s string) string {
		return "<system-out>" + text(s) + "</system-out><system-err>test result: no</system-err>"
	}
	for _, c := range []struct {
		name, body string
		passed     int
		why        string
	}{
		{"came to its end", one(out(good)), 1, ""},
		{"flaky", one("<flakyFailure>x<system-out>test result: FAILED.</system-out></flakyFailure>" + out(good)), 1, ""},
		{"exits", one(out("\nrunning 1 test\n")), 1, "without libtest's result line"},
		{"prints behind it", one(out(good + "more\n")), 1, "without libtest's result line"},
		{"another harness", one(out("ok\n")), 1, "without libtest's result line"},
		{"two tests", one(out("test result: ok. 2 passed; 0 failed; 0 ignored")), 1, "without libtest's result line"},
		{"result in stderr", one("<system-out></system-out><system-err>" + text(good) + "</system-err>"), 1, notCaptured},
		{"not kept", one(""), 1, notCaptured},
		{"no output element", `<testcase name="a" classname="x::y"/>`, 1, notCaptured},
		{"not captured", one(out("(stdout not captured)")), 1, notCaptured},
		{"failed", one("<failure>x</failure>" + out("")), 0, ""},
		{"error", one("<error/>"), 0, ""},
		{"skipped", one("<skipped/>"), 0, ""},
	} {
		n := 0
		err := eachPassed(strings.NewReader(document(c.body)), func(name, output string) {
			n++
			if why := unproven(output); name != "x::y a" || (c.why == "") != (why == "") || !strings.HasPrefix(why, c.why) {
				t.Errorf("%s: %s %q", c.name, name, why)
			}
		})
		if err != nil || n != c.passed {
			t.Errorf("%s: %d passed, %v", c.name, n, err)
		}
	}
}
