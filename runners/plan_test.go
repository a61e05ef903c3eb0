package runners

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"factgate/config"
	"factgate/facts"
	"factgate/verdict"
)

func builtinSet(t *testing.T) Set {
	t.Helper()
	s, problems := New(nil)
	if len(problems) != 0 {
		t.Fatal(problems)
	}
	return s
}

// machine is a plain one. Its environment is env alone.
func machine(env ...string) Machine {
	return Machine{Env: env, Root: "/repo", RunDir: "/run", Tools: "/tools", Self: "/bin/factgate", OS: "linux", Arch: "amd64", RunMark: "x@1/2"}
}

func check(runner string, command ...string) config.Check {
	return config.Check{Name: "x", Runner: runner, Dir: ".", Command: command}
}

func environment(p Plan) map[string]string {
	all := map[string]string{}
	for _, kv := range p.Env {
		name, value, _ := strings.Cut(kv, "=")
		all[name] = value
	}
	return all
}

func TestDirect(t *testing.T) {
	set := builtinSet(t)
	for _, test := range []struct {
		runner, argv string
		direct       bool
	}{
		{"pytest", "pytest -q", true},
		{"pytest", "/x/.venv/bin/pytest", true},
		{"pytest", `C:\x\Scripts\pytest.exe`, true},
		{"pytest", "py.test", true},
		{"pytest", "python -m pytest", true},
		{"pytest", "python3.11 -X dev -m pytest -q", true},
		{"pytest", "python3.13t -Wd -bb -Xdev -m pytest", true},
		{"pytest", "python -mpytest", true},
		{"pytest", "python -Im pytest", true},
		{"pytest", "python /usr/bin/pytest", true},
		{"pytest", "py -3.12 -m pytest", true},
		{"pytest", "uv run pytest", true},
		{"pytest", "uv --quiet run --frozen --group dev --extra=x pytest -q", true},
		{"pytest", "uv run -- python -m pytest", true},
		{"pytest", "uvx --with x pytest", true},
		{"pytest", "poetry run pytest", true},
		{"pytest", "pdm run -p x pytest", true},
		{"pytest", "pipenv run python -m pytest", true},
		{"pytest", "hatch -e test run pytest", true},
		{"pytest", "hatch run -e test pytest", true},
		{"pytest", "coverage run -m pytest", true},
		{"pytest", "coverage run --branch --source src -m pytest -q", true},
		{"pytest", "python -m coverage run --parallel-mode -m pytest", true},
		{"pytest", "coverage run tests.py", false},
		{"pytest", "coverage report", false},
		{"pytest", "env A=b C=d pytest", true},
		{"pytest", "env -u A -i pytest", true},
		{"pytest", "env -S pytest", false},
		{"pytest", "nice -n 5 pytest", true},
		{"pytest", "timeout -k 5 60 pytest", true},
		{"pytest", "xvfb-run -a -s '-x' pytest", true},
		{"pytest", "conda run -n e pytest", true},
		{"pytest", "direnv exec . pytest", true},
		{"pytest", "mise exec python@3.12 -- pytest", false},
		{"pytest", "mise exec -- pytest", true},
		{"pytest", "make test", false},
		{"pytest", "tox -e py", false},
		{"pytest", "sh run.sh", false},
		{"pytest", "python run_tests.py", false},
		{"pytest", "python -c pytest", false},
		{"pytest", "python -m unittest", false},
		{"pytest", "python -m", false},
		{"pytest", "echo pytest", false},
		{"pytest", "setsid pytest", false},
		{"pytest", "sudo pytest", false},
		{"jest", "jest", true},
		{"jest", "npx --no-install jest", true},
		{"jest", "npx --yes -p jest jest --ci", true},
		{"jest", "npx -c jest", false},
		{"jest", "npm exec -- jest", true},
		{"jest", "npm exec -w pkg -- jest", false},
		{"jest", "npm test", false},
		{"jest", "npm run jest", false},
		{"jest", "pnpm exec jest", true},
		{"jest", "pnpm jest", true},
		{"jest", "pnpm -r exec jest", false},
		{"jest", "pnpm test", false},
		{"jest", "yarn jest", true},
		{"jest", "yarn run jest", true},
		{"jest", "yarn test", false},
		{"jest", "bunx jest", true},
		{"jest", "node node_modules/jest/bin/jest.js", true},
		{"jest", "node --experimental-vm-modules --require x node_modules/.bin/jest", true},
		{"jest", "node -e jest", false},
		{"jest", "cross-env A=b jest", true},
		{"jest", "node_modules/.bin/jest.CMD", true},
	} {
		p, err := set.Plan(check(test.runner, strings.Fields(test.argv)...), machine())
		if err != nil {
			t.Errorf("%s: %v", test.argv, err)
		} else if p.Direct != test.direct {
			t.Errorf("%s: direct is %v", test.argv, p.Direct)
		}
	}
}

