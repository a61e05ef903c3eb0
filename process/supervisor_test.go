//go:build linux

package process

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"factgate/facts"
)

// household are the processes of a run that are told to say their pid in folder D: the leader, one in its group, one in a
// group and one in a session of its own, and one behind two forks without our environment.
const household = "touch-pid D spawn ( touch-pid D hang ) spawn group ( touch-pid D hang ) spawn session ( touch-pid D hang )" +
	" spawn session ( spawn session scrub silent ( ignore SIGTERM touch-pid D hang ) ) "

const householdSize = 5

// factgate is another process that is the first half of a run.
type factgate struct {
	cmd        *exec.Cmd
	out        bytes.Buffer
	supervisor int
	members    []int // of the household
}

// begin starts a factgate whose run starts a household that then goes on with these steps.
func begin(t *testing.T, steps string) *factgate {
	t.Helper()
	dir := t.TempDir()
	argv := append(helperArgv("run", filepath.Join(t.TempDir(), "log")), helper(household+steps, "D", dir)...)
	f := &factgate{cmd: exec.Command(argv[0], argv[1:]...)}
	f.cmd.Stdout = &f.out
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the household is there", func() bool {
		files, err := os.ReadDir(dir)
		return err == nil && len(files) == householdSize
	})
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		pid, err := strconv.Atoi(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		f.members = append(f.members, pid)
	}
	f.supervisor = only(t, supervisors(f.cmd.Process.Pid))
	t.Cleanup(func() {
		for _, pid := range append([]int{f.cmd.Process.Pid, f.supervisor}, f.members...) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		_ = f.cmd.Wait()
	})
	return f
}

// exit waits for the end of f, and returns the ending that it saw.
func (f *factgate) exit(t *testing.T) facts.Exit {
	t.Helper()
	var exit facts.Exit
	if err := f.cmd.Wait(); err != nil || json.Unmarshal(f.out.Bytes(), &exit) != nil {
		t.Fatalf("%v: %s", err, f.out.Bytes())
	}
	return exit
}

