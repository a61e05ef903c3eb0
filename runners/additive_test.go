package runners

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"factgate/config"
)

// TestAdditive runs one project with our probe and without, and demands the same output and exit code.
func TestAdditive(t *testing.T) {
	modules := jestModules(t)
	need(t, "python3", []string{"pytest"})
	for _, test := range []struct{ runner, archive string }{
		{"pytest", "fail"}, {"pytest", "collection_error"}, {"pytest", "no_tests"}, {"pytest", "internal_error"},
		{"jest", "fail"}, {"jest", "load_error"}, {"jest", "no_tests"}, {"jest", "obsolete_snapshot"},
	} {
		t.Run(test.runner+" "+test.archive, func(t *testing.T) {
			t.Parallel()
			all := scenarios(t, test.runner)
			s := all[slices.IndexFunc(all, func(s scenario) bool { return filepath.Base(s.path) == test.archive+".txtar" })]
			root := t.TempDir()
			for _, f := range s.ar.Files {
				if f.Name != "want" {
					write(t, filepath.Join(root, f.Name), string(f.Data))
				}
			}
			argv := slices.Clone(s.run)
			if test.runner == "jest" {
				argv = append(argv, "--runInBand") // two workers print in any order
				if err := os.Symlink(modules, filepath.Join(root, "node_modules")); err != nil {
					t.Fatal(err)
				}
			} else {
				argv = append(argv, "-p", "no:cacheprovider")
			}
			c := config.Check{Name: "x", Runner: test.runner, Command: argv, Env: map[string]string{"PYTHONDONTWRITEBYTECODE": "1"}}
			plan, _ := planned(t, builtinSet(t), c, root, nil)
			with, withCode := run(t, plan, plan.Env)
			bare := slices.DeleteFunc(slices.Clone(plan.Env), func(kv string) bool {
				name, _, _ := strings.Cut(kv, "=")
				return slices.Contains([]string{"PYTHONPATH", "PYTEST_PLUGINS", "NODE_OPTIONS"}, name) || strings.HasPrefix(name, "FACTGATE_")
			})
			without, withoutCode := run(t, plan, bare)
			if withCode != withoutCode {
				t.Errorf("exit code %d with the probe, %d without", withCode, withoutCode)
			}
			if diff := cmp.Diff(without, with); diff != "" {
				t.Errorf("(-without the probe +with it)\n%s", diff)
			}
		})
	}
}

// run starts a plan with some environment and returns what it printed, without what differs from run to run.
func run(t *testing.T, plan Plan, env []string) (string, int) {
	t.Helper()
	path := plan.Argv[0]
	if !strings.Contains(path, "/") {
		path = lookPath(env, path)
	}
	cmd := exec.Command(path)
	cmd.Args, cmd.Dir, cmd.Env = plan.Argv, plan.Dir, env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // the exit code is read below
	return timing.ReplaceAllString(out.String(), "TIME"), cmd.ProcessState.ExitCode()
}

var timing = regexp.MustCompile(`in [\d.]+s( =*)?|={3,}|Time: .*| \(\d+ ms\)| \([\d.]+ s\)`)
