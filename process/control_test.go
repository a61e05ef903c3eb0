//go:build linux

package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"factgate/facts"
)

// controlFolder makes a control group (version 2) for a test; it needs the right to, as in a container that runs as root.
func controlFolder(t *testing.T) string {
	t.Helper()
	for _, mount := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		var fs unix.Statfs_t
		if unix.Statfs(mount, &fs) != nil || fs.Type != unix.CGROUP2_SUPER_MAGIC {
			continue
		}
		dir, err := os.MkdirTemp(mount, "factgate-test-")
		if err != nil {
			continue
		}
		t.Cleanup(func() {
			if err := os.Remove(dir); err != nil {
				t.Error(err)
			}
		})
		return dir
	}
	t.Skip("no control group of version 2 can be made here")
	return ""
}

func TestControlGroup(t *testing.T) {
	dir := controlFolder(t)
	script := `cut -d: -f3 /proc/self/cgroup | grep factgate-; setsid sleep 600 & setsid sleep 600 & exit 3`
	exit, log := run(t, Spec{Argv: []string{"/bin/sh", "-c", script}, Control: dir})
	same(t, exit, facts.Exit{Code: 3, Strays: 2})
	if !strings.HasPrefix(filepath.Base(strings.TrimSpace(log)), "factgate-") {
		t.Errorf("it ran in %q", log)
	}
	if left, err := filepath.Glob(dir + "/factgate-*"); err != nil || len(left) > 0 {
		t.Errorf("still there: %v, %v", left, err)
	}
}

// All of the group is killed, also what is no descendant of ours.
func TestControlGroupOfAnother(t *testing.T) {
	dir := controlFolder(t)
	other := exec.Command("sleep", "600")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- other.Wait() }()
	exit, _ := run(t, Spec{Argv: []string{"/bin/sh", "-c", fmt.Sprintf("for f in %s/factgate-*/cgroup.procs; do echo %d >$f; done; exit 3", dir, other.Process.Pid)}, Control: dir})
	same(t, exit, facts.Exit{Code: 3, Strays: 1})
	select {
	case <-done:
	case <-time.After(deadline / 6):
		t.Error("it is still there")
		_ = other.Process.Kill()
	}
}

// One step ends what forks into new sessions as fast as it can.
func TestControlGroupOfAMovingTarget(t *testing.T) {
	dir := controlFolder(t)
	file := filepath.Join(t.TempDir(), "step")
	if err := os.WriteFile(file, []byte(`setsid sh "$0" &`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	exit, _ := run(t, Spec{Argv: []string{"/bin/sh", file}, Control: dir})
	if exit.Code != 0 || exit.Strays == 0 || exit.StraysLeft > 0 {
		t.Errorf("%+v", exit)
	}
}

// A daemon that is left alone lives on in its group.
func TestControlGroupWithADaemon(t *testing.T) {
	dir := controlFolder(t)
	exit, log := run(t, Spec{Argv: []string{"/bin/sh", "-c", "setsid sleep 600 & echo pid $!; until grep -q sleep /proc/$!/comm; do :; done; setsid tail -f /dev/null & exit 3"},
		Control: dir, Daemons: []string{"sleep"}})
	same(t, exit, facts.Exit{Code: 3, Strays: 1, Daemons: []string{"sleep"}})
	list := pids(log)
	if len(list) != 1 || !alive(list[0]) {
		t.Fatalf("%v should be there", list)
	}
	_ = syscall.Kill(list[0], syscall.SIGKILL)
	left, err := filepath.Glob(dir + "/factgate-*")
	if err != nil || len(left) != 1 {
		t.Fatalf("%v, %v", left, err)
	}
	eventually(t, "its group is empty", func() bool { return os.Remove(left[0]) == nil })
}

// A supervisor that is killed leaves no group behind.
func TestControlGroupOfAKilledSupervisor(t *testing.T) {
	dir := controlFolder(t)
	out := &steps{func() { kill(t, only(t, supervisors(os.Getpid())), unix.SIGKILL) }}
	exit, log := run(t, Spec{Argv: helper("pid spawn session ( pid hang ) hang"), Control: dir, Out: out})
	if exit.Lost == "" || exit.StraysLeft != 0 {
		t.Errorf("%+v", exit)
	}
	gone(t, log, 1)
	if left, err := filepath.Glob(dir + "/factgate-*"); err != nil || len(left) > 0 {
		t.Errorf("still there: %v, %v", left, err)
	}
}

// A folder that is none of control groups refuses the run: whoever named it counts on it.
func TestControlGroupElsewhere(t *testing.T) {
	for _, dir := range []string{t.TempDir(), "/no/such/folder"} {
		exit, _ := run(t, Spec{Argv: []string{"/bin/true"}, Control: dir})
		if exit.StartError != facts.StartFailed || !strings.Contains(exit.StartText, dir) {
			t.Errorf("%s: %+v", dir, exit)
		}
	}
}
