package runners

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"factgate/config"
	"factgate/facts"
)

var update = flag.Bool("update", false, "rewrite what tests expect, and docs/runners.md")

// Each archive below testdata/runners/NAME is a small project that ends in one way. Its comment says the command, one word
// a line behind "run:", what it needs, and its file "want" says what our probe and the exit code showed.

// scenario is one archive.
type scenario struct {
	path  string
	ar    *txtar.Archive
	run   []string
	dir   string // where the check runs, relative to the project
	needs []string
	want  string
}

func scenarios(t *testing.T, runner string) []scenario {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "testdata", "runners", runner, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios for %s (%v)", runner, err)
	}
	var all []scenario
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := scenario{path: file, ar: ar, dir: "."}
		for _, line := range strings.Split(string(ar.Comment), "\n") {
			key, value, _ := strings.Cut(line, ": ")
			switch key {
			case "run":
				s.run = append(s.run, value)
			case "dir":
				s.dir = value
			case "needs":
				s.needs = append(s.needs, value)
			}
		}
		for _, f := range ar.Files {
			if f.Name == "want" {
				s.want = string(f.Data)
			}
		}
		if len(s.run) == 0 {
			t.Fatalf("%s says no command", file)
		}
		all = append(all, s)
	}
	return all
}

// play runs a scenario in root and says in lines what was seen.
func (s scenario) play(t *testing.T, runner, root string, env []string) string {
	t.Helper()
	for _, f := range s.ar.Files {
		if f.Name == "want" {
			continue
		}
		write(t, filepath.Join(root, filepath.FromSlash(f.Name)), string(f.Data))
	}
	before := tree(t, root)
	set, problems := New(nil)
	if len(problems) != 0 {
		t.Fatal(problems)
	}
	c := config.Check{Name: "x", Runner: runner, Dir: s.dir, Command: s.run, Env: map[string]string{"PYTHONDONTWRITEBYTECODE": "1"}}
	plan, runDir := planned(t, set, c, root, env)
	code, signal, out := start(t, plan)
	t.Logf("%q ended with %d %s\n%s", plan.Argv, code, signal, out)

	exit := facts.Exit{Code: code, Signal: signal}
	streams, procs := readStreams(t, set, runDir)
	lines := []string{fmt.Sprintf("exit %d%s, %s", code, signal, plan.Meaning(exit, procs...))}
	lines = append(lines, streams...)
	for _, added := range tree(t, root) {
		if !slices.Contains(before, added) {
			lines = append(lines, "left in the tree: "+added)
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

func write(t *testing.T, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	mode := os.FileMode(0o644)
	if strings.HasPrefix(data, "#!") {
		mode = 0o755
	}
	if err := os.WriteFile(path, []byte(data), mode); err != nil {
		t.Fatal(err)
	}
}

func tree(t *testing.T, root string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		if d.Name() == "node_modules" || d.Name() == ".pytest_cache" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		all = append(all, rel)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// planned makes a plan with the tools and the private directory really there.
func planned(t *testing.T, set Set, c config.Check, root string, env []string) (Plan, string) {
	t.Helper()
	tools, runDir := filepath.Join(t.TempDir(), "tools with space ü"), t.TempDir()
	if c.Dir == "" {
		c.Dir = "."
	}
	plan, err := set.Plan(c, Machine{
		Env: append(os.Environ(), env...), Root: root, RunDir: runDir, Tools: tools, Self: "/bin/factgate",
		OS: runtime.GOOS, Arch: runtime.GOARCH, RunMark: "x@0/1",
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(tools, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range plan.ToolFiles {
		write(t, filepath.Join(tools, filepath.FromSlash(f.Path)), f.Data)
	}
	t.Cleanup(func() {
		for _, found := range tree(t, tools) {
			if found == "." || slices.ContainsFunc(plan.ToolFiles, func(f ToolFile) bool { return strings.HasPrefix(f.Path, filepath.ToSlash(found)) }) {
				continue
			}
			if strings.HasPrefix(filepath.ToSlash(found), "pytest/__pycache__") {
				continue // the byte-code of our own probe
			}
			t.Errorf("the run wrote %s into the tools directory", found)
		}
	})
	return plan, runDir
}

func start(t *testing.T, plan Plan) (code int, signal, out string) {
	t.Helper()
	path := plan.Argv[0]
	if !strings.Contains(path, "/") {
		if path = lookPath(plan.Env, path); path == "" {
			missing(t, plan.Argv[0])
		}
	}
	cmd := exec.Command(path)
	cmd.Args, cmd.Dir, cmd.Env = plan.Argv, plan.Dir, plan.Env
	var both bytes.Buffer
	cmd.Stdout, cmd.Stderr = &both, &both
	err := cmd.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	code = cmd.ProcessState.ExitCode()
	if code < 0 {
		signal = " " + cmd.ProcessState.String()
	}
	return code, signal, both.String()
}

// lookPath finds a program by the PATH that it will run with.
func lookPath(env []string, name string) string {
	for _, kv := range env {
		list, ok := strings.CutPrefix(kv, "PATH=")
		for _, dir := range filepath.SplitList(list) {
			if found, err := exec.LookPath(filepath.Join(dir, name)); ok && err == nil {
				return found
			}
		}
	}
	return ""
}

// missing skips for want of a tool, or fails where every tool must be there.
func missing(t *testing.T, tool string) {
	t.Helper()
	if os.Getenv("FACTGATE_REQUIRE_TOOLS") != "" {
		t.Fatalf("%s is not here, and FACTGATE_REQUIRE_TOOLS says that it must be", tool)
	}
	t.Skipf("%s is not here", tool)
}

// line is one line of a probe stream.
type line struct {
	E, Runner, Dir, Version, Code, Weight, Text, Kind, Where, Message, ID, File, Status, Meaning, Format, Reason string
	N, Line, Attempts                                                                                            int
	Flaky                                                                                                        bool
	Failures                                                                                                     []struct {
		Message, Type, File string
		Line                int
		Error               bool
	}
}

// readStreams tells in lines what all probe streams of a run hold, one block a process.
func readStreams(t *testing.T, set Set, dir string) (lines []string, procs []facts.Process) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*.probe"))
	var blocks []string
	for _, file := range files {
		block, p := readStream(t, set, file)
		blocks, procs = append(blocks, block), append(procs, p)
	}
	sort.Strings(blocks)
	return blocks, procs
}

func readStream(t *testing.T, set Set, file string) (string, facts.Process) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := facts.Process{Code: -1}
	var out []string
	ended := "no end"
	in := bufio.NewScanner(bytes.NewReader(data))
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		// status is a word in a case and a number at the end
		var l line
		var end struct{ Status int }
		raw := in.Bytes()
		err := json.Unmarshal(raw, &l)
		if bytes.Contains(raw, []byte(`"end"`)) {
			err = json.Unmarshal(raw, &end)
		}
		var kind *json.UnmarshalTypeError
		if err != nil && !(errors.As(err, &kind) && kind.Field == "code") {
			t.Fatalf("%s: %v: %s", file, err, raw)
		}
		switch l.E {
		case "start":
			p.Runner, p.Dir, p.Version = l.Runner, l.Dir, l.Version
		case "nested":
			p.Nested = true
		case "planned":
			out = append(out, fmt.Sprintf("  planned %d", l.N))
		case "case":
			out = append(out, caseLine(l))
		case "outside":
			out = append(out, fmt.Sprintf("  outside %s %s %s", l.Kind, filepath.Base(l.Where), place(l.File, l.Line)))
		case "problem":
			out = append(out, fmt.Sprintf("  problem %s %s", l.Code, l.Weight))
		case "note":
			out = append(out, "  note "+l.Text)
		case "claims":
			out = append(out, "  claims")
		case "results":
			out = append(out, "  results "+l.Format)
			var named struct{ File string }
			if err := json.Unmarshal(raw, &named); err != nil {
				t.Fatal(err)
			}
			out = append(out, jestLines(t, filepath.Join(filepath.Dir(file), named.File))...)
		case "end":
			p.Ended, p.Code, p.Meaning = true, end.Status, set.MeaningOf(p.Runner, end.Status)
			if l.Meaning != "" {
				if err := p.Meaning.UnmarshalText([]byte(l.Meaning)); err != nil {
					t.Fatal(err)
				}
			}
			ended = fmt.Sprintf("end %d, %s", p.Code, p.Meaning)
		}
	}
	head := fmt.Sprintf("process %s: %s", p.Runner, ended)
	if p.Nested {
		head = "process nested"
	}
	return strings.TrimRight(strings.Join(append([]string{head}, out...), "\n"), " "), p
}

func caseLine(l line) string {
	text := fmt.Sprintf("  %s %s", l.Status, l.ID)
	if l.Kind != "" {
		text += " (" + l.Kind + ")"
	}
	text += " " + place(l.File, l.Line)
	if l.Attempts > 0 {
		text += fmt.Sprintf(" attempts %d flaky %v", l.Attempts, l.Flaky)
	}
	for _, f := range l.Failures {
		what := "failure"
		if f.Error {
			what = "error"
		}
		text += fmt.Sprintf("; %s %s at %s", what, f.Type, place(f.File, f.Line))
	}
	return text
}

func place(file string, line int) string {
	if file == "" {
		return ""
	}
	if filepath.IsAbs(file) {
		file = "/…/" + filepath.Base(file)
	}
	return fmt.Sprintf("%s:%d", file, line)
}
