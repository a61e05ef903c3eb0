package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"

	"factgate/facts"
	"factgate/record"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// hostile is text that a runner might print to act on a terminal, on CI or on an agent.
var hostile = []string{
	"\r\x1b[2KPASSED 120 tests", "::error::x", "  ::stop-commands::t", "abc ##[add-mask]e", "a\u202eb\u2066c",
	"zero\u200bwidth\ufeff", "bad\xff\xfebytes", "nul\x00", "two\nlines", "tab\tbed", "\u009b31m", "tag\U000e0041", "x\u2028y",
}

func sample(text string) record.Report {
	code := 1
	c := record.ReportCheck{Name: "api", Runner: "pytest", Outcome: "failed", Reasons: []string{"tests_failed"}, Record: "01J",
		Counts: record.ReportCounts{Cases: 3, Executed: 3, Passed: 2, Failed: 1},
		End:    &record.ReportEnd{Code: &code, Meaning: facts.TestsFailed}, DurationMS: 2140,
		Failures: []record.ReportFailure{{ID: "t.py::" + text, File: text + ".py", Line: 12, Message: text, Text: text + "\n" + text}},
		Notes:    []string{text, "PYTEST_ADDOPTS: -k was removed"}, Details: []string{"1 of 3 cases failed: " + text},
		Advice: []string{"factgate verify api"}, Tail: text}
	green := record.ReportCheck{Name: "web", Runner: "jest", Outcome: "passed", Record: "01K",
		ReusedFrom: &record.Reused{Record: "01K", At: noon.Add(-3 * time.Minute)}, Counts: record.ReportCounts{Cases: 2, Executed: 2, Passed: 2}}
	return record.Report{Schema: record.ReportSchema, Verdict: "failed", Exit: 1, Tier: "push",
		Checks: []record.ReportCheck{c, green}, Open: []string{"e2e"}}
}

// No text of a runner reaches a reader as anything but printable runes, newlines and tabs, and none is a CI command.
func TestHostileTextIsShownNotObeyed(t *testing.T) {
	o := Options{Now: noon}
	for _, text := range hostile {
		r := sample(text)
		outputs := map[string]func(*bytes.Buffer) error{
			"text":     func(b *bytes.Buffer) error { return Text(b, r, o) },
			"json":     func(b *bytes.Buffer) error { return JSON(b, r) },
			"markdown": func(b *bytes.Buffer) error { return Markdown(b, r, o) },
			"github":   func(b *bytes.Buffer) error { return GitHub(b, r, o) },
			"live": func(b *bytes.Buffer) error {
				l := NewLive(b, o, nil, func() time.Time { return noon })
				l.Begin([]string{"api", text})
				l.Start(text, text)
				l.End(r.Checks[0])
				l.Close()
				return nil
			},
		}
		for name, print := range outputs {
			var b bytes.Buffer
			if err := print(&b); err != nil {
				t.Fatal(err)
			}
			for _, c := range b.String() {
				if c != '\n' && c != '\t' && !unicode.IsPrint(c) {
					t.Errorf("%s of %q prints the rune %U", name, text, c)
				}
			}
			for line := range strings.Lines(b.String()) {
				ours := name == "github" && (strings.HasPrefix(line, "::error file=") || strings.HasPrefix(line, "::error title="))
				if strings.HasPrefix(strings.TrimSpace(line), "::") && !ours || name != "json" && strings.Contains(line, "##[") {
					t.Errorf("%s of %q has a workflow command: %q", name, text, line)
				}
			}
		}
	}
}

// JSON stays JSON and keeps its meaning when runes are escaped.
func TestJSONKeepsTheText(t *testing.T) {
	for _, text := range hostile {
		var b bytes.Buffer
		if err := JSON(&b, sample(text)); err != nil {
			t.Fatal(err)
		}
		var back record.Report
		if err := json.Unmarshal(b.Bytes(), &back); err != nil {
			t.Fatalf("%q: %v in %s", text, err, b.String())
		}
		if want := strings.ToValidUTF8(text, "\ufffd"); back.Checks[0].Tail != want && !strings.Contains(text, "\xff\xfe") {
			t.Errorf("got %q, want %q", back.Checks[0].Tail, want)
		}
	}
}

// Only passed is green.
func TestOnlyPassedIsGreen(t *testing.T) {
	p := &printer{o: Options{Color: true}}
	for _, o := range []string{"passed", "failed", "unproven", "running", "none", "", "something else"} {
		if green := strings.Contains(p.paint(o, o), "\x1b[32m"); green != (o == "passed") {
			t.Errorf("%q green: %v", o, green)
		}
	}
}

func TestTextSaysWhatMatters(t *testing.T) {
	var b bytes.Buffer
	if err := Text(&b, sample("test_b"), Options{Now: noon}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"failed    api  pytest    tests_failed: 1 failed, 2 passed  2.1s  01J",
		"passed    web  jest      2 passed                    proven 3 min ago by 01K, not run now",
		"  environment: PYTEST_ADDOPTS: -k was removed",
		"  - t.py::test_b  test_b.py:12",
		"  next: factgate verify api",
		"failed for push: failed api; 1 of 2 checks passed; 1 from records; e2e left to a later tier",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("missing %q in\n%s", want, b.String())
		}
	}
}

// A message that its text begins with is not said twice, also when it is long.
func TestMessageIsSaidOnce(t *testing.T) {
	message := "Error: expect(received).toBe(expected) // Object.is equality, and more of the same until the line is full"
	r := record.Report{Checks: []record.ReportCheck{{Name: "a", Outcome: "failed", Failures: []record.ReportFailure{
		{ID: "t", Message: message, Text: message + "\n\nExpected: 3"}}}}}
	var out strings.Builder
	if err := Text(&out, r, Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "Error: expect"); n != 1 {
		t.Errorf("%d times:\n%s", n, out.String())
	}
}

// The end of a console is shown without its colours; what else it holds is escaped as everywhere.
func TestEndHasNoColours(t *testing.T) {
	if got := End("a\n\x1b[31m\x1b[1;4mred\x1b[0m \x1b[2J", 1, 80); len(got) != 1 || got[0] != `red \x1b[2J` {
		t.Errorf("%q", got)
	}
}

func TestExcerptKeepsHeadAndEnd(t *testing.T) {
	got := Excerpt("1\n2\n3\n4\n5\n6\n7", 5, 80)
	if want := "1 2 … 3 lines left out 6 7"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", strings.Join(got, " "), want)
	}
	if got := CleanLines("10%\r50%\rdone\nnext"); got != "done\nnext" {
		t.Errorf("progress line: %q", got)
	}
}
