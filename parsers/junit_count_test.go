package parsers

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"factgate/facts"
)

// weighty gives the problems without the notes on what was cut or replaced in what was kept, and without their words: a
// reader that keeps nothing has no such notes, and names a case as it is written.
func weighty(r facts.Results) []facts.Problem {
	var all []facts.Problem
	for _, p := range r.Problems {
		switch p.Code {
		case "replaced_bytes", "texts_cut", "text_cut", "name_cut", "failures_cut", "words_cut":
			continue
		}
		p.Detail = ""
		all = append(all, p)
	}
	return all
}

// TestCountLikeParse: who only counts comes to the same numbers and the same problems.
func TestCountLikeParse(t *testing.T) {
	for _, c := range captures(t) {
		cuts := []int{len(c.bytes), len(c.bytes) / 2, len(c.bytes) - len(c.bytes)/10}
		for _, n := range cuts {
			want := parse(t, c.format, c.bytes[:n])
			got, err := Count(c.format, bytes.NewReader(c.bytes[:n]))
			if err != nil || len(got.Cases) > 0 {
				t.Fatalf("%s/%s: %d cases were kept, %v", c.format, c.name, len(got.Cases), err)
			}
			if got.Counts != want.Counts || got.Complete != want.Complete || !cmp.Equal(got.Claims, want.Claims) {
				t.Errorf("%s/%s, %d bytes: counted %+v, complete %v; parsed %+v, complete %v", c.format, c.name, n, got.Counts, got.Complete, want.Counts, want.Complete)
			}
			if d := cmp.Diff(weighty(want), weighty(got)); d != "" {
				t.Errorf("%s/%s, %d bytes: -parsed +counted:\n%s", c.format, c.name, n, d)
			}
		}
	}
	if _, err := Count("nope", strings.NewReader("")); err == nil {
		t.Error("a format that is not in the table was counted")
	}
}

// TestBeyondCaps: cases for which there is no room count as if they were kept, and what is kept stays as it is.
func TestBeyondCaps(t *testing.T) {
	for _, c := range captures(t) {
		if c.format != "junit" {
			continue
		}
		want := parse(t, c.format, c.bytes)
		for _, room := range [][2]int{{0, 0}, {0, 100}, {2, 0}, {2, 1}} {
			lim := standard()
			lim.cases, lim.bad = room[0], room[1]
			got, err := junit(bytes.NewReader(c.bytes), lim)
			if err != nil || got.Counts != want.Counts || !cmp.Equal(got.Claims, want.Claims) || got.Complete != want.Complete {
				t.Errorf("%s, room for %v: %+v, %v; want %+v", c.name, room, got.Counts, err, want.Counts)
			}
			if len(got.Cases) < want.Counts.Cases && green(got) {
				t.Errorf("%s, room for %v: it is green", c.name, room)
			}
			rest := want.Cases
			for _, k := range got.Cases {
				i := slices.IndexFunc(rest, func(x facts.Case) bool { return cmp.Equal(x, k) })
				if i < 0 {
					t.Errorf("%s, room for %v: not kept so otherwise, or elsewhere: %+v", c.name, room, k)
					break
				}
				rest = rest[i+1:]
			}
		}
	}
}

// usualCases writes a document of n passing cases with names of a usual length.
func usualCases(w io.Writer, n int) error {
	if _, err := fmt.Fprintf(w, "<testsuites><testsuite name='pytest' tests='%d'>\n", n); err != nil {
		return err
	}
	for i := range n {
		_, err := fmt.Fprintf(w, "<testcase classname=\"tests.unit.orders.test_rounding_%d.TestRounding\" name=\"test_rounds_half_even[EUR-%d]\" time=\"0.00%d\" />\n", i/40, i, i%10)
		if err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, "</testsuite></testsuites>\n")
	return err
}

// written gives what write writes as a reader, without holding it.
func written(t *testing.T, write func(io.Writer) error) io.Reader {
	t.Helper()
	r, w := io.Pipe()
	go func() { w.CloseWithError(write(w)) }()
	t.Cleanup(func() { r.Close() })
	return r
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestCaseMemory: a kept case that passed costs at most 256 bytes of heap, and a counted one none.
func TestCaseMemory(t *testing.T) {
	const n = 120_000
	before := heap()
	r, err := JUnit(written(t, func(w io.Writer) error { return usualCases(w, n) }))
	if err != nil || r.Counts.Passed != n || len(r.Problems) > 0 {
		t.Fatalf("%+v %v %v", r.Counts, r.Problems, err)
	}
	if each := float64(heap()-before) / n; each > 256 {
		t.Errorf("a kept case takes %.0f bytes", each)
	} else {
		t.Logf("a kept case takes %.0f bytes", each)
	}
	runtime.KeepAlive(r)

	before = heap()
	r, err = Count("junit", written(t, func(w io.Writer) error { return usualCases(w, 500_000) }))
	if err != nil || r.Counts.Passed != 500_000 || !green(r) {
		t.Fatalf("%+v %v %v", r.Counts, r.Problems, err)
	}
	if after := heap(); after > before+1<<20 {
		t.Errorf("counting left %d bytes", after-before)
	}
}

// TestJUnitSilentFile: what node lists of a file in which it saw no test is no passed test, counted or kept.
func TestJUnitSilentFile(t *testing.T) {
	for _, c := range []struct {
		name, body string
		skipped    int
	}{
		{"usual", `<testcase name="/a/x.test.js" time="0.1" classname="test"/>`, 1},
		{"spaces and an ampersand", `<testcase name="/my tests/a&amp;b.test.mjs" time="0.1" classname="test"/>`, 1},
		{"windows", `<testcase name="C:\a\x.test.ts" time="0.1" classname="test"></testcase>`, 1},
		{"a test", `<testcase name="x.test.js" time="0.1" classname="test"/>`, 0},
		{"another class", `<testcase name="/a/x.test.js" time="0.1" classname="paths"/>`, 0},
		{"in a suite", `<testsuite name="paths"><testcase name="/a/x.test.js" time="0.1" classname="test"/></testsuite>`, 0},
	} {
		text := `<testsuites><testcase name="good" classname="test"/>` + c.body + `</testsuites>`
		counted, err := Count("junit", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []facts.Results{parse(t, "junit", []byte(text)), counted} {
			if r.Counts.Cases != 2 || r.Counts.Skipped != c.skipped || r.Counts.Passed != 2-c.skipped || len(r.Problems) != c.skipped {
				t.Errorf("%s: %+v %v", c.name, r.Counts, r.Problems)
			}
		}
	}
	r := parse(t, "junit", []byte(`<testsuites><testcase name="/a/x.test.js" classname="test"><failure message="m"/></testcase></testsuites>`))
	if r.Counts.Failed != 1 || len(r.Problems) > 0 {
		t.Errorf("a file that failed: %+v %v", r.Counts, r.Problems)
	}
}
