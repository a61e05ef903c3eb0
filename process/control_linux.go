package process

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"factgate/facts"
)

// control is the control group (version 2) of one run. nil is none, and does nothing.
type control struct {
	path string
	dir  *os.File
}

// controlPath is where the group of the run of a supervisor is, below the folder that the caller named.
func controlPath(parent string, supervisor int) string {
	return filepath.Join(parent, "factgate-"+strconv.Itoa(supervisor))
}

// openControl makes the group of this supervisor's run. An empty parent makes none.
func openControl(parent string) (*control, error) {
	if parent == "" {
		return nil, nil
	}
	g, err := makeControl(controlPath(parent, os.Getpid()))
	if err != nil {
		return nil, refuse(facts.StartFailed, "no control group can be made in %s: %v", parent, err)
	}
	return g, nil
}

func makeControl(path string) (*control, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(filepath.Dir(path), &fs); err != nil {
		return nil, err
	}
	if fs.Type != unix.CGROUP2_SUPER_MAGIC {
		return nil, errors.New("it is in no file system of control groups version 2")
	}
	lost := control{path: path} // of one with our pid, whose supervisor was killed together with its first half
	lost.end()
	_ = os.Remove(path)
	if err := os.Mkdir(path, 0o755); err != nil {
		return nil, err
	}
	dir, err := os.Open(path)
	if err != nil {
		_ = os.Remove(path)
		return nil, err
	}
	return &control{path: path, dir: dir}, nil
}

// admit makes a child start in the group.
func (g *control) admit(sys *syscall.SysProcAttr) {
	if g != nil {
		sys.UseCgroupFD, sys.CgroupFD = true, int(g.dir.Fd())
	}
}

// end sends SIGKILL to all living processes of the group and of those that were made below it, in one step, in which none
// can fork, and returns who they were just before. It is there since Linux 5.14; on an older one the sweep has to do.
func (g *control) end() (pids []int) {
	if g == nil {
		return nil
	}
	_ = filepath.WalkDir(g.path, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil // gone meanwhile, or one of the kernel's files
		}
		list, _ := os.ReadFile(filepath.Join(path, "cgroup.procs"))
		for _, f := range strings.Fields(string(list)) {
			if pid, err := strconv.Atoi(f); err == nil && pid > 0 {
				pids = append(pids, pid)
			}
		}
		return nil
	})
	_ = tellKernel(filepath.Join(g.path, "cgroup.kill"), "1")
	return pids
}

// tellKernel writes to one of the kernel's files.
func tellKernel(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// memoryKills is how many processes of the group the kernel ended for lack of memory, where the controller is on.
func (g *control) memoryKills() int {
	if g == nil {
		return 0
	}
	n, _ := killCount(filepath.Join(g.path, v2Name))
	return n
}

// close removes the group. One that is not empty, for a daemon that was left alone, stays.
func (g *control) close() {
	if g == nil {
		return
	}
	g.dir.Close()
	var below []string
	_ = filepath.WalkDir(g.path, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			below = append(below, path)
		}
		return nil
	})
	for i := len(below) - 1; i >= 0; i-- {
		_ = os.Remove(below[i])
	}
}

// abandoned is the control group of a supervisor that is gone.
func abandoned(parent string, supervisor int) *control {
	if parent == "" {
		return nil
	}
	return &control{path: controlPath(parent, supervisor)}
}