func TestMeaning(t *testing.T) {
	set := builtinSet(t)
	plan := func(runner string, argv ...string) Plan {
		p, err := set.Plan(check(runner, argv...), machine())
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	exited := func(code int) facts.Exit { return facts.Exit{Code: code} }
	for _, test := range []struct {
		what string
		plan Plan
		exit facts.Exit
		seen []facts.Process
		want facts.Meaning
	}{
		{"no tests", plan("pytest"), exited(5), nil, facts.NoTests},
		{"undocumented", plan("pytest"), exited(77), nil, facts.Unknown},
		{"signal", plan("pytest"), facts.Exit{Code: -1, Signal: "SIGSEGV"}, nil, facts.Unknown},
		{"not started", plan("pytest"), facts.Exit{StartError: facts.NotFound}, nil, facts.Unknown},
		{"make's 2 is not pytest's", plan("pytest", "make", "test"), exited(2), nil, facts.NotClean},
		{"make's 0", plan("pytest", "make", "test"), exited(0), nil, facts.Clean},
		{"command", plan("command", "lint"), exited(3), nil, facts.NotClean},
		{"command clean", plan("command", "lint"), exited(0), nil, facts.Clean},
		{"jest alone", plan("jest"), exited(1), nil, facts.NotClean},
		{"jest says why", plan("jest"), exited(1), []facts.Process{{Runner: "jest", Ended: true, Code: 1, Meaning: facts.NoTests}}, facts.NoTests},
		{"a nested one says nothing", plan("jest"), exited(1), []facts.Process{{Runner: "jest", Nested: true, Ended: true, Code: 1, Meaning: facts.NoTests}}, facts.NotClean},
		{"another code", plan("jest"), exited(1), []facts.Process{{Runner: "jest", Ended: true, Code: 0, Meaning: facts.NoTests}}, facts.NotClean},
		{"never clean", plan("jest"), exited(1), []facts.Process{{Runner: "jest", Ended: true, Code: 1, Meaning: facts.Clean}}, facts.NotClean},
		{"two of them", plan("jest"), exited(1), []facts.Process{{Runner: "jest", Ended: true, Code: 1, Meaning: facts.NoTests}, {Runner: "jest"}}, facts.NotClean},
		{"not ended", plan("jest"), exited(1), []facts.Process{{Runner: "jest", Code: 1, Meaning: facts.NoTests}}, facts.NotClean},
		{"a clean exit stays", plan("jest"), exited(0), []facts.Process{{Runner: "jest", Ended: true, Code: 0, Meaning: facts.NoTests}}, facts.Clean},
	} {
		if got := test.plan.Meaning(test.exit, test.seen...); got != test.want {
			t.Errorf("%s: %s, want %s", test.what, got, test.want)
		}
	}
	if got := set.MeaningOf("pytest", 2); got != facts.Interrupted {
		t.Errorf("MeaningOf: %s", got)
	}
	if got := set.MeaningOf("nope", 0); got != facts.Unknown {
		t.Errorf("an unknown runner's 0 is %s", got)
	}
	if note := plan("pytest", "make", "t").SignalNote(exited(137)); !strings.Contains(note, "SIGKILL") {
		t.Errorf("note %q", note)
	}
	if note := plan("pytest").SignalNote(exited(137)); note != "" {
		t.Errorf("pytest itself says no 128+n: %q", note)
	}
}

func TestScrubbed(t *testing.T) {
	set := builtinSet(t)
	for _, test := range []struct{ in, out, note string }{
		{"PYTEST_ADDOPTS=-q -k foo --tb=short", "-q --tb=short", "PYTEST_ADDOPTS: -k was removed"},
		{"PYTEST_ADDOPTS=-k 'a or b' -n 4", "-n 4", "PYTEST_ADDOPTS: -k was removed"},
		{`PYTEST_ADDOPTS=-k "a \" b" -W 'error::X' -q`, "-W 'error::X' -q", "PYTEST_ADDOPTS: -k was removed"},
		{"PYTEST_ADDOPTS=-kfoo", "", "PYTEST_ADDOPTS: -k was removed"},
		{"PYTEST_ADDOPTS=-k=foo", "", "PYTEST_ADDOPTS: -k was removed"},
		{"PYTEST_ADDOPTS=-qxk foo -v", "-qx -v", "PYTEST_ADDOPTS: -k was removed"},
		{"PYTEST_ADDOPTS=--deselect=a --deselect b --co --lf", "", "PYTEST_ADDOPTS: --deselect, --deselect, --co, --lf were removed"},
		{"PYTEST_ADDOPTS=-p no:randomly -p xdist -pno:x", "-p xdist", "PYTEST_ADDOPTS: -p no:, -p no: were removed"},
		{"PYTEST_ADDOPTS=tests/a.py::test_b -v", "-v", "PYTEST_ADDOPTS: tests/a.py::test_b was removed"},
		{"PYTEST_ADDOPTS=-n4 --junitxml='a b.xml'", "-n4 --junitxml='a b.xml'", ""},
		{"NODE_OPTIONS=--test-only --max-old-space-size=4096", "--require=/tools/jest/probe.cjs --max-old-space-size=4096", "NODE_OPTIONS: --test-only was removed"},
		{`NODE_OPTIONS=--require "./my own.js" --test-only`, `--require=/tools/jest/probe.cjs --require "./my own.js"`, "NODE_OPTIONS: --test-only was removed"},
		{"NODE_TEST_CONTEXT=child-v8", "", "NODE_TEST_CONTEXT was removed"},
		{"VITEST_POOL_ID=1", "", "VITEST_POOL_ID was removed"},
		{"GTEST_FILTER=A.*", "", "GTEST_FILTER was removed"},
		{"UPDATE_EXPECT=1", "", "UPDATE_EXPECT was removed"},
		{"INSTA_FORCE_PASS=1", "", "INSTA_FORCE_PASS was removed"},
		{"BASH_ENV=/x", "", "BASH_ENV was removed"},
		{"BASH_FUNC_pytest%%=() { true; }", "", "BASH_FUNC_pytest%% was removed"},
		{"LD_PRELOAD=/x.so", "", "LD_PRELOAD was removed"},
		{"GIT_DIR=/x/.git", "", "GIT_DIR was removed"},
		{"GIT_CONFIG_KEY_0=core.hooksPath", "", "GIT_CONFIG_KEY_0 was removed"},
		{"GIT_AUTHOR_NAME=me", "me", ""},
		{"MAKEFLAGS=i", "", "MAKEFLAGS was removed"},
		{"PYTHONOPTIMIZE=1", "", "PYTHONOPTIMIZE was removed"},
		{"PYTHONDONTWRITEBYTECODE=1", "1", ""},
		{"HOME=/home/me", "/home/me", ""},
	} {
		name, value, _ := strings.Cut(test.in, "=")
		p, err := set.Plan(check("jest"), machine(test.in))
		if err != nil {
			t.Fatal(err)
		}
		got := environment(p)[name]
		if got != test.out {
			t.Errorf("%s: %q, want %q", test.in, got, test.out)
		}
		if note := strings.Join(p.Notes, "; "); note != test.note {
			t.Errorf("%s: note %q, want %q", test.in, note, test.note)
		}

		// keep_env keeps the whole, and says nothing.
		c := check("command", "true")
		c.KeepEnv = []string{name}
		if p, err = set.Plan(c, machine(test.in)); err != nil {
			t.Fatal(err)
		}
		if got := environment(p)[name]; got != value || len(p.Notes) != 0 {
			t.Errorf("%s kept: %q, %q", test.in, got, p.Notes)
		}
	}
}

func TestEnvironment(t *testing.T) {
	set := builtinSet(t)
	c := check("pytest")
	c.Dir = "services/api"
	c.Env = map[string]string{"TZ": "UTC", "GONE": "", "PYTHONPATH": "/mine", "PYTEST_ADDOPTS": "-k declared"}
	p, err := set.Plan(c, machine("GONE=1", "TZ=CET", "PYTHONPATH=/theirs", "PYTEST_PLUGINS=mine", "PATH=/bin", "DUP=1", "DUP=2", "CI=false", "EMPTY="))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"TZ": "UTC", "PYTHONPATH": "/tools/pytest:/mine", "PYTEST_PLUGINS": "factgate_pytest_probe,mine", "PATH": "/bin", "DUP": "2", "CI": "true",
		"PYTEST_ADDOPTS": "-k declared", "EMPTY": "", "PWD": "/repo/services/api",
		"FACTGATE_RUN": "x@1/2", "FACTGATE_RUN_DIR": "/run", "FACTGATE_TOOLS": "/tools",
	}
	if diff := cmp.Diff(want, environment(p)); diff != "" {
		t.Error(diff)
	}
	if !slices.IsSorted(p.Env) {
		t.Error("not sorted")
	}

	c.Env = map[string]string{"CI": ""}
	if p, _ = set.Plan(c, machine("CI=1")); environment(p)["CI"] != "" {
		t.Error("CI is there although it was taken out")
	}
	c.Env, c.KeepEnv = nil, []string{"CI"}
	if p, _ = set.Plan(c, machine("CI=false")); environment(p)["CI"] != "false" {
		t.Error("CI was not kept")
	}

	windows := machine("Path=C:\\bin", "PythonPath=C:\\mine", "=C:=C:\\x")
	windows.OS = "windows"
	p, _ = set.Plan(check("pytest"), windows)
	if got := environment(p)["PythonPath"]; got != "/tools/pytest;C:\\mine" {
		t.Errorf("on Windows PythonPath is %q", got)
	}
}

