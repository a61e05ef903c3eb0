//go:build linux

package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"factgate/facts"
)

func TestStrays(t *testing.T) {
	tests := []struct {
		name  string
		steps string // pid also writes the file that the leader waits for
		want  int
	}{
		{"one that holds the output", "spawn ( pid hang )", 1},
		{"one that holds nothing", "spawn silent ( pid hang )", 1},
		{"one in a group of its own", "spawn group ( pid hang )", 1},
		{"one in a session of its own", "spawn session ( pid hang )", 1},
		{"without the mark", "spawn session scrub ( pid hang )", 1},
		{"a daemon by two forks", "spawn session ( spawn session scrub ( pid hang ) )", 1},
		{"one that ignores signals", "spawn session ( ignore SIGTERM ignore SIGHUP pid hang )", 1},
		{"one that is stopped", "spawn session ( pid stop )", 1},
		{"a family", "spawn session ( pid spawn ( pid spawn group scrub ( pid hang ) hang ) hang )", 3},
		{"one of each", "spawn ( pid hang ) spawn group ( pid hang ) spawn session ( pid hang )", 3},
		{"a family in the group", "spawn ( pid spawn ( pid spawn ( pid hang ) hang ) hang )", 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			steps := strings.ReplaceAll(test.steps, "pid", "pid touch-pid "+dir)
			steps += fmt.Sprintf(" await-files %s %d exit 3", dir, test.want)
			exit, log := run(t, Spec{Argv: helper(steps), Mark: "PROCESS_TEST=1", Env: append(os.Environ(), "PROCESS_TEST=1")})
			if strings.Contains(test.name, "two forks") && exit.Strays == 2 {
				exit.Strays = 1 // the one in the middle was just about to end
			}
			same(t, exit, facts.Exit{Code: 3, Strays: test.want})
			if !strings.Contains(test.steps, "silent") {
				gone(t, log, test.want)
			}
			files, err := os.ReadDir(dir)
			if err != nil || len(files) != test.want {
				t.Fatalf("%v, %v", files, err)
			}
			for _, f := range files {
				if pid, err := strconv.Atoi(f.Name()); err != nil || alive(pid) {
					t.Errorf("process %s is still there (%v)", f.Name(), err)
				}
			}
		})
	}
}

// The status of a leader is its own, also while orphans are reaped beside it.
func TestNoStatusIsStolen(t *testing.T) {
	const lanes, each = 4, 50
	var lane sync.WaitGroup
	for n := range lanes {
		lane.Go(func() {
			for i := range each {
				mark := fmt.Sprintf("PROCESS_TEST=%d-%d", n, i)
				exit := Run(t.Context(), Spec{Self: executable(),
					Argv: []string{"/bin/sh", "-c", "for i in 1 2 3; do setsid sleep 0 & done; setsid sleep 600 & exit 3"},
					Env:  []string{"PATH=/usr/bin:/bin", mark}, Mark: mark,
				})
				if exit.Code != 3 || exit.StraysLeft != 0 || exit.StartError != "" {
					t.Errorf("run %s: %+v", mark, exit)
				}
			}
		})
	}
	lane.Wait()
	kin.mu.Lock()
	defer kin.mu.Unlock()
	if left := kin.orphans(); len(left) > 0 {
		t.Errorf("still there: %+v", left)
	}
	if len(kin.direct) > 0 {
		t.Errorf("still on the list: %v", kin.direct)
	}
}

