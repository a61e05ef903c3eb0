//go:build linux

package process

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"factgate/facts"
)

// deadline is generous: what it bounds takes milliseconds, and only a hang exceeds it.
const deadline = 60 * time.Second

// run runs argv with a log, and returns the ending and what the log holds.
func run(t *testing.T, s Spec) (facts.Exit, string) {
	t.Helper()
	if s.Log == "" {
		s.Log = filepath.Join(t.TempDir(), "log")
	}
	if s.Env == nil {
		s.Env = os.Environ()
	}
	s.Self = executable()
	began := time.Now()
	exit := Run(t.Context(), s)
	if took := time.Since(began); took > s.Timeout+s.Grace+deadline {
		t.Errorf("it took %v", took)
	}
	log, err := os.ReadFile(s.Log)
	if err != nil && exit.Output.Log != "" {
		t.Error(err)
	}
	return exit, string(log)
}

// pids are those that helpers said in their output.
func pids(log string) []int {
	var list []int
	for _, line := range strings.Split(log, "\n") {
		if n, ok := strings.CutPrefix(line, "pid "); ok {
			pid, err := strconv.Atoi(n)
			if err == nil {
				list = append(list, pid)
			}
		}
	}
	return list
}

// gone fails the test when a process of those that said their pid still runs.
func gone(t *testing.T, log string, atLeast int) {
	t.Helper()
	list := pids(log)
	if len(list) < atLeast {
		t.Fatalf("%d processes said their pid, want %d or more: %q", len(list), atLeast, log)
	}
	for _, pid := range list {
		if alive(pid) {
			t.Errorf("process %d is still there", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// ending is the part of an Exit that does not differ from run to run.
func ending(e facts.Exit) facts.Exit {
	e.Duration, e.Output, e.StartText, e.Ended = 0, facts.Output{}, "", time.Time{}
	return e
}

func same(t *testing.T, got, want facts.Exit) {
	t.Helper()
	if diff := cmp.Diff(want, ending(got)); diff != "" {
		t.Errorf("%s (-want +got)", diff)
	}
}

func TestEveryExitCode(t *testing.T) {
	for code := range 256 {
		exit, _ := run(t, Spec{Argv: []string{"/bin/sh", "-c", fmt.Sprintf("exit %d", code)}})
		same(t, exit, facts.Exit{Code: code})
		if exit.Duration <= 0 {
			t.Errorf("exit %d: duration %v", code, exit.Duration)
		}
	}
}

func TestEveryDeadlySignal(t *testing.T) {
	harmless := []syscall.Signal{syscall.SIGCHLD, syscall.SIGCONT, syscall.SIGSTOP, syscall.SIGTSTP, syscall.SIGTTIN,
		syscall.SIGTTOU, syscall.SIGURG, syscall.SIGWINCH}
	for n := syscall.Signal(1); n < 32; n++ {
		if slices.Contains(harmless, n) {
			continue
		}
		exit, _ := run(t, Spec{Argv: []string{"/bin/sh", "-c", fmt.Sprintf("ulimit -c 0; kill -%d $$", n)}})
		same(t, exit, facts.Exit{Code: -1, Signal: signalName(n)})
	}
}

// A shell that says 128+n is not a signal.
func TestSignalBehindAShell(t *testing.T) {
	exit, _ := run(t, Spec{Argv: []string{"/bin/sh", "-c", `sh -c 'kill -9 $$'; exit $?`}})
	same(t, exit, facts.Exit{Code: 137})
}

// The end of the output is not the end of the program.
func TestClosedOutput(t *testing.T) {
	exit, log := run(t, Spec{Argv: helper("say first close-output exit 4")})
	same(t, exit, facts.Exit{Code: 4})
	if log != "first\n" {
		t.Errorf("log %q", log)
	}
}

func TestTimeout(t *testing.T) {
	tests := []struct {
		name  string
		steps string
		want  facts.Exit
	}{
		{"plain", "pid hang",
			facts.Exit{Code: -1, Signal: "SIGTERM", Sent: []string{"SIGTERM", "SIGCONT"}}},
		{"a handler that exits 0", "exit-on SIGTERM 0 pid hang",
			facts.Exit{Code: 0, Sent: []string{"SIGTERM", "SIGCONT"}}},
		{"ignored", "ignore SIGTERM pid hang",
			facts.Exit{Code: -1, Signal: "SIGKILL", Sent: []string{"SIGTERM", "SIGCONT", "SIGKILL"}}},
		{"stopped", "pid stop hang",
			facts.Exit{Code: -1, Signal: "SIGTERM", Sent: []string{"SIGTERM", "SIGCONT"}}},
		{"stopped and ignored", "ignore SIGTERM pid stop hang",
			facts.Exit{Code: -1, Signal: "SIGKILL", Sent: []string{"SIGTERM", "SIGCONT", "SIGKILL"}}},
		{"a child in its own group ignores it", "pid spawn group ( ignore SIGTERM pid hang ) hang",
			facts.Exit{Code: -1, Signal: "SIGTERM", Sent: []string{"SIGTERM", "SIGCONT"}, Strays: 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.want.TimedOut = true
			exit, log := run(t, Spec{Argv: helper(test.steps), Timeout: 4 * time.Second, Grace: time.Second})
			same(t, exit, test.want)
			gone(t, log, 1)
		})
	}
}

// cancelWhen cancels with that cause as soon as the run has printed word.
type cancelWhen struct {
	word   string
	cancel func()
	seen   strings.Builder
}

func (c *cancelWhen) Write(p []byte) (int, error) {
	c.seen.Write(p)
	if strings.Contains(c.seen.String(), c.word) {
		c.cancel()
	}
	return len(p), nil
}

func TestCancel(t *testing.T) {
	tests := []struct {
		name  string
		cause error
		steps string
		want  facts.Exit
	}{
		{"interrupt", Stopped{syscall.SIGINT}, "say ready hang",
			facts.Exit{Code: -1, Signal: "SIGINT", Cancelled: "SIGINT", Sent: []string{"SIGINT", "SIGCONT"}}},
		{"a handler that exits 0", Stopped{syscall.SIGINT}, "exit-on SIGINT 0 say ready hang",
			facts.Exit{Code: 0, Cancelled: "SIGINT", Sent: []string{"SIGINT", "SIGCONT"}}},
		{"terminate", Stopped{syscall.SIGTERM}, "say ready hang",
			facts.Exit{Code: -1, Signal: "SIGTERM", Cancelled: "SIGTERM", Sent: []string{"SIGTERM", "SIGCONT"}}},
		{"hang up", Stopped{syscall.SIGHUP}, "say ready hang",
			facts.Exit{Code: -1, Signal: "SIGTERM", Cancelled: "SIGHUP", Sent: []string{"SIGTERM", "SIGCONT"}}},
		{"no cause", nil, "say ready hang",
			facts.Exit{Code: -1, Signal: "SIGTERM", Cancelled: "context", Sent: []string{"SIGTERM", "SIGCONT"}}},
		{"an interrupt that is ignored", Stopped{syscall.SIGINT}, "ignore SIGINT say ready hang",
			facts.Exit{Code: -1, Signal: "SIGKILL", Cancelled: "SIGINT", Sent: []string{"SIGINT", "SIGCONT", "SIGKILL"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			exit := Run(ctx, Spec{Self: executable(), Argv: helper(test.steps), Env: os.Environ(), Grace: time.Second,
				Out: &cancelWhen{word: "ready", cancel: func() { cancel(test.cause) }}})
			same(t, exit, test.want)
		})
	}
}

// One Ctrl-C is one SIGINT for the program, however long it takes to end.
func TestOneInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	log := filepath.Join(t.TempDir(), "log")
	exit := Run(ctx, Spec{Self: executable(), Argv: helper("count SIGINT say ready hang"), Env: os.Environ(), Grace: time.Second, Log: log,
		Out: &cancelWhen{word: "ready", cancel: func() { cancel(Stopped{syscall.SIGINT}) }}})
	same(t, exit, facts.Exit{Code: -1, Signal: "SIGKILL", Cancelled: "SIGINT", Sent: []string{"SIGINT", "SIGCONT", "SIGKILL"}})
	text, err := os.ReadFile(log)
	if err != nil || strings.Count(string(text), "got SIGINT") != 1 {
		t.Errorf("log %q, %v", text, err)
	}
}

// steps calls the next of its functions each time that the run prints a line.
type steps []func()

func (s *steps) Write(p []byte) (int, error) {
	for range strings.Count(string(p), "\n") {
		if len(*s) > 0 {
			(*s)[0]()
			*s = (*s)[1:]
		}
	}
	return len(p), nil
}

func TestHard(t *testing.T) {
	hard := make(chan struct{})
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	out := &steps{func() { cancel(Stopped{syscall.SIGINT}) }, func() { close(hard) }}
	exit := Run(ctx, Spec{Self: executable(), Argv: helper("count SIGINT say ready hang"), Env: os.Environ(), Grace: time.Hour, Hard: hard, Out: out})
	same(t, exit, facts.Exit{Code: -1, Signal: "SIGKILL", Cancelled: "SIGINT", Sent: []string{"SIGINT", "SIGCONT", "SIGKILL"}})

	hard = make(chan struct{})
	out = &steps{func() { close(hard) }}
	exit = Run(t.Context(), Spec{Self: executable(), Argv: helper("say ready hang"), Env: os.Environ(), Hard: hard, Out: out})
	same(t, exit, facts.Exit{Code: -1, Signal: "SIGKILL", Cancelled: "SIGKILL", Sent: []string{"SIGKILL"}})
}

// A time that is over while a cancelled run ends is not its fault; a cancellation after the time is over is still told.
func TestTimeoutAndCancel(t *testing.T) {
	tests := []struct {
		name   string
		cancel int // at which line that the run prints
		want   facts.Exit
	}{
		{"cancelled first", 0, facts.Exit{Cancelled: "SIGINT", Sent: []string{"SIGINT", "SIGCONT", "SIGKILL"}}},
		{"time over first", 1, facts.Exit{Cancelled: "SIGINT", TimedOut: true, Sent: []string{"SIGTERM", "SIGCONT", "SIGKILL"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			out := steps{func() {}, func() {}}
			out[test.cancel] = func() { cancel(Stopped{syscall.SIGINT}) }
			test.want.Code, test.want.Signal = -1, "SIGKILL"
			same(t, Run(ctx, Spec{Self: executable(), Argv: helper("count SIGINT count SIGTERM say ready hang"), Env: os.Environ(),
				Timeout: 3 * time.Second, Grace: 4 * time.Second, Out: &out}), test.want)
		})
	}
}

func TestCancelledBeforeTheStart(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(Stopped{syscall.SIGINT})
	exit := Run(ctx, Spec{Self: executable(), Argv: helper("exit 0"), Env: os.Environ()})
	same(t, exit, facts.Exit{Code: -1, Cancelled: "SIGINT", StartError: facts.StartFailed})
}

// What a run inherits from a factgate that was itself started in an odd state.
func TestCleanInheritance(t *testing.T) {
	odd := func(t *testing.T, script string, argv ...string) (facts.Exit, string) {
		t.Helper()
		log := filepath.Join(t.TempDir(), "log")
		argv = append(helperArgv("run", log), argv...)
		cmd := exec.Command("/bin/sh", append([]string{"-c", script + ` exec "$@"`, "sh"}, argv...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		var exit facts.Exit
		if len(out) > 0 { // else its standard output was closed
			if err := json.Unmarshal(out, &exit); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return exit, string(text)
	}
	t.Run("ignored signals", func(t *testing.T) {
		_, log := odd(t, `trap '' INT HUP TERM QUIT TSTP PIPE USR1;`, "/bin/cat", "/proc/self/status")
		if !strings.Contains(log, "SigIgn:\t0000000000000000") || !strings.Contains(log, "SigBlk:\t0000000000000000") {
			t.Error(log)
		}
	})
	t.Run("blocked signals", func(t *testing.T) {
		log := filepath.Join(t.TempDir(), "log")
		argv := append(helper("block-and-exec"), append(helperArgv("run", log), "/bin/cat", "/proc/self/status")...)
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		text, err := os.ReadFile(log)
		if err != nil || !strings.Contains(string(text), "SigBlk:\t0000000000000000") {
			t.Errorf("%s, %v", text, err)
		}
	})
	t.Run("descriptors", func(t *testing.T) {
		_, log := odd(t, `exec 7>/dev/null 9</dev/null;`, "/bin/sh", "-c",
			"readlink /proc/$$/fd/0; for n in 3 4 5 6 7 8 9 10 11 12 13 14 15; do [ ! -e /proc/$$/fd/$n ] || echo $n; done")
		if log != "/dev/null\n" {
			t.Errorf("standard input and the descriptors above 2: %s", log)
		}
	})
	for _, closed := range []string{"exec <&-;", "exec >&-;", "exec 2>&-;", "exec <&- >&- 2>&-;"} {
		t.Run("closed "+closed, func(t *testing.T) {
			_, log := odd(t, closed, "/bin/sh", "-c", "cat; echo out; echo err >&2; exit 3")
			if log != "out\nerr\n" {
				t.Errorf("log %q", log)
			}
		})
	}
	t.Run("nobody reads what we print", func(t *testing.T) {
		argv := append(helperArgv("run", filepath.Join(t.TempDir(), "log")), "/bin/true")
		cmd := exec.Command(argv[0], argv[1:]...)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		cmd.Stdout = w
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != 99 {
			t.Errorf("it should get a write error, and not SIGPIPE: %v", err)
		}
		w.Close()
	})
	t.Run("a limit on file sizes", func(t *testing.T) {
		log := filepath.Join(t.TempDir(), "log")
		argv := append(helperArgv("limit-files", "50000", "run", log), helper("print 500000 exit 5")...)
		out, err := exec.Command(argv[0], argv[1:]...).Output()
		var exit facts.Exit
		if err != nil || json.Unmarshal(out, &exit) != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if exit.Code != 5 || exit.Output.Bytes != 500000 || !exit.Output.Truncated || exit.Output.Kept != 50000 {
			t.Errorf("%+v", exit)
		}
	})
}

func BenchmarkRun(b *testing.B) {
	log := b.TempDir() + "/log"
	for b.Loop() {
		if e := Run(b.Context(), Spec{Self: executable(), Argv: []string{"/bin/true"}, Env: os.Environ(), Log: log}); e.Code != 0 {
			b.Fatal(e)
		}
	}
}

// BenchmarkPlain is what BenchmarkRun is held against.
func BenchmarkPlain(b *testing.B) {
	for b.Loop() {
		if _, err := exec.Command("/bin/true").CombinedOutput(); err != nil {
			b.Fatal(err)
		}
	}
}