// TestOuterRun plans inside a run: nothing of the outer one is left, and what the user had is as it was.
func TestOuterRun(t *testing.T) {
	set := builtinSet(t)
	user := []string{"PATH=/bin:/usr/bin", "PYTHONPATH=/mine", `NODE_OPTIONS=--max-old-space-size=99 --require "/a b.js"`, "PYTEST_PLUGINS=mine", "CI=true"}
	for _, runner := range []string{"pytest", "jest"} {
		m := machine(user...)
		m.Tools = "/state/outer tools"
		outer, err := set.Plan(check(runner), m)
		if err != nil {
			t.Fatal(err)
		}
		env := append(slices.Clone(outer.Env), "FACTGATE_NESTED=/run", "FACTGATE_REAL_GO=/usr/bin/go", "FACTGATE_FRESH=1",
			"CARGO_TARGET_X_RUNNER=/state/outer tools/bin/factgate-cargo-runner", "GTEST_OUTPUT=xml:/run/", "FACTGATE_STATE_DIR=/mine")
		env = slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "PATH=") })
		env = append(env, "PATH=/state/outer tools/bin:/bin:/usr/bin")
		inner, err := set.Plan(check("command", "true"), machine(env...))
		if err != nil {
			t.Fatal(err)
		}
		want := environment(Plan{Env: append(slices.Clone(user), "FACTGATE_RUN=x@1/2", "FACTGATE_RUN_DIR=/run", "FACTGATE_TOOLS=/tools", "PWD=/repo", "FACTGATE_STATE_DIR=/mine")})
		if diff := cmp.Diff(want, environment(inner)); diff != "" {
			t.Errorf("%s: %s", runner, diff)
		}
		if len(inner.Notes) != 0 {
			t.Errorf("%s: notes %q", runner, inner.Notes)
		}
	}
}

