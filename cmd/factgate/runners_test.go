package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"factgate/config"
	"factgate/parsers"
	"factgate/runners"
)

// A runner's file, its line in the table, its fixtures and its row in the docs go together.
func TestEveryRunnerIsWhole(t *testing.T) {
	set, problems := runners.New([]config.Runner{})
	if len(problems) > 0 || len(set.Names()) == 0 {
		t.Fatalf("the table of runners: %v, %v", set.Names(), problems)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs/runners.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range set.Names() {
		if cases, err := os.ReadDir(filepath.Join(root, "testdata/runners", name)); err != nil || len(cases) == 0 {
			t.Errorf("runner %s has no projects in testdata/runners/%s: capture what the real tool does there", name, name)
		}
		if !strings.Contains(string(page), "\n## "+name) {
			t.Errorf("runner %s has no section in docs/runners.md: go test ./runners -update prints it", name)
		}
		r, _ := set.Lookup(name)
		if _, ok := parsers.Lookup(r.Results.Format); !ok && !r.Results.Probe && !r.NoCases {
			t.Errorf("runner %s asks for the format %q, which parsers does not have", name, r.Results.Format)
		}
	}
}
