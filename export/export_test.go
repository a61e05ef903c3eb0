package export_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	gocmp "github.com/google/go-cmp/cmp"
	junitref "github.com/joshdk/go-junit"

	"factgate/export"
	"factgate/facts"
	"factgate/parsers"
)

// dialect is a format that is written, with what it cannot carry.
type dialect struct {
	name  string
	write func(io.Writer, facts.Results) error
	lossy bool // one message and one text a case, no types and places
}

func dialects() []dialect {
	return []dialect{
		{"junit", export.JUnit, false},
		{"ctrf", func(w io.Writer, r facts.Results) error { return export.CTRF(w, r, "1.2.3") }, true},
	}
}

// back writes results and reads them again. ok is false where the format is written and not read.
func back(t *testing.T, d dialect, r facts.Results) (got facts.Results, text []byte, ok bool) {
	t.Helper()
	var b bytes.Buffer
	if err := d.write(&b, r); err != nil {
		t.Fatal(err)
	}
	read, ok := parsers.Lookup(d.name)
	if !ok {
		return got, b.Bytes(), false
	}
	got, err := read(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return got, b.Bytes(), true
}

// said is what must survive of a case.
type said struct {
	ID       string
	Status   facts.Status
	Kind     string
	Reason   string
	Flaky    bool
	Failures []facts.Failure
}

// told gives what is to survive, in the order of ids. Errors are told from failures by the status.
func told(cases []facts.Case) []said {
	var all []said
	for _, c := range cases {
		s := said{ID: c.ID, Status: c.Status, Kind: c.Kind, Reason: c.Reason, Flaky: c.Flaky}
		for _, f := range c.Failures {
			f.Error, f.Message = false, strings.TrimSpace(f.Message) // a reader may trim it
			s.Failures = append(s.Failures, f)
		}
		slices.SortStableFunc(s.Failures, func(a, b facts.Failure) int { return cmp.Compare(a.Message+a.Text, b.Message+b.Text) })
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b said) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// wanted is what results become: each thing that forbids a pass and is no case becomes one.
func wanted(d dialect, r facts.Results) []said {
	var cases []facts.Case
	for _, c := range r.Cases {
		if c.Status == facts.StatusUnknown && d.name == "junit" {
			c.Status = facts.Errored
			c.Failures = append([]facts.Failure{{Message: "how it ended could not be understood", Type: "unknown"}}, c.Failures...)
		}
		if c.ID == "" && d.name == "ctrf" {
			c.ID = "(no name)"
		}
		switch {
		case c.Status != facts.Skipped: // the formats give only a skip a reason
			c.Kind, c.Reason = "", ""
		case c.Kind == "":
			c.Kind = "skip"
		}
		if c.Flaky && len(c.Failures) == 0 && d.name == "junit" {
			c.Failures = []facts.Failure{{Message: "failed before it passed"}}
		}
		cases = append(cases, c)
	}
	extra := func(group, name, message, kind, text, file string, line int) {
		cases = append(cases, facts.Case{ID: group + " › " + cmp.Or(name, group), Status: facts.Errored,
			Failures: []facts.Failure{{Message: message, Type: kind, Text: text, File: file, Line: line}}})
	}
	for _, o := range r.Outside {
		extra("outside of tests", o.Where, o.Message, o.Kind.String(), o.Text, o.File, o.Line)
	}
	blocked := false
	for _, p := range r.Problems {
		if p.Weight.Blocking() {
			blocked = true
			extra("results", p.Path, p.Code+": "+p.Detail, p.Weight.String(), "", "", 0)
		}
	}
	if !r.Complete && !blocked {
		extra("results", "", "the results are not complete", "incomplete", "", "", 0)
	}
	return told(cases)
}

// compare holds what was read against what was written.
func compare(t *testing.T, what string, d dialect, r, got facts.Results, text []byte) {
	t.Helper()
	want, have := wanted(d, r), told(got.Cases)
	if d.lossy { // ids and statuses, and that each failure is said
		for i := range want {
			for _, f := range want[i].Failures {
				if i < len(have) && !strings.Contains(fmt.Sprint(have[i].Failures), f.Message) {
					t.Errorf("%s as %s: %q does not say %q but %v", what, d.name, want[i].ID, f.Message, have[i].Failures)
				}
			}
			if i < len(have) && (have[i].Reason == "") != (want[i].Reason == "") {
				t.Errorf("%s as %s: the reason of %q is %q, not %q", what, d.name, want[i].ID, have[i].Reason, want[i].Reason)
			}
			want[i].Failures, want[i].Reason = nil, ""
		}
		for i := range have {
			have[i].Failures, have[i].Reason = nil, ""
		}
	}
	if diff := gocmp.Diff(want, have); diff != "" {
		t.Errorf("%s as %s: -want +got\n%s\n%.2000s", what, d.name, diff, text)
	}
	for _, p := range got.Problems {
		if p.Weight.Blocking() && p.Code != "unknown_status" {
			t.Errorf("%s as %s: what we wrote is read with a problem: %+v", what, d.name, p)
		}
	}
	if !got.Complete && r.Counts.Unknown == 0 {
		t.Errorf("%s as %s: what we wrote is read as not complete: %v", what, d.name, got.Problems)
	}
}

// TestCaptured: every captured results file of every format survives being written and read again.
func TestCaptured(t *testing.T) {
	files := 0
	for _, format := range parsers.Formats() {
		paths, err := filepath.Glob(filepath.Join("..", "testdata", "parsers", format, "*"))
		if err != nil {
			t.Fatal(err)
		}
		read, _ := parsers.Lookup(format)
		for _, path := range paths {
			if strings.HasSuffix(path, ".golden.json") {
				continue
			}
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			r, err := read(bytes.NewReader(b))
			if err != nil {
				t.Fatal(err)
			}
			files++
			for _, d := range dialects() {
				if got, text, ok := back(t, d, r); ok {
					compare(t, path, d, r, got, text)
				}
			}
		}
	}
	if files < 50 {
		t.Errorf("only %d files", files)
	}
}

// TestSecondReader: an independent reader of JUnit files finds the same cases in what is written.
func TestSecondReader(t *testing.T) {
	for seed := range uint64(500) {
		r := made(rand.New(rand.NewPCG(seed, 2)))
		want := facts.Counts{}
		for _, s := range wanted(dialects()[0], r) {
			want.Add(&facts.Case{Status: s.Status})
		}
		_, text, _ := back(t, dialects()[0], r)
		suites, err := junitref.Ingest(text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		var n junitref.Totals
		for _, s := range suites {
			n.Tests, n.Passed, n.Skipped = n.Tests+s.Totals.Tests, n.Passed+s.Totals.Passed, n.Skipped+s.Totals.Skipped
		}
		if n.Tests != want.Cases || n.Passed != want.Passed || n.Skipped != want.Skipped {
			t.Fatalf("seed %d: %+v, want %+v\n%s", seed, n, want, text)
		}
	}
}

// hostile are pieces of text that writers get wrong.
var hostile = []string{"", "a", "b c", " ", "]]>", "<![CDATA[", "&amp;", "<b>", `"q"`, "'", "\n", "\r\n", "\t", "é", "\u2028", "\U0001F600", " › ", "::", ".",
	"/", `\`, "tests/t.py", "x.py", "pytest", "&#0;", "%s", "--", "{", "]", "</testcase>", "\x1b[31m", "\x00", "\uFFFE", "\xff", "\uFEFF",
	"::error::x", "##[error]x", "\u202e", "\u0085", "\U000E0041"}

// made generates results with texts of those pieces, as a reader gives them: without what it would replace.
func made(r *rand.Rand) facts.Results {
	plain := func(s string) string {
		var out strings.Builder
		for _, c := range s {
			if c == '\t' || c == '\n' || c == '\r' || c >= 0x20 && c != 0xFFFE && c != 0xFFFF {
				out.WriteRune(c)
			} else {
				out.WriteRune('\ufffd')
			}
		}
		return out.String()
	}
	text := func(max int) string {
		var s string
		for range r.IntN(max + 1) {
			s += hostile[r.IntN(len(hostile))]
		}
		return plain(s)
	}
	line := func() string { // a message: one line, and not empty
		return "m" + strings.TrimSpace(strings.ReplaceAll(text(4), "\n", " "))
	}
	failure := func() facts.Failure {
		f := facts.Failure{Message: line(), Type: text(2), Text: strings.TrimRight(text(6), " \t\r\n"), Error: r.IntN(2) == 0}
		if f.File = text(2); f.File != "" {
			f.Line = r.IntN(3)
		}
		return f
	}
	var all facts.Results
	all.Complete = r.IntN(4) > 0
	for range r.IntN(8) {
		c := facts.Case{ID: text(5), Name: text(3), Suite: text(2), File: text(2), Line: r.IntN(3), Duration: time.Duration(r.IntN(3e6)) * time.Microsecond}
		switch r.IntN(3) { // an id made of the parts, as most are
		case 0:
			c.ID = strings.Join([]string{c.File, c.Suite, c.Name}, " › ")
		case 1:
			c.ID = c.File + "::" + c.Name
		}
		switch c.Status = facts.Status(r.IntN(5)); c.Status {
		case facts.Failed, facts.Errored:
			for range 1 + r.IntN(3) {
				f := failure()
				f.Error = c.Status == facts.Errored
				c.Failures = append(c.Failures, f)
			}
			if r.IntN(3) == 0 && len(c.Failures) > 1 {
				c.Attempts = len(c.Failures)
			}
		case facts.Passed:
			if c.Flaky = r.IntN(3) == 0; c.Flaky {
				c.Failures, c.Attempts = []facts.Failure{failure()}, 2
			}
		case facts.Skipped:
			c.Kind = []string{"skip", "todo", "xfail", "disabled", "ignored"}[r.IntN(5)]
			c.Reason = strings.TrimSpace(strings.ReplaceAll(text(3), "\n", " "))
		}
		all.Cases = append(all.Cases, c)
	}
	for range r.IntN(3) {
		f := failure()
		all.Outside = append(all.Outside, facts.Outside{Kind: facts.OutsideKind(r.IntN(5)), Where: text(2), Message: f.Message, Text: f.Text, File: f.File, Line: f.Line})
	}
	for range r.IntN(3) {
		all.Problems = append(all.Problems, facts.Problem{Code: "code", Detail: line(), Weight: facts.Weight(r.IntN(7)), Path: text(2)})
	}
	all.Counts = facts.Count(all.Cases)
	return all
}

// TestHostile: whatever stands in names and texts, what is written is read back as it was, and is well-formed.
func TestHostile(t *testing.T) {
	for seed := range uint64(4000) {
		r := made(rand.New(rand.NewPCG(seed, 1)))
		for _, d := range dialects() {
			got, text, ok := back(t, d, r)
			checkQuiet(t, seed, text)
			switch d.name {
			case "junit":
				if err := xml.Unmarshal(text, new(struct{})); err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, text)
				}
			case "ctrf":
				if !json.Valid(text) {
					t.Fatalf("seed %d: %s", seed, text)
				}
			}
			if ok {
				compare(t, fmt.Sprint("seed ", seed), d, r, got, text)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// checkQuiet: where it is printed, nothing in it is obeyed.
func checkQuiet(t *testing.T, seed uint64, text []byte) {
	t.Helper()
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "::") || strings.Contains(line, "##[") {
			t.Errorf("seed %d: a line is a command: %q", seed, line)
		}
		for _, r := range line {
			if r != '\t' && !unicode.IsPrint(r) {
				t.Errorf("seed %d: %U is not escaped in %q", seed, r, line)
			}
		}
	}
}

// TestNeverGreen: what forbids a pass forbids it in what is written, too.
func TestNeverGreen(t *testing.T) {
	passed := []facts.Case{{ID: "a", Name: "a", Status: facts.Passed}}
	for name, r := range map[string]facts.Results{
		"incomplete":  {Cases: passed},
		"problem":     {Cases: passed, Complete: true, Problems: []facts.Problem{{Code: "truncated", Weight: facts.Truncated}}},
		"outside":     {Cases: passed, Complete: true, Outside: []facts.Outside{{Message: "m"}}},
		"unknown":     {Cases: []facts.Case{{ID: "a", Name: "a"}}, Complete: true},
		"failed":      {Cases: []facts.Case{{ID: "a", Name: "a", Status: facts.Failed}}, Complete: true},
		"errored":     {Cases: []facts.Case{{ID: "a", Name: "a", Status: facts.Errored}}, Complete: true},
		"not kept":    {Cases: passed, Complete: true, Counts: facts.Counts{Cases: 2}},
		"nothing":     {},
		"only a note": {Cases: passed, Complete: true, Problems: []facts.Problem{{Code: "x", Weight: facts.Note}}},
	} {
		if r.Counts.Cases == 0 {
			r.Counts = facts.Count(r.Cases)
		}
		for _, d := range dialects() {
			got, text, ok := back(t, d, r)
			green := ok && got.Complete && got.Counts.Failed+got.Counts.Errored+got.Counts.Unknown == 0
			if ok && green != (name == "only a note") {
				t.Errorf("%s as %s: green is %v\n%s", name, d.name, green, text)
			}
		}
	}
}

// broken refuses what is written behind some bytes.
type broken struct{ left int }

func (b *broken) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestWriteError(t *testing.T) {
	r := made(rand.New(rand.NewPCG(7, 7)))
	for len(r.Cases) < 2000 {
		r.Cases = append(r.Cases, facts.Case{ID: "a", Name: "a", Status: facts.Passed})
	}
	for _, d := range dialects() {
		for _, n := range []int{0, 10, 5000, 50000} {
			if err := d.write(&broken{n}, r); err == nil || err.Error() != "disk full" {
				t.Errorf("%s after %d bytes: %v", d.name, n, err)
			}
		}
	}
}

// FuzzAgain: whatever results are read from, what is written of them is read back as it was.
func FuzzAgain(f *testing.F) {
	f.Add([]byte(`<testsuites><testsuite name="s"><testcase classname="c" name="a" file="t.py"><failure message="m" type="T">x</failure><error/></testcase><testcase name="b"><skipped type="xfail"/><rerunFailure>y</rerunFailure></testcase></testsuite></testsuites>`))
	f.Add([]byte(`<testsuite name="pytest"><testcase classname="tests.a.C" name="t[1]" file="tests/a.py" line="3"/></testsuite>`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := parsers.JUnit(bytes.NewReader(b))
		if err != nil || len(r.Cases) == 0 {
			return
		}
		for _, d := range dialects() {
			if got, text, ok := back(t, d, r); ok {
				compare(t, "bytes", d, r, got, text)
			}
		}
	})
}
