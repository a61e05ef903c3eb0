package shim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// rig is a run: the folder with the shims, a private directory, a project.
type rig struct {
	t    *testing.T
	bin  string
	runs string
	dir  string
	env  []string
}

// event is one line of a probe stream, as far as the tests ask.
type event struct {
	E, Runner, Dir, ID, Name, Kind, Reason, Message, Where, Code, Weight, Text, Format, File, Meaning string
	Argv                                                                                              []string
	Status                                                                                            any // a word of a case, a number of an end
	N, Tests, Passed, Failures                                                                        json.RawMessage
}

// ran is what a call through a shim showed.
type ran struct {
	code           int
	signal         string
	stdout, stderr string
	streams        map[string][]event
}

// newRig copies a fixture and puts the shims on PATH. A tool that is not there skips the test, or fails it where the tools
// are required.
func newRig(t *testing.T, tool, fixture string) *rig {
	t.Helper()
	path, err := exec.LookPath(tool)
	if err != nil {
		if os.Getenv("FACTGATE_REQUIRE_TOOLS") != "" {
			t.Fatalf("%s is required: %v", tool, err)
		}
		t.Skipf("needs %s: %v", tool, err)
	}
	_ = path
	r := &rig{t: t, bin: t.TempDir(), runs: t.TempDir(), dir: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		if err := os.Symlink(self, filepath.Join(r.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	if fixture != "" {
		if err := os.CopyFS(r.dir, os.DirFS(filepath.Join("..", "testdata", "runners", fixture))); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if strings.HasPrefix(name, "FACTGATE_") || strings.HasPrefix(name, "CARGO_TARGET_") || name == "GOFLAGS" || name == "RUSTDOC" ||
			name == "GOCOVERDIR" || name == "RUST_BACKTRACE" {
			continue
		}
		r.env = append(r.env, e)
	}
	return r
}

// run calls a program by name through the shims.
func (r *rig) run(argv ...string) ran {
	return r.call(set(set(r.env, "PATH", r.bin+string(os.PathListSeparator)+get(r.env, "PATH")), envRunDir, r.runs), argv)
}

// plain calls the real program.
func (r *rig) plain(argv ...string) ran { return r.call(r.env, argv) }

func (r *rig) call(env, argv []string) ran {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 3*time.Minute)
	defer cancel()
	path := argv[0]
	for _, dir := range filepath.SplitList(get(env, "PATH")) {
		if p := filepath.Join(dir, argv[0]); runnable(p) {
			path = p
			break
		}
	}
	var out, errs bytes.Buffer
	c := exec.CommandContext(ctx, path, argv[1:]...)
	c.Args[0] = argv[0]
	c.Dir, c.Env, c.Stdout, c.Stderr, c.WaitDelay = r.dir, env, &out, &errs, 10*time.Second
	began := time.Now()
	err := c.Run()
	if c.ProcessState == nil {
		r.t.Fatalf("%q: %v", argv, err)
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		r.t.Logf("%q left a process that holds its output", argv)
	}
	if d := time.Since(began); d > 2*time.Minute {
		r.t.Fatalf("%q took %v", argv, d)
	}
	got := ran{code: c.ProcessState.ExitCode(), stdout: out.String(), stderr: errs.String(), streams: r.streams()}
	if ws, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		got.signal = ws.Signal().String()
	}
	return got
}

func (r *rig) streams() map[string][]event {
	r.t.Helper()
	names, err := filepath.Glob(filepath.Join(r.runs, "*.probe"))
	if err != nil {
		r.t.Fatal(err)
	}
	all := map[string][]event{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			r.t.Fatal(err)
		}
		var events []event
		for line := range bytes.Lines(data) {
			var e event
			if err := json.Unmarshal(line, &e); err != nil {
				r.t.Fatalf("%s: %v in %s", name, err, line)
			}
			events = append(events, e)
		}
		all[filepath.Base(name)] = events
	}
	return all
}

// of are the events of one kind in all streams.
func (g ran) of(kind string) []event {
	var out []event
	for _, events := range g.streams {
		for _, e := range events {
			if e.E == kind {
				out = append(out, e)
			}
		}
	}
	return out
}

// unended counts streams without an end line.
func (g ran) unended() int {
	n := 0
	for _, events := range g.streams {
		if last := events[len(events)-1].E; last != "end" && last != "nested" {
			n++
		}
	}
	return n
}

// meaning is that of the outer program's end: of the stream with this name.
func (g ran) meaning(name string) string {
	for file, events := range g.streams {
		if strings.HasPrefix(file, name+"-") {
			if last := events[len(events)-1]; last.E == "end" {
				return last.Meaning
			}
			return "no end"
		}
	}
	return "no stream"
}

func (g ran) counts() map[string]int {
	n := map[string]int{}
	for _, e := range g.of("case") {
		n[e.Status.(string)]++
	}
	return n
}

var times = regexp.MustCompile(`\(?\b[0-9.]+ ?(s|ns/op)\)?|0x[0-9a-f]+|goroutine \d+|[0-9]+\s+T ns|\(\d+\) panicked|go-build\d+`)

// still cuts times and addresses out.
func still(s string) string { return times.ReplaceAllString(s, "T") }