func TestFocus(t *testing.T) {
	set := builtinSet(t)
	for _, test := range []struct{ runner, argv, args, want string }{
		{"pytest", "pytest -q", "-k foo", "pytest -q -k foo"},
		{"pytest", "pytest -- tests", "-k foo", "pytest -k foo -- tests"},
		{"jest", "npm exec -- jest", "-t x", "npm exec -- jest -t x"},
		{"jest", "npx jest -- a", "-t x -- b", "npx jest -t x -- a b"},
		{"jest", "npm test", "-t x", "npm test -- -t x"},
		{"jest", "npm test -- --ci", "-t x", "npm test -- --ci -t x"},
		{"jest", "pnpm test", "-t x", "pnpm test -t x"},
		{"jest", "yarn test", "-t x", "yarn test -t x"},
		{"pytest", "tox -e py", "-k x", "tox -e py -- -k x"},
		{"pytest", "sh run.sh", "-k x", "sh run.sh -k x"},
		{"pytest", "make test", "-k x", ""},
		{"pytest", "bash -ec pytest", "-k x", ""},
	} {
		m := machine()
		m.Args = strings.Fields(test.args)
		p, err := set.Plan(check(test.runner, strings.Fields(test.argv)...), m)
		if (err != nil) != (test.want == "") {
			t.Errorf("%s: %v", test.argv, err)
		}
		if got := strings.Join(p.Argv, " "); got != test.want {
			t.Errorf("%s: %s", test.argv, got)
		}
	}
}

