package runners

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

func TestJestEndings(t *testing.T) {
	modules := jestModules(t)
	for _, s := range scenarios(t, "jest") {
		t.Run(filepath.Base(s.path), func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(t.TempDir(), "pro ject é")
			if err := os.MkdirAll(root, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(modules, filepath.Join(root, "node_modules")); err != nil {
				t.Fatal(err)
			}
			got := s.play(t, "jest", root, nil)
			s.compare(t, got, true)
		})
	}
}

// jestModules installs what testdata/runners/jest/package-lock.json says, once for each lock and machine.
// FACTGATE_TEST_JEST names a node_modules folder to use instead, to try the probe on another version.
func jestModules(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("FACTGATE_TEST_JEST"); dir != "" {
		return dir
	}
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			missing(t, tool)
		}
	}
	from := filepath.Join("..", "testdata", "runners", "jest")
	lock, err := os.ReadFile(filepath.Join(from, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(from, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(os.TempDir(), fmt.Sprintf("factgate-test-jest-%x", sha256.Sum256(lock)))
	modules := filepath.Join(home, "node_modules")
	if _, err := os.Stat(modules); err == nil {
		return modules
	}
	making, err := os.MkdirTemp(os.TempDir(), "factgate-test-jest-making-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(making)
	write(t, filepath.Join(making, "package.json"), string(manifest))
	write(t, filepath.Join(making, "package-lock.json"), string(lock))
	npm := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	npm.Dir = making
	if out, err := npm.CombinedOutput(); err != nil {
		t.Logf("npm ci: %v\n%s", err, out)
		missing(t, "jest (npm ci)")
	}
	if err := os.Rename(making, home); err != nil { // another test process may have been first
		if _, err := os.Stat(modules); err != nil {
			t.Fatal(err)
		}
	}
	return modules
}

// jestLines tells in lines what a results file of jest holds.
func jestLines(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Success                                  bool
		NumTotalTests, NumRuntimeErrorTestSuites int
		TestResults                              []struct {
			Name, Status, Message string
			AssertionResults      []struct {
				FullName, Status string
				Invocations      int
				FailureMessages  []string
			}
		}
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	lines := []string{fmt.Sprintf("    success %v tests %d broken files %d", r.Success, r.NumTotalTests, r.NumRuntimeErrorTestSuites)}
	var cases []string
	for _, f := range r.TestResults {
		text := fmt.Sprintf("    %s %s", f.Status, filepath.Base(f.Name))
		if f.Message != "" {
			text += " (message)"
		}
		for _, a := range f.AssertionResults {
			text += fmt.Sprintf("\n      %s %s", a.Status, a.FullName)
			if a.Invocations > 1 {
				text += fmt.Sprintf(" invocations %d", a.Invocations)
			}
			for _, m := range a.FailureMessages {
				at := "nowhere"
				if strings.Contains(m, "\n    at ") {
					at = "a stack"
				}
				text += "; failure with " + at
			}
		}
		cases = append(cases, text)
	}
	sort.Strings(cases)
	return append(lines, cases...)
}
