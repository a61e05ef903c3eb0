package runners

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"factgate/config"
	"factgate/facts"
)

func TestCommandEndings(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sh is not everywhere on Windows")
	}
	for _, s := range scenarios(t, "command") {
		t.Run(filepath.Base(s.path), func(t *testing.T) {
			s.compare(t, s.play(t, "command", t.TempDir(), nil), true)
		})
	}
}

// TestCustomEndings declares each archive's command as a runner of its own and says where its results were found.
func TestCustomEndings(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("sh is not everywhere on Windows")
	}
	for _, s := range scenarios(t, "custom") {
		t.Run(filepath.Base(s.path), func(t *testing.T) {
			root := t.TempDir()
			for _, f := range s.ar.Files {
				if f.Name != "want" {
					write(t, filepath.Join(root, f.Name), string(f.Data))
				}
			}
			r := config.Runner{Name: "mytool", Command: s.run, Format: "junit", Exits: map[int]facts.Meaning{0: facts.Clean, 1: facts.TestsFailed, 7: facts.NoTests}}
			_, glob, _ := strings.Cut(string(s.ar.Comment), "glob: ")
			r.Glob = strings.TrimSpace(glob)
			set, problems := New([]config.Runner{r})
			if len(problems) != 0 {
				t.Fatal(problems)
			}
			plan, _ := planned(t, set, config.Check{Name: "x", Runner: "mytool"}, root, nil)
			if plan.Source.Dir != "" {
				if err := os.MkdirAll(plan.Source.Dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			code, signal, _ := start(t, plan)
			got := fmt.Sprintf("exit %d%s, %s\n", code, signal, plan.Meaning(facts.Exit{Code: code, Signal: signal}))
			patterns := []string{filepath.Join(root, filepath.FromSlash(plan.Source.Glob))}
			if r.Glob == "" {
				patterns = []string{plan.Source.File, filepath.Join(plan.Source.Dir, "*")}
			}
			for _, pattern := range patterns {
				found, _ := filepath.Glob(pattern)
				for _, f := range found {
					got += "results " + filepath.Base(f) + "\n"
				}
			}
			s.compare(t, got, true)
		})
	}
}
