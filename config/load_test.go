package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"factgate/facts"
	"factgate/verdict"
)

func TestLoadWhole(t *testing.T) {
	data, err := os.ReadFile("testdata/whole.toml")
	if err != nil {
		t.Fatal(err)
	}
	got, problems := loadText(t, string(data))
	if len(problems) > 0 {
		t.Fatal(Format(problems))
	}
	sum := sha256.Sum256(data)
	if want := hex.EncodeToString(sum[:]); got.Digest != want {
		t.Errorf("digest %s, want %s", got.Digest, want)
	}
	if got.Root != filepath.Dir(got.Path) || filepath.Base(got.Path) != Name || !filepath.IsAbs(got.Root) {
		t.Errorf("path %s, root %s", got.Path, got.Root)
	}
	set := func(names ...string) map[string]bool {
		m := map[string]bool{}
		for _, n := range names {
			m[n] = true
		}
		return m
	}
	windows, _ := parseExit("3221225477") // an access violation
	defaults := verdict.Rules{MinTests: 2, AcceptFlaky: true, RefuseCached: true}
	want := File{
		Version: 1, Jobs: 4,
		Checks: []Check{
			{
				Name: "schema", Line: 13, Runner: "command", Dir: ".", Command: []string{"make", "schema"}, Timeout: 20 * time.Minute, Grace: 5 * time.Second,
				Rules: verdict.Rules{AcceptFlaky: true, RefuseCached: true}, Gate: "push", Set: set("runner", "command"),
			},
			{
				Name: "api", Line: 17, Runner: "pytest", Dir: "services/api", Command: []string{"uv", "run", "pytest"}, Args: []string{"-q"},
				Env: map[string]string{"TZ": "UTC", "CI": ""}, KeepEnv: []string{"DATABASE_URL", "PYTEST_ADDOPTS"},
				Timeout: 5 * time.Minute, Grace: time.Minute, Needs: []string{"schema"},
				Inputs:  []string{"services/api/**", "libs/py", ".env", "**"},
				Outputs: []string{"services/api/htmlcov/**"}, Rules: verdict.Rules{MinTests: 10, AllowNoTests: true}, Gate: "stop",
				Set: set("runner", "dir", "command", "args", "env", "keep_env", "timeout", "grace", "needs", "inputs", "outputs", "min_tests", "retries",
					"flaky", "cached", "gate", "allow_no_tests"),
			},
			{
				Name: "unit:web", Line: 36, Runner: "mytool", Dir: "web", Timeout: 20 * time.Minute, Grace: 5 * time.Second,
				Rules: defaults, Gate: "off", Set: set("runner", "dir", "gate"),
			},
			{
				Name: "glob", Line: 41, Runner: "maven", Dir: ".", Timeout: 20 * time.Minute, Grace: 5 * time.Second,
				Rules: defaults, Gate: "push", Set: set("runner"),
			},
		},
		Runners: []Runner{
			{
				Name: "mytool", Line: 44, Command: []string{"mytool", "--xml={results}"}, Env: map[string]string{"MYTOOL_COLOR": "0"},
				Format: "junit", TotalsIgnored: true,
				Exits: map[int]facts.Meaning{0: facts.Clean, 1: facts.TestsFailed, 7: facts.NoTests, windows: facts.Broke},
			},
			{Name: "maven", Line: 50, Command: []string{"mvn", "test"}, Format: "junit", Glob: "target/surefire-reports/*.xml"},
		},
		Ignore: []string{"**/.idea/**"},
		Output: Output{Head: 64 << 10, Tail: 65536, Spool: 2_000_000},
		Store:  Store{Runs: 10, Age: 720 * time.Hour, Bytes: 1 << 30},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(File{}, "Path", "Root", "Digest"), cmpopts.IgnoreUnexported(File{})); diff != "" {
		t.Error(diff)
	}
}

