//go:build linux || darwin

package process

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	sigTerm = syscall.SIGTERM
	sigKill = syscall.SIGKILL
)

// child is a program that we started and have not reaped.
type child struct {
	pid int
	how
	birth     uint64 // start time by the kernel's count, where strays are told by it
	startedAt time.Time
	endedAt   time.Time     // valid once ended is closed
	ended     chan struct{} // closed when it has ended; it stays a zombie until reap
}

// start starts a program with the files as its first descriptors; nil is ours of that number. The caller must reap it.
func start(p program, files []*os.File, h how) (*child, error) {
	c := &child{how: h, ended: make(chan struct{})}
	attr := &syscall.ProcAttr{Dir: p.dir, Env: p.env, Files: make([]uintptr, len(files)), Sys: h.attributes()}
	for i, f := range files {
		attr.Files[i] = uintptr(i)
		if f != nil {
			attr.Files[i] = f.Fd()
		}
	}
	var err error
	// A program that was written a moment ago is "busy" while any fork of ours still holds the descriptor it was
	// written through, which is until that fork's exec.
	for try := 0; try < 20; try++ {
		c.startedAt = time.Now()
		err = c.fork(func() (int, error) { return syscall.ForkExec(p.path, p.argv, attr) })
		if err != syscall.ETXTBSY {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if err != nil {
		return nil, explain(p, err)
	}
	go func() {
		c.await()
		c.endedAt = time.Now()
		close(c.ended)
	}()
	return c, nil
}

// signalGroup sends a signal to every process of the child's group. Errors do not matter: who is gone needs none, and
// who may not be signalled is found by its outliving us.
func (c *child) signalGroup(sig syscall.Signal) { _ = syscall.Kill(-c.pid, sig) }

// reap collects the status of a child that has ended: its code, or the name of the signal that ended it and -1.
func (c *child) reap() (code int, signal string) {
	var status syscall.WaitStatus
	var err error
	c.bury(func() {
		for {
			if _, err = syscall.Wait4(c.pid, &status, 0, nil); err != syscall.EINTR {
				return
			}
		}
	})
	switch {
	case err != nil:
		return -1, "" // somebody else took the status: not known, and so never clean
	case status.Signaled():
		return -1, signalName(status.Signal())
	}
	return status.ExitStatus(), ""
}

// politely is what a group is sent so that it ends by itself: stopped processes must go on to do so.
func politely(sig syscall.Signal) []syscall.Signal { return []syscall.Signal{sig, syscall.SIGCONT} }

// signalName is SIGTERM, SIGKILL, …, or SIG and the number for one without a name.
func signalName(sig syscall.Signal) string {
	if name := unix.SignalName(sig); name != "" {
		return name
	}
	return fmt.Sprintf("SIG%d", int(sig))
}

// signalNumber is the inverse of signalName; 0 for what is none.
func signalNumber(name string) syscall.Signal {
	if sig := unix.SignalNum(name); sig != 0 {
		return sig
	}
	var n int
	if _, err := fmt.Sscanf(name, "SIG%d", &n); err != nil {
		return 0
	}
	return syscall.Signal(n)
}