// What one run left in the background is not ended when another one ends.
func TestStraysOfOthersAreLeft(t *testing.T) {
	dir := t.TempDir()
	mark := func(n int) Spec {
		m := fmt.Sprintf("PROCESS_TEST=%d", n)
		return Spec{Self: executable(), Env: append(os.Environ(), m), Mark: m}
	}
	// The first run's child works in a session of its own, and is an orphan, until the second run has ended.
	first := mark(1)
	first.Log = filepath.Join(dir, "log")
	first.Argv = helper("spawn session ( spawn session ( touch D/ready await D/go say alive touch D/said ) ) await D/said exit 7", "D", dir)
	done := make(chan facts.Exit, 1)
	go func() { done <- Run(t.Context(), first) }()
	second := mark(2)
	second.Argv = helper("await D/ready spawn session ( pid hang ) exit 8", "D", dir)
	exit, _ := run(t, second)
	same(t, exit, facts.Exit{Code: 8, Strays: 1})
	if err := os.WriteFile(dir+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if exit := <-done; exit.Code != 7 { // the child may just be about to end
		t.Errorf("%+v", exit)
	}
	if log, err := os.ReadFile(first.Log); err != nil || string(log) != "alive\n" {
		t.Errorf("log %q, %v", log, err)
	}
}

// An orphan that ends while the run goes on disappears at once, as it would under init.
func TestOrphansAreReapedMeanwhile(t *testing.T) {
	script := `pid=$(setsid sh -c 'sleep 0 >/dev/null & echo $!'); while [ -e /proc/$pid ]; do :; done; echo gone`
	exit, log := run(t, Spec{Argv: []string{"/bin/sh", "-c", script}, Timeout: deadline})
	same(t, exit, facts.Exit{})
	if log != "gone\n" {
		t.Errorf("log %q", log)
	}
}

func TestDaemonsAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	daemon := filepath.Join(dir, "fgdaemon")
	sleep, err := os.ReadFile("/bin/sleep")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(daemon, sleep, 0o700); err != nil {
		t.Fatal(err)
	}
	managed := filepath.Join(dir, "dotnet") // a program that is known by an argument
	shell, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(managed, shell, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, start := range []string{"setsid " + daemon + " 600", daemon + " 600", managed + " -c 'read x <>" + dir + "/fifo' fgdaemon"} {
		exit, log := run(t, Spec{Argv: []string{"/bin/sh", "-c", "mkfifo " + dir + "/fifo 2>/dev/null; " + start + " & echo pid $!; until grep -q -e fgdaemon -e dotnet /proc/$!/comm; do :; done; sleep 600 & echo pid $!; setsid sleep 600 & exit 2"},
			Daemons: []string{"other", "fgdaemon"}})
		same(t, exit, facts.Exit{Code: 2, Strays: 2, Daemons: []string{"fgdaemon"}})
		list := pids(log)
		if p, ok := readProc(list[0]); !ok || p.state == 'T' {
			t.Errorf("%s: the daemon is stopped", start)
		}
		if len(list) != 2 || !alive(list[0]) || alive(list[1]) {
			t.Errorf("%s: of %v the first should be there, and not the second", start, list)
		}
		_ = syscall.Kill(list[0], syscall.SIGKILL)
	}
}

// A program that forks into new sessions as fast as it can is ended, or at least not said to be.
func TestMovingTarget(t *testing.T) {
	dir := t.TempDir()
	stop := filepath.Join(dir, "stop")
	t.Cleanup(func() { _ = os.WriteFile(stop, nil, 0o600) })
	file := filepath.Join(dir, "step")
	if err := os.WriteFile(file, []byte(`[ -e "$1" ] || setsid sh "$0" "$1" & `+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	exit, _ := run(t, Spec{Argv: []string{"/bin/sh", file, stop}})
	if exit.Strays+exit.StraysLeft == 0 {
		t.Errorf("nothing was noticed: %+v", exit)
	}
}

// A fork bomb, bounded by the number of processes that its user may have.
func TestForkBomb(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can start one as a user of whom there is nothing else")
	}
	script := "prlimit --nproc=60 setpriv --reuid=64123 --regid=64123 --clear-groups --inh-caps=-all perl -e 'fork while 1' & sleep 0.5; exit 3"
	exit, _ := run(t, Spec{Argv: []string{"/bin/sh", "-c", script}})
	if exit.Code != 3 || exit.Strays < 30 || exit.StraysLeft > 0 {
		t.Errorf("%+v", exit)
	}
	for _, pid := range childrenByScan(os.Getpid()) {
		var st syscall.Stat_t
		if syscall.Stat(procFile(pid, ""), &st) == nil && st.Uid == 64123 {
			t.Errorf("process %d is still there", pid)
		}
	}
}

// What a run left whose two halves were killed is found by its mark, and nothing else is ended.
func TestEndMarked(t *testing.T) {
	start := func(mark string) *exec.Cmd {
		cmd := exec.Command("sleep", "600")
		cmd.Env = []string{"OTHER=/01RUN", mark}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd
	}
	one, inner, other := start("PROCESS_TEST=a@b/01RUN"), start("PROCESS_TEST=a@b/01RUN,c@d/02RUN"), start("PROCESS_TEST=a@b/03RUN")
	eventually(t, "all have their environment", func() bool {
		return !slices.ContainsFunc([]*exec.Cmd{one, inner, other}, func(c *exec.Cmd) bool {
			p, ok := readProc(c.Process.Pid)
			return !ok || !p.carries("PROCESS_TEST", "/0")
		})
	})
	if ended, left := EndMarked("PROCESS_TEST", "/01RUN", []string{"sleep"}); ended+left != 0 {
		t.Errorf("of daemons %d were ended, %d left", ended, left)
	}
	if ended, left := EndMarked("PROCESS_TEST", "/01RUN", nil); ended != 2 || left != 0 {
		t.Errorf("%d were ended, %d left", ended, left)
	}
	if alive(one.Process.Pid) || alive(inner.Process.Pid) || !alive(other.Process.Pid) {
		t.Error("the first two should be gone, and the third not")
	}
}
