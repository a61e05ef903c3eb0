package process

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// EndMarked ends the processes of a run whose factgate and supervisor are gone, by the variable of their environment that
// marks them: its value has part in it. Programs of the named daemons are left alone. It returns how many were ended, and
// how many are still there; those of another user and those that cleared their environment are not found.
func EndMarked(variable, part string, daemons []string) (ended, left int) {
	seen := make(map[identity]bool)
	for deadline := time.Now().Add(sweepLimit); ; time.Sleep(lastPause) {
		left = 0
		for _, p := range everyProcess() {
			if p.dead() || p.pid == os.Getpid() || !p.carries(variable, part) {
				continue
			}
			if _, spared := p.named(daemons); spared {
				continue
			}
			if p.end() {
				left++
				seen[identity{p.pid, p.birth}] = true
			}
		}
		if left == 0 || time.Now().After(deadline) {
			return len(seen) - left, left
		}
	}
}

// carries reports whether a variable of the process's environment has part in its value.
func (p proc) carries(variable, part string) bool {
	data, err := os.ReadFile(procFile(p.pid, "environ"))
	return err == nil && slices.ContainsFunc(bytes.Split(data, []byte{0}), func(e []byte) bool {
		value, ok := strings.CutPrefix(string(e), variable+"=")
		return ok && strings.Contains(value, part)
	})
}

// end kills a process that is no child of ours: by a handle, so that it is this one and no later one of its pid. It
// reports false when it was gone.
func (p proc) end() bool {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	if now, ok := readProc(p.pid); !ok || now.birth != p.birth {
		return false
	}
	return unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == nil
}

// everyProcess lists all that /proc shows.
func everyProcess() (all []proc) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			if p, ok := readProc(pid); ok {
				all = append(all, p)
			}
		}
	}
	return all
}
