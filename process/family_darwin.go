package process

import (
	"os"
	"os/signal"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const zombie = 5 // SZOMB of sys/proc.h

// adopted makes Adopt's settings, which belong to this whole process, happen once.
var adopted sync.Once

// Adopt prepares this process for starting runs, once; Run calls it, too. Descriptors above 2 that it inherited are not
// passed on; SIGINT and SIGHUP that it inherited as ignored are caught and dropped instead, since an ignored signal stays
// ignored in every child; SIGXFSZ and SIGPIPE are caught, so that they are write errors. A process that stands in for
// another program (Pass, Exec) must not call it.
func Adopt() {
	adopted.Do(func() {
		if names, err := os.ReadDir("/dev/fd"); err == nil {
			for _, n := range names {
				if fd, err := strconv.Atoi(n.Name()); err == nil && fd > 2 {
					unix.CloseOnExec(fd)
				}
			}
		}
		dropped := make(chan os.Signal, 1) // never read: os/signal drops what does not fit
		signal.Notify(dropped, syscall.SIGXFSZ, syscall.SIGPIPE)
		for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGHUP} {
			if signal.Ignored(sig) {
				signal.Notify(dropped, sig)
			}
		}
	})
}

func (h how) attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: h.relation == ownSession, Setpgid: h.relation == ownGroup}
}

func (c *child) fork(forkExec func() (int, error)) error {
	pid, err := forkExec()
	c.pid = pid
	return err
}

func (c *child) bury(wait func()) { wait() }

// await blocks until the child has ended, and leaves it a zombie. (waitid on macOS also returns when it stops.)
func (c *child) await() {
	queue, err := unix.Kqueue()
	if err == nil {
		defer unix.Close(queue)
		unix.CloseOnExec(queue)
	}
	for !c.gone() {
		var change, event [1]unix.Kevent_t
		unix.SetKevent(&change[0], c.pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
		change[0].Fflags = unix.NOTE_EXIT
		wait := unix.NsecToTimespec(int64(time.Second)) // then look again, whatever became of the event
		if err != nil {
			time.Sleep(10 * time.Millisecond)
		} else if _, bad := unix.Kevent(queue, change[:], event[:], &wait); bad != nil {
			time.Sleep(time.Millisecond)
		}
	}
}

// gone reports whether the child is a zombie, or not there at all.
func (c *child) gone() bool {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", c.pid)
	return err != nil && err != unix.EINTR || err == nil && info.Proc.P_stat == zombie
}

func (c *child) over() bool {
	select {
	case <-c.ended:
		return true
	default:
		return c.gone()
	}
}

// sweep ends the group, until nothing of it lives. A process of one of the named programs is left alone.
func (c *child) sweep(daemons []string, limit time.Duration) (strays, left int, alone []string) {
	seen := make(map[int]bool)
	for deadline := time.Now().Add(limit); ; time.Sleep(time.Millisecond) {
		members, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", c.pid)
		if err != nil {
			c.signalGroup(sigKill)
			return 0, 0, nil // it cannot be looked at
		}
		left, alone = 0, nil
		for i := range members {
			p := &members[i].Proc
			name := unix.ByteSliceToString(p.P_comm[:])
			switch {
			case int(p.P_pid) == c.pid || p.P_stat == zombie:
			case slices.Contains(daemons, name):
				alone = append(alone, name)
			default:
				left++
				seen[int(p.P_pid)] = true
				_ = syscall.Kill(int(p.P_pid), sigKill)
			}
		}
		if left == 0 || time.Now().After(deadline) {
			return len(seen) - left, left, alone
		}
	}
}