func TestCustom(t *testing.T) {
	set, problems := New([]config.Runner{
		{Name: "mytool", Command: []string{"mytool", "--xml={results}"}, Format: "junit", Env: map[string]string{"OUT": "{results_dir}"},
			Exits: map[int]facts.Meaning{0: facts.Clean, 7: facts.NoTests}},
		{Name: "globbed", Command: []string{"uv", "run", "globbed"}, Format: "tap", Glob: "build/*.tap", TotalsIgnored: true},
		{Name: "pytest", Line: 12, Command: []string{"x"}},
	})
	if len(problems) != 1 || problems[0].Line != 12 {
		t.Fatalf("problems %v", problems)
	}
	p, err := set.Plan(check("mytool"), machine())
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.Argv, " "); got != "mytool --xml=/run/results.xml" || environment(p)["OUT"] != "/run/results" {
		t.Errorf("%s, OUT=%s", got, environment(p)["OUT"])
	}
	if p.Source.File != "/run/results.xml" || p.Source.Dir != "/run/results" || p.Source.Format != "junit" {
		t.Errorf("source %+v", p.Source)
	}
	if got := p.Meaning(facts.Exit{Code: 7}); got != facts.NoTests {
		t.Errorf("7 is %s", got)
	}
	c := check("mytool", "make", "mytool")
	if p, _ = set.Plan(c, machine()); p.Meaning(facts.Exit{Code: 7}) != facts.NotClean {
		t.Error("make's 7 was read as mytool's")
	}
	c = check("globbed")
	c.Dir = "pkg"
	p, _ = set.Plan(c, machine())
	if p.Source.Glob != "pkg/build/*.tap" || !p.Source.TotalsIgnored || !p.Direct || p.Launcher != "uv run" {
		t.Errorf("%+v direct %v launcher %q", p.Source, p.Direct, p.Launcher)
	}
	if p.Meaning(facts.Exit{Code: 1}) != facts.NotClean || p.Meaning(facts.Exit{}) != facts.Clean {
		t.Error("without a table 0 is clean and any other is not")
	}
	for _, name := range []string{"command", "globbed", "jest", "mytool", "pytest"} {
		if !slices.Contains(set.Names(), name) {
			t.Errorf("%s is not in %q", name, set.Names())
		}
	}
	if !slices.IsSorted(set.Names()) {
		t.Errorf("names %q are not sorted", set.Names())
	}
}

func TestRefused(t *testing.T) {
	set := builtinSet(t)
	if _, err := set.Plan(check("nope"), machine()); err == nil || !strings.Contains(err.Error(), strings.Join(set.Names(), ", ")) {
		t.Errorf("an unknown runner: %v", err)
	}
	if _, err := set.Plan(check("command"), machine()); err == nil {
		t.Error("a command without a command")
	}
}

func TestOutputs(t *testing.T) {
	set := builtinSet(t)
	c := check("pytest")
	c.Dir, c.Outputs = "services/api", []string{"services/api/out/**"}
	p, _ := set.Plan(c, machine())
	for _, want := range []string{"**/__pycache__/**", ".pytest_cache/**", "services/.pytest_cache/**", "services/api/**/.pytest_cache/**", "services/api/out/**"} {
		if !slices.Contains(p.Outputs, want) {
			t.Errorf("%s is not in %q", want, p.Outputs)
		}
	}
}

