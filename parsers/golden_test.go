package parsers

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"factgate/facts"
)

var update = flag.Bool("update", false, "write the golden files anew")

// capture is one results file that a real tool wrote.
type capture struct {
	format, name string
	bytes        []byte
	golden       string // path
}

// captures loads every captured file, and fails when there are none of a format.
func captures(t testing.TB) []capture {
	t.Helper()
	var all []capture
	for _, format := range Formats() {
		paths, err := filepath.Glob(filepath.Join("..", "testdata", "parsers", format, "*"))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, p := range paths {
			if strings.HasSuffix(p, ".golden.json") {
				continue
			}
			b, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			found++
			all = append(all, capture{format, filepath.Base(p), b, strings.TrimSuffix(p, filepath.Ext(p)) + ".golden.json"})
		}
		if found == 0 && format != "dartjson" { // no tool that writes it was at hand
			t.Fatalf("no captured file of format %s", format)
		}
	}
	return all
}

func parse(t testing.TB, format string, b []byte) facts.Results {
	t.Helper()
	p, ok := Lookup(format)
	if !ok {
		t.Fatalf("no format %s", format)
	}
	r, err := p(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return r
}

func TestCaptured(t *testing.T) {
	for _, c := range captures(t) {
		t.Run(c.format+"/"+c.name, func(t *testing.T) {
			got, err := json.MarshalIndent(abridged(parse(t, c.format, c.bytes)), "", " ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			if *update {
				if err := os.WriteFile(c.golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(c.golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(got)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// abridged leaves out most of the passed cases of a long file: a golden file is for people.
func abridged(r facts.Results) facts.Results {
	if n := len(r.Cases); n > 1000 {
		var kept []facts.Case
		for i, c := range r.Cases {
			if i < 5 || i >= n-5 || c.Status != facts.Passed {
				kept = append(kept, c)
			}
		}
		r.Cases = kept
	}
	return r
}

// TestGoldenFilesBelong: a golden file without its input would never be compared.
func TestGoldenFilesBelong(t *testing.T) {
	known := map[string]bool{}
	for _, c := range captures(t) {
		known[c.golden] = true
	}
	paths, err := filepath.Glob(filepath.Join("..", "testdata", "parsers", "*", "*.golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		if !known[p] {
			t.Errorf("%s has no input beside it", p)
		}
	}
}

// TestCapturedDocumented: the README names the tool and version of every input.
func TestCapturedDocumented(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "testdata", "parsers", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range captures(t) {
		if !strings.Contains(string(b), "`"+c.format+"/"+c.name+"`") {
			t.Errorf("testdata/parsers/README.md does not say what wrote `%s/%s`", c.format, c.name)
		}
	}
}

func TestSniffCaptured(t *testing.T) {
	for _, c := range captures(t) {
		for _, n := range []int{len(c.bytes), 4096} {
			if got := Sniff(c.bytes[:min(n, len(c.bytes))]); got != c.format {
				t.Errorf("%s/%s: the first %d bytes read as %q", c.format, c.name, n, got)
			}
		}
	}
}

func TestFormats(t *testing.T) {
	if f := Formats(); !slices.IsSorted(f) || len(f) == 0 {
		t.Errorf("the table is not sorted: %v", f)
	}
	if _, ok := Lookup("nope"); ok {
		t.Error("a format that is not in the table was found")
	}
}

func green(r facts.Results) bool {
	for _, p := range r.Problems {
		if p.Weight.Blocking() {
			return false
		}
	}
	return r.Complete && len(r.Outside) == 0 && r.Counts.Failed+r.Counts.Errored+r.Counts.Unknown == 0
}