// left are those of the household that are alive.
func (f *factgate) left() (pids []int) {
	for _, pid := range f.members {
		if alive(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// supervisors are the supervisors that a process started.
func supervisors(parent int) (pids []int) {
	for _, pid := range children(parent) {
		line, err := os.ReadFile(procFile(pid, "cmdline"))
		if err == nil && string(line) == supervisorName+"\x00" {
			pids = append(pids, pid)
		}
	}
	return pids
}

func only(t *testing.T, pids []int) int {
	t.Helper()
	if len(pids) != 1 {
		t.Fatalf("%d supervisors", len(pids))
	}
	return pids[0]
}

// eventually fails the test when something does not come true within a generous time.
func eventually(t *testing.T, what string, true func() bool) {
	t.Helper()
	for end := time.Now().Add(deadline); !true(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

func kill(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatal(err)
	}
}

// Nothing of a run outlives a factgate that is killed without a word, whatever state its supervisor is in.
func TestKilledFactgate(t *testing.T) {
	for name, before := range map[string]func(*testing.T, *factgate){
		"while it waits": func(*testing.T, *factgate) {},
		"after a TERM to its supervisor": func(t *testing.T, f *factgate) {
			for _, sig := range []syscall.Signal{unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT} {
				kill(t, f.supervisor, sig)
			}
		},
		"with a run that is stopped": func(t *testing.T, f *factgate) {
			for _, pid := range f.members {
				kill(t, pid, unix.SIGSTOP)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := begin(t, "hang")
			before(t, f)
			kill(t, f.cmd.Process.Pid, unix.SIGKILL)
			eventually(t, "all of the run have ended", func() bool { return len(f.left()) == 0 && !alive(f.supervisor) })
		})
	}
}

// A factgate whose supervisor is killed ends what is left of the run, and does not know how it ended.
func TestKilledSupervisor(t *testing.T) {
	f := begin(t, "hang")
	began := time.Now()
	kill(t, f.supervisor, unix.SIGKILL)
	exit := f.exit(t)
	if took := time.Since(began); took > deadline/2 {
		t.Errorf("it took %v", took)
	}
	if exit.Lost == "" || exit.Code != -1 || exit.Signal != "" || exit.StraysLeft != 0 || exit.Strays < 3 || exit.Duration <= 0 {
		t.Errorf("%+v", exit)
	}
	if left := f.left(); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
}

// Also when it was cancelled just before, and the program does not hear.
func TestKilledSupervisorOfACancelledRun(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	out := &steps{func() { cancel(Stopped{unix.SIGINT}) }, func() { kill(t, only(t, supervisors(os.Getpid())), unix.SIGKILL) }}
	exit := Run(ctx, Spec{Self: executable(), Argv: helper("count SIGINT say ready hang"), Env: os.Environ(), Grace: time.Hour, Out: out})
	if exit.Lost == "" || exit.Cancelled != "SIGINT" || exit.Code != -1 {
		t.Errorf("%+v", exit)
	}
}

// The leader, at least, dies with its supervisor when both halves are killed at once: nobody is left to end the others.
func TestBothKilled(t *testing.T) {
	f := begin(t, "hang")
	i := slices.IndexFunc(f.members, func(pid int) bool { return len(children(pid)) > 0 })
	leader := f.members[i]
	kill(t, f.supervisor, unix.SIGSTOP)
	kill(t, f.cmd.Process.Pid, unix.SIGKILL)
	kill(t, f.supervisor, unix.SIGKILL)
	eventually(t, "the leader has ended", func() bool { return !alive(leader) })
}

// A supervisor that is stopped, once or again and again, goes on with its work.
func TestStoppedSupervisor(t *testing.T) {
	dir := t.TempDir()
	stop := func() {
		for _, pid := range supervisors(os.Getpid()) {
			kill(t, pid, unix.SIGSTOP)
		}
	}
	out := &steps{stop, stop, stop}
	exit, _ := run(t, Spec{Argv: helper("say one touch D/a say two say three spawn session ( hang ) exit 3", "D", dir), Out: out})
	if exit.Code != 3 || exit.Lost != "" || exit.StraysLeft > 0 {
		t.Errorf("%+v", exit)
	}
	exit, _ = run(t, Spec{Argv: helper("say one hang"), Timeout: time.Second, Grace: deadline, Out: &steps{stop}})
	if !exit.TimedOut || exit.Signal != "SIGTERM" {
		t.Errorf("%+v", exit)
	}
}

// Signals that end a session of the user's do not end a supervisor: the first half gets them, too, and decides.
func TestSupervisorIsCalm(t *testing.T) {
	dir := t.TempDir()
	out := &steps{func() {
		pid := only(t, supervisors(os.Getpid()))
		for _, sig := range []syscall.Signal{unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT} {
			kill(t, pid, sig)
		}
		if err := os.WriteFile(dir+"/go", nil, 0o600); err != nil {
			t.Error(err)
		}
	}}
	exit, _ := run(t, Spec{Argv: helper("say ready await D/go exit 3", "D", dir), Out: out})
	same(t, exit, facts.Exit{Code: 3})
}

// Of two runs at one time, one loses its supervisor; the other does not notice.
func TestKilledSupervisorBesideAnother(t *testing.T) {
	dir := t.TempDir()
	mark := func(n int) Spec {
		m := fmt.Sprintf("PROCESS_TEST=%d", n)
		return Spec{Self: executable(), Env: append(os.Environ(), m), Mark: m}
	}
	one, two := mark(1), mark(2)
	one.Argv = helper("spawn session scrub ( touch D/ready await D/go touch D/said hang ) await D/said exit 7", "D", dir)
	two.Argv = helper("await D/ready spawn session scrub ( touch-pid D hang ) say ready hang", "D", dir)
	done := make(chan facts.Exit, 1)
	go func() { done <- Run(t.Context(), one) }()
	var first int
	eventually(t, "the first run is there", func() bool {
		_, err := os.Stat(dir + "/ready")
		return err == nil
	})
	first = only(t, supervisors(os.Getpid()))
	two.Out = &steps{func() {
		eventually(t, "the second run's child is there", func() bool { files, err := os.ReadDir(dir); return err == nil && len(files) == 2 })
		for _, pid := range supervisors(os.Getpid()) {
			if pid != first {
				kill(t, pid, unix.SIGKILL)
			}
		}
	}}
	exit := Run(t.Context(), two)
	if exit.Lost == "" || exit.Strays < 1 || exit.Strays > 2 || exit.StraysLeft != 0 { // the leader was just about to end
		t.Errorf("the second run: %+v", exit)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if pid, err := strconv.Atoi(f.Name()); err == nil && alive(pid) {
			t.Errorf("process %d of the second run is still there", pid)
		}
	}
	if err := os.WriteFile(dir+"/go", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	same(t, <-done, facts.Exit{Code: 7, Strays: 1})
}

// A factgate that was replaced or deleted since it started starts itself all the same.
func TestDeletedExecutable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "factgate")
	data, err := os.ReadFile(executable())
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []string{"", "another program"} {
		if err := os.WriteFile(file, data, 0o700); err != nil {
			t.Fatal(err)
		}
		argv := append([]string{helperWord, "replace", file, "with", after, "run", filepath.Join(t.TempDir(), "log")}, "/bin/sh", "-c", "exit 3")
		var exit facts.Exit
		if out, err := exec.Command(file, argv...).Output(); err != nil || json.Unmarshal(out, &exit) != nil {
			t.Fatalf("%v: %s", err, out)
		}
		same(t, exit, facts.Exit{Code: 3})
	}
}

func TestNoSupervisor(t *testing.T) {
	spec := Spec{Argv: []string{"/bin/true"}, Env: os.Environ()}
	tests := []struct {
		self  string
		start facts.StartError
		lost  bool
	}{
		{"", facts.StartFailed, false},
		{"/no/such/factgate", facts.NotFound, false},
		{"/bin/false", "", true}, // ends at once
	}
	for _, test := range tests {
		spec.Self = test.self
		exit := Run(t.Context(), spec)
		if exit.StartError != test.start || exit.Lost != "" != test.lost || exit.Code != -1 {
			t.Errorf("%q: %+v", test.self, exit)
		}
	}
}

// A supervisor that does nothing at all does not hold the run up for ever.
func TestSupervisorThatHangs(t *testing.T) {
	t.Parallel()
	self := filepath.Join(t.TempDir(), "factgate")
	if err := os.WriteFile(self, []byte("#!/bin/sh\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	exit := Run(t.Context(), Spec{Self: self, Argv: []string{"/bin/true"}, Env: os.Environ(), Timeout: time.Second})
	if took := time.Since(began); exit.Lost == "" || took > deadline {
		t.Errorf("after %v: %+v", took, exit)
	}
}

// A program gets its three standard descriptors and no other, however many runs and helpers are started beside it.
func TestNoDescriptorLeaks(t *testing.T) {
	var lanes sync.WaitGroup
	for range 6 {
		lanes.Go(func() {
			for range 10 {
				log := filepath.Join(t.TempDir(), "log")
				exit := Run(t.Context(), Spec{Self: executable(), Log: log, Env: os.Environ(),
					Argv: []string{"/bin/ls", "-l", "/proc/self/fd"}})
				if exit.Code != 0 {
					t.Errorf("%+v", exit)
				}
				text, err := os.ReadFile(log)
				if err != nil {
					t.Error(err)
				}
				names := regexp.MustCompile(`(?m)(\S+) -> (\S+)$`).FindAllStringSubmatch(string(text), -1)
				for i, n := range names { // the fourth is the folder that it reads
					if n[1] != strconv.Itoa(i) || i == 3 && !strings.HasPrefix(n[2], "/proc/") || i > 3 {
						t.Errorf("descriptor %s is %s", n[1], n[2])
					}
				}
				if len(names) != 4 {
					t.Errorf("%s", text)
				}
				if _, _, err := Output(t.Context(), "/", os.Environ(), []string{"true"}, 10); err != nil {
					t.Error(err)
				}
			}
		})
	}
	lanes.Wait()
}

// What a supervisor is told is what was asked for, byte by byte.
func TestTaskIsExact(t *testing.T) {
	odd := "\xff\xfe \n \"\\ \u2028"
	exit, log := run(t, Spec{Argv: []string{"/bin/sh", "-c", `printf %s "$1"; printf %s "$ODD"`, "sh", odd}, Env: []string{"ODD=" + odd}})
	if exit.Code != 0 || log != odd+odd {
		t.Errorf("%q, %+v", log, exit)
	}
}

// A moment of the end by the clock lies between those around it, and after all that the program wrote.
func TestEnded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	before := time.Now()
	exit, _ := run(t, Spec{Argv: helper("touch F", "F", file)})
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if exit.Ended.Before(before) || exit.Ended.After(time.Now()) || exit.Ended.Before(info.ModTime()) {
		t.Errorf("%v: it ended at %v, and wrote at %v", before, exit.Ended, info.ModTime())
	}
}
