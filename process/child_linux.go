package process

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// attributes are what the child is at its start.
func (h how) attributes() *syscall.SysProcAttr {
	sys := &syscall.SysProcAttr{Setsid: h.relation == ownSession, Setpgid: h.relation == ownGroup}
	if h.dies {
		sys.Pdeathsig = sigKill
	}
	h.group.admit(sys)
	return sys
}

// fork starts the child so that no reaper of orphans can take it for one, and with no signal blocked: the mask of the
// thread that forks is the child's.
func (c *child) fork(forkExec func() (int, error)) error {
	var none, ours unix.Sigset_t
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, nil, &ours); c.relation != ourGroup && err == nil && ours != none {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		_ = unix.PthreadSigmask(unix.SIG_SETMASK, &none, &ours)
		defer unix.PthreadSigmask(unix.SIG_SETMASK, &ours, nil)
	}
	kin.mu.Lock()
	defer kin.mu.Unlock()
	pid, err := forkExec()
	if err != nil {
		return err
	}
	c.pid = pid
	if p, ok := readProc(pid); ok {
		c.birth = p.birth
	}
	kin.add(c)
	if c.relation == ownSession {
		go c.tend() // until c.ended
	}
	return nil
}

// bury takes the child off the list of those that are waited for, once wait has reaped it.
func (c *child) bury(wait func()) {
	kin.mu.Lock()
	defer kin.mu.Unlock()
	wait()
	delete(kin.direct, c.pid)
}

// await blocks until the child has ended, and leaves it a zombie. A child of our own kind that is stopped is told to go on.
func (c *child) await() {
	for {
		options := unix.WEXITED | unix.WNOWAIT
		if c.supervises {
			options |= unix.WSTOPPED
		}
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, c.pid, &info, options, nil)
		switch {
		case err == unix.EINTR:
		case err == nil && info.Code == cldStopped:
			_ = unix.Waitid(unix.P_PID, c.pid, nil, unix.WSTOPPED|unix.WNOHANG, nil) // seen
			_ = unix.Kill(c.pid, unix.SIGCONT)
		default:
			return
		}
	}
}

const cldStopped = 5 // CLD_STOPPED of asm-generic/siginfo.h

// over reports whether the child has ended by now.
func (c *child) over() bool { return over(c.pid) }

// over reports whether a child of this process has ended, or is none.
func over(pid int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
	return err == unix.ECHILD || err == nil && *(*int32)(unsafe.Pointer(&info)) == int32(unix.SIGCHLD)
}
