package check

import (
	"path/filepath"
	"testing"

	"factgate/facts"
	"factgate/parsers"
)

// A process may work in a folder of its own, and go test names a file by its base alone.
func TestLocate(t *testing.T) {
	root := t.TempDir()
	dir, sub := filepath.Join(root, "m"), filepath.Join(root, "m", "sub")
	for _, c := range []struct{ suite, file, process, want string }{
		{"m/red", "a_test.go", dir, filepath.Join(sub, "a_test.go")},
		{"m/red", "m/red/a_test.go", dir, filepath.Join(sub, "a_test.go")}, // -trimpath
		{"m/red", "x/a_test.go", dir, "x/a_test.go"},
		{"m/other", "a_test.go", dir, "a_test.go"},
		{"m/other", "a_test.go", sub, filepath.Join(sub, "a_test.go")},
		{"m/red", filepath.Join(root, "a_test.go"), sub, filepath.Join(root, "a_test.go")},
		{"m/red", "", sub, ""},
	} {
		s := parsers.Stream{Process: facts.Process{Dir: c.process}, Folders: map[string]string{"m/red": sub}}
		r := facts.Results{Cases: []facts.Case{{Suite: c.suite, File: c.file, Failures: []facts.Failure{{File: c.file}}}}}
		locate(&r, s, dir)
		if got := r.Cases[0]; got.File != c.want || got.Failures[0].File != c.want {
			t.Errorf("%+v: %q and %q", c, got.File, got.Failures[0].File)
		}
	}
	r := facts.Results{Outside: []facts.Outside{{File: "b.go"}}}
	if locate(&r, parsers.Stream{Process: facts.Process{Dir: sub}}, dir); r.Outside[0].File != filepath.Join(sub, "b.go") {
		t.Errorf("outside: %q", r.Outside[0].File)
	}
}