// TestDefaults holds the defaults that the docs show against those that are used.
func TestDefaults(t *testing.T) {
	bare, problems := loadText(t, "version = 1\n[checks.a]\nrunner = \"go\"\n")
	if len(problems) > 0 {
		t.Fatal(Format(problems))
	}
	var b strings.Builder
	b.WriteString("version = 1\n")
	for _, table := range []string{"defaults", "checks.a", "output", "store"} {
		b.WriteString("[" + table + "]\n")
		if table == "checks.a" {
			b.WriteString("runner = \"go\"\n")
		}
		for _, k := range keys() {
			name, ok := strings.CutPrefix(strings.ReplaceAll(k.path, "*", "a"), table+".")
			if ok && k.standard != "" && k.standard != "the whole tree" && k.standard != "the runner's own" {
				b.WriteString(name + " = " + strings.Trim(k.standard, "`") + "\n")
			}
		}
	}
	full, problems := loadText(t, b.String())
	if len(problems) > 0 {
		t.Fatalf("%s\n%s", b.String(), Format(problems))
	}
	full.Checks[0].Line, full.Checks[0].Set = bare.Checks[0].Line, bare.Checks[0].Set
	if diff := cmp.Diff(bare, full, cmpopts.IgnoreFields(File{}, "Path", "Root", "Digest"), cmpopts.IgnoreUnexported(File{}), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if want := (verdict.Rules{MinTests: 1}); bare.Checks[0].Rules != want || bare.Checks[0].Gate != "stop" || bare.Checks[0].Timeout != 10*time.Minute {
		t.Errorf("%+v", bare.Checks[0])
	}
}

// TestDefaultsYield: each policy key of a check wins over [defaults], in both directions.
func TestDefaultsYield(t *testing.T) {
	f, problems := loadText(t, `version = 1
defaults = { flaky = "accept", cached = "refuse", min_tests = 5, gate = "ci", timeout = "1m", grace = "1s" }
checks.a = { runner = "go", flaky = "refuse", cached = "accept", min_tests = 0, gate = "push", timeout = "2m", grace = "0s" }
checks.b = { runner = "go" }
`)
	if len(problems) > 0 {
		t.Fatal(Format(problems))
	}
	a, b := f.Checks[0], f.Checks[1]
	if a.Rules != (verdict.Rules{}) || a.Gate != "push" || a.Timeout != 2*time.Minute || a.Grace != 0 {
		t.Errorf("%+v", a)
	}
	if b.Rules != (verdict.Rules{MinTests: 5, AcceptFlaky: true, RefuseCached: true}) || b.Gate != "ci" || b.Timeout != time.Minute || b.Grace != time.Second {
		t.Errorf("%+v", b)
	}
}

func TestLoadKinds(t *testing.T) {
	root := t.TempDir()
	outside := filepath.Join(t.TempDir(), "evil.toml")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	const sound = "version = 1\n"
	write(outside, sound)
	write(filepath.Join(root, "conf", "in.toml"), sound)
	write(filepath.Join(root, "large"), sound+"#"+strings.Repeat("x", 300<<10))
	write(filepath.Join(root, "just"), sound+"#"+strings.Repeat("x", maxSize-len(sound)-1))
	link(filepath.Join("conf", "in.toml"), "inside")
	link(outside, "absolute")
	link(filepath.Join("..", filepath.Base(filepath.Dir(outside)), "evil.toml"), "relative")
	link("nowhere", "dangling")
	link("self", "self")
	link("conf", "folder")
	link(os.DevNull, "device")
	for name, want := range map[string]string{
		"just":     "",
		"inside":   "",
		"large":    "large: is larger than 256 KiB\n",
		"absolute": "absolute: is a symbolic link that leaves the root\n",
		"device":   "device: is a symbolic link that leaves the root\n",
		"folder":   "folder: is not a regular file\n",
		"conf":     "conf: is not a regular file\n",
		"dangling": "dangling: there is no such file (docs/config.md says how to write one)\n",
		"none":     "none: there is no such file (docs/config.md says how to write one)\n",
	} {
		f, problems := Load(filepath.Join(root, name))
		if got := Format(problems); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if f.Root != root {
			t.Errorf("%s: root %s", name, f.Root)
		}
	}
	for _, name := range []string{"relative", "self"} {
		if _, problems := Load(filepath.Join(root, name)); len(problems) != 1 {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

func TestDirOverLink(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "in", "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"out": outside, "near": "in"} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	path := filepath.Join(root, Name)
	text := "version = 1\n"
	for _, dir := range []string{"in", "near/deep", "missing", ".", "out", "out/x/.", "in/./deep/"} {
		text += "[checks.\"" + strings.ReplaceAll(dir, "/", ":") + "\"]\nrunner = \"go\"\ndir = \"" + dir + "\"\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, problems := Load(path)
	if got, want := Format(problems), "factgate.toml:16: checks.out.dir: \"out\" leaves the root over a symbolic link\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := f.Checks[6].Dir; got != "in/deep" {
		t.Errorf("dir %q", got)
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b", "c")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(deep); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
	for _, dir := range []string{root, filepath.Join(root, "a", "b")} {
		path := filepath.Join(dir, Name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := Find(deep); err != nil || got != path {
			t.Errorf("Find = %q, %v, want %q", got, err, path)
		}
	}
	if got, err := Find(root); err != nil || got != filepath.Join(root, Name) {
		t.Errorf("Find = %q, %v", got, err)
	}
	if err := os.Symlink("nowhere", filepath.Join(deep, Name)); err == nil {
		if got, err := Find(deep); err != nil || got != filepath.Join(deep, Name) {
			t.Errorf("a dangling link is passed over: %q, %v", got, err)
		}
	}
}

func TestPositions(t *testing.T) {
	f, problems := loadText(t, "version = 1 # ä\nchecks.\"a.b\" . runner = 'go'\n[checks.c]\n  runner = \"x\"\r\n  needs = [ # n\n    \"a.b\",\n  ]\n  \"äö\" = { k = 1, 'l' = 2 }\n[checks.c.env]\nX.Y = \"1\"\n")
	if len(problems) != 2 { // äö, X
		t.Fatal(Format(problems))
	}
	for _, c := range []struct {
		key          []string
		line, column int
	}{
		{[]string{"version"}, 1, 1},
		{[]string{"checks"}, 2, 1},
		{[]string{"checks", "a.b"}, 2, 8},
		{[]string{"checks", "a.b", "runner"}, 2, 16},
		{[]string{"checks", "a.b", "dir"}, 2, 8},
		{[]string{"checks", "c"}, 3, 9},
		{[]string{"checks", "c", "runner"}, 4, 3},
		{[]string{"checks", "c", "needs", element + "0"}, 6, 5},
		{[]string{"checks", "c", "äö", "k"}, 8, 12},
		{[]string{"checks", "c", "äö", "l"}, 8, 19},
		{[]string{"checks", "c", "env"}, 9, 11},
		{[]string{"checks", "c", "env", "X", "Y"}, 10, 3},
		{[]string{"nothing"}, 0, 0},
		{nil, 0, 0},
	} {
		if line, column := f.At(c.key...); line != c.line || column != c.column {
			t.Errorf("%q: %d:%d, want %d:%d", c.key, line, column, c.line, c.column)
		}
	}
	p := f.Problem("there is no runner \"x\"", "did you mean go?", "checks", "c", "runner")
	if want := (Problem{Name, 4, 3, "checks.c.runner: there is no runner \"x\"", "did you mean go?"}); p != want {
		t.Errorf("%+v", p)
	}
	if line, column := (File{}).At("x"); line != 0 || column != 0 {
		t.Error("an empty file has places")
	}
}

// TestEveryKeyIsChecked gives each key a value of each wrong type.
func TestEveryKeyIsChecked(t *testing.T) {
	values := map[string]reflect.Kind{"7.5": reflect.Float64, "2020-01-01": reflect.Struct, "[[1]]": reflect.Slice, "{ \"\" = [1] }": reflect.Map, "[{}]": reflect.Array}
	for _, k := range keys() {
		path := strings.ReplaceAll(k.path, "*", "n")
		for v := range values {
			text := path + " = " + v + "\n"
			if _, problems := loadText(t, text); !strings.Contains(Format(problems), ":1: "+path) {
				t.Errorf("%s is not refused: %s", strings.TrimSpace(text), Format(problems))
			}
		}
	}
}

func TestNearest(t *testing.T) {
	for word, want := range map[string]string{"comand": "command", "COMMAND": "command", "cmd": "", "time_out": "timeout", "x": "", "": "", "agrs": "args", "runer": "runner", "inptus": "inputs"} {
		if got := nearest(word, []string{"command", "timeout", "args", "runner", "inputs"}); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

func TestTooManyChecks(t *testing.T) {
	text := "version=1\nchecks={" + strings.Repeat("", 1)
	var b strings.Builder
	b.WriteString(text)
	for i := range maxChecks + 1 {
		b.WriteString("c" + itoa(i) + "={runner='go'},")
	}
	b.WriteString("}\n")
	if b.Len() > maxSize {
		t.Fatal("the file is too large to show it")
	}
	_, problems := loadText(t, b.String())
	if got, want := Format(problems), "factgate.toml:2: checks.c10000: more than 10000 checks\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
