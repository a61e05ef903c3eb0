//go:build linux

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"factgate/process"
	"factgate/shim"
)

// TestMain runs this binary as factgate, as one of the programs that factgate stands in for, or as the test program of a
// script, by the name that it was started with.
func TestMain(m *testing.M) {
	process.Supervise(os.Args)
	if slices.Contains(shim.Names(), strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")) {
		main()
	}
	testscript.Main(m, map[string]func(){"factgate": main, "fake": fake, "plain": plain})
}

// TestScripts runs testdata/script through the real main: what a user types, and what comes back. One folder holds the
// scripts of one subject.
func TestScripts(t *testing.T) {
	dirs, err := filepath.Glob("testdata/script/*")
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			testscript.Run(t, testscript.Params{
				Dir: dir, RequireExplicitExec: true, RequireUniqueNames: true, Setup: setup, Condition: lacks,
				Cmds: map[string]func(*testscript.TestScript, bool, []string){
					"exits": exits, "json": jsonAt, "flip": flip, "gone": gone, "count": lineCount, "begin": begin, "signal": signalTo,
					"keys": keys, "ended": ended, "until": until, "forge": forge,
				},
			})
		})
	}
}

// toolsOfTests is where scripts/setup.sh puts what the tests need.
const toolsOfTests = "../../.cache"

// modulesOfTests is the node_modules folder with jest, below the root: the example's.
const modulesOfTests = "testdata/monorepo/web/node_modules"

// setup gives a script a home and a state directory of its own, and the tools of this machine.
func setup(e *testscript.Env) error {
	outside := e.WorkDir + "-outside" // of the repository that the script is
	for _, dir := range []string{"home", "state", "tmp"} {
		if err := os.MkdirAll(filepath.Join(outside, dir), 0o700); err != nil {
			return err
		}
	}
	cache, err := filepath.Abs(toolsOfTests)
	if err != nil {
		return err
	}
	for _, name := range []string{"GOTOOLCHAIN", "GOPROXY", "GOFLAGS", "GOMODCACHE", "GOPATH", "RUSTUP_TOOLCHAIN", "FACTGATE_REQUIRE_TOOLS"} {
		if v, ok := os.LookupEnv(name); ok {
			e.Setenv(name, v)
		}
	}
	// Where the tools lie that rustup and pyenv manage: they are looked for below HOME, and HOME is the script's own.
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	for name, dir := range map[string]string{"RUSTUP_HOME": ".rustup", "CARGO_HOME": ".cargo", "PYENV_ROOT": ".pyenv"} {
		path, ok := os.LookupEnv(name)
		if !ok {
			path = filepath.Join(home, dir)
		}
		if _, err := os.Stat(path); err == nil {
			e.Setenv(name, path)
		}
	}
	for name, value := range map[string]string{
		"HOME": filepath.Join(outside, "home"), "FACTGATE_STATE_DIR": filepath.Join(outside, "state"), "TMPDIR": filepath.Join(outside, "tmp"),
		"STATE": filepath.Join(outside, "state"), "OUTSIDE": outside,
		"GOCACHE": filepath.Join(cache, "gocache"), "CACHE": cache, "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
		"PATH": filepath.Join(cache, "venv", "bin") + ":" + filepath.Join(cache, "bin") + ":" + e.Getenv("PATH"),
	} {
		e.Setenv(name, value)
	}
	e.Values[runningKey{}], e.Values[envKey{}] = running{}, e
	// A link to it makes a project's node_modules: what jest loads is the same for all of them.
	e.Setenv("JEST_MODULES", filepath.Join(filepath.Dir(cache), modulesOfTests))
	return nil
}

// lacks is the condition [lacks:PROGRAM] of a script that needs a tool. Where all tools must be there it fails instead.
func lacks(cond string) (bool, error) {
	name, ok := strings.CutPrefix(cond, "lacks:")
	if !ok {
		return false, fmt.Errorf("unknown condition %q", cond)
	}
	for _, dir := range []string{toolsOfTests + "/venv/bin", toolsOfTests + "/bin", "../../" + modulesOfTests + "/.bin"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return false, nil
		}
	}
	if _, err := exec.LookPath(name); err == nil {
		return false, nil
	}
	required := "FACTGATE_REQUIRE_TOOLS"
	if name == "cargo-nextest" { // takes minutes to build, so that only a machine that did so must have it
		required = "FACTGATE_REQUIRE_NEXTEST"
	}
	if os.Getenv(required) != "" {
		return true, fmt.Errorf("%s must be there and is not: scripts/setup.sh tests installs it", name)
	}
	return true, nil
}

// exits runs a command and pins its exit code: exits 3 factgate verify.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err = ts.Exec(args[1], args[2:]...); err != nil {
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			ts.Fatalf("%v", err)
		}
		got = ended.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// jsonAt holds values of the JSON on stdout: json checks.0.reasons.0 tests_failed, or by the name of the element: json
// checks.api.reasons '\[tests_failed\]'. Without a value it holds that there is one, and ! json PATH that there is none.
func jsonAt(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 1 {
		ts.Fatalf("usage: json PATH [REGEXP]")
	}
	var value any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &value); err != nil {
		ts.Fatalf("stdout is not JSON: %v", err)
	}
	found := true
	for _, key := range strings.Split(args[0], ".") {
		switch v := value.(type) {
		case map[string]any:
			value, found = v[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil {
				i = slices.IndexFunc(v, func(e any) bool { m, ok := e.(map[string]any); return ok && m["name"] == key })
			}
			found = i >= 0 && i < len(v)
			if found {
				value = v[i]
			}
		default:
			found = false
		}
		if !found {
			break
		}
	}
	got := fmt.Sprint(value)
	if s, ok := value.(map[string]any); ok {
		data, err := json.Marshal(s)
		ts.Check(err)
		got = string(data)
	}
	if found && len(args) > 1 {
		found = regexp.MustCompile("^(?:" + args[1] + ")$").MatchString(got)
	}
	if found == neg {
		ts.Fatalf("%s is %q", args[0], got)
	}
}

// flip changes one byte in the middle of a file that a glob names.
func flip(ts *testscript.TestScript, _ bool, args []string) {
	paths, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(paths) == 0 {
		ts.Fatalf("no file matches %s", args[0])
	}
	data, err := os.ReadFile(paths[0])
	ts.Check(err)
	data[len(data)/2] ^= 1
	ts.Check(os.WriteFile(paths[0], data, 0o600))
}