// TestMaterial: what changes a run's outcome changes the key; how it is run does not.
func TestMaterial(t *testing.T) {
	set := builtinSet(t)
	base := check("pytest", "pytest", "-q")
	base.KeepEnv = []string{"DB"}
	plan := func(c config.Check, m Machine) Material {
		p, err := set.Plan(c, m)
		if err != nil {
			t.Fatal(err)
		}
		return p.Material()
	}
	was := plan(base, machine("DB=1"))
	same := machine("DB=1", "PYTEST_ADDOPTS=-k x", "OTHER=2")
	same.RunDir, same.RunMark, same.Fresh, same.Args = "/elsewhere", "y", true, []string{"-k", "x"}
	if diff := cmp.Diff(was, plan(base, same)); diff != "" {
		t.Errorf("the key moved: %s", diff)
	}
	timed := base
	timed.Timeout, timed.Rules = 5, verdict.Rules{MinTests: 3}
	if diff := cmp.Diff(was, plan(timed, machine("DB=1"))); diff != "" {
		t.Errorf("policy is in the key: %s", diff)
	}
	args, env, dir := base, base, base
	args.Args, env.Env, dir.Dir = []string{"-x"}, map[string]string{"A": "b"}, "sub"
	arm := machine("DB=1")
	arm.Arch = "arm64"
	for what, now := range map[string]Material{
		"keep_env": plan(base, machine("DB=2")), "keep_env gone": plan(base, machine()), "args": plan(args, machine("DB=1")),
		"env": plan(env, machine("DB=1")), "dir": plan(dir, machine("DB=1")), "arch": plan(base, arm),
	} {
		if cmp.Equal(was, now) {
			t.Errorf("%s is not in the key", what)
		}
	}
	if strings.Contains(was.Keep["DB"], "1") && len(was.Keep["DB"]) < 64 {
		t.Errorf("keep_env holds the value: %q", was.Keep["DB"])
	}
	changed := pytest()
	changed.Files[0].Data += "#"
	if changed.digest() == pytest().digest() {
		t.Error("a changed probe has the same digest")
	}
}

func TestProbesOfARunner(t *testing.T) {
	r := Runner{Name: "x", Env: map[string]string{"CARGO_TARGET_{probe:host}_RUNNER": "{tools}/r", "PLAIN": "{self}"}}
	fill := func(m Machine) *environ {
		return Set{}.environ(check("x"), r, m, m.filler(Source{}))
	}
	m := machine()
	if e := fill(m); len(e.notes) != 1 || !strings.Contains(e.notes[0], "left out") {
		t.Errorf("notes %q", e.notes)
	}
	m.Answers = map[string]string{"host": "x86_64-unknown-linux-gnu\nmore\n"}
	e := fill(m)
	if v, ok := e.get("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER"); !ok || v != "/tools/r" {
		t.Errorf("%q", e.list())
	}
}

func TestNotesOfInterpreters(t *testing.T) {
	set := builtinSet(t)
	for argv, want := range map[string]string{"python -I -m pytest": "PYTHONPATH", "python -OO -m pytest": "assert", "python -X importtime -m pytest": ""} {
		p, _ := set.Plan(check("pytest", strings.Fields(argv)...), machine())
		got := strings.Join(p.Notes, ";")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q", argv, got)
		}
	}
}

// TestWords: what split takes apart, quoted puts together.
func TestWords(t *testing.T) {
	for _, name := range []string{"NODE_OPTIONS", "PYTEST_ADDOPTS", "GOFLAGS"} {
		for _, text := range []string{"plain", "two words", `with "quotes"`, `C:\dir\a b`, "it's", "ü\t"} {
			if name == "GOFLAGS" && strings.ContainsAny(text, `"`) && strings.Contains(text, "'") {
				continue // go cannot say it
			}
			words := split(name, "a "+quoted(name, text)+" b")
			if name == "GOFLAGS" && strings.Contains(text, `'`) == false || name != "GOFLAGS" || strings.Contains(text, `'`) {
				if len(words) != 3 || words[1].text != text {
					t.Errorf("%s: %q became %+v", name, text, words)
				}
			}
		}
	}
}

// TestDoc fails when docs/runners.md is not what the data prints.
func TestDoc(t *testing.T) {
	path := filepath.Join("..", "docs", "runners.md")
	if *update {
		write(t, path, Doc())
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: print it with go test ./runners -run TestDoc -update", err)
	}
	if diff := cmp.Diff(Doc(), string(got)); diff != "" {
		t.Errorf("docs/runners.md is stale: go test ./runners -run TestDoc -update\n%s", diff)
	}
}
