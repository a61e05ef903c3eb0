//go:build linux || darwin

package process

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"factgate/facts"
)

// forwardAfter is how long a child has to end by itself after a signal that we got. One from the terminal, or to the
// whole group, reached it too, and must not reach it twice; a signal to us alone must be passed on.
const forwardAfter = 300 * time.Millisecond

// Pass runs a program in our place, in our own process group, and returns how it ended. SIGINT, SIGTERM, SIGHUP and
// SIGQUIT do not end us meanwhile; the first of them is in Cancelled. Its strays are not ended: without us nobody would.
func Pass(s PassSpec) facts.Exit {
	exit := facts.Exit{Code: -1}
	caught := make(chan os.Signal, 16)
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(sig) { // else the child must inherit that
			signal.Notify(caught, sig)
		}
	}
	defer signal.Stop(caught)
	prog, err := s.program()
	if err != nil {
		return unstarted(exit, err)
	}
	ends, pumps, err := s.outputs()
	defer stopAll(pumps)
	if err != nil {
		pumped(ends)
		return unstarted(exit, err)
	}
	child, err := start(prog, ends[:], how{relation: ourGroup})
	pumped(ends)
	if err != nil {
		return unstarted(exit, err)
	}
	exit.Cancelled = child.forward(caught)
	exit.Duration = child.endedAt.Sub(child.startedAt)
	exit.Code, exit.Signal = child.reap()
	if exit.Cancelled == "" && exit.Code != 0 {
		exit.Cancelled = late(caught)
	}
	return exit
}

// forward waits for the child's end and passes on to it the signals that ask for it, if they have no effect otherwise. It
// names the first signal that we got.
func (c *child) forward(caught <-chan os.Signal) (first string) {
	var pending []syscall.Signal
	var due <-chan time.Time
	for {
		select {
		case <-c.ended:
			return first
		case sig := <-caught:
			if first == "" {
				first = signalName(sig.(syscall.Signal))
			}
			if s := sig.(syscall.Signal); s == syscall.SIGINT || s == syscall.SIGTERM {
				pending = append(pending, s)
				due = time.After(forwardAfter)
			}
		case <-due:
			for _, sig := range pending {
				if !c.over() {
					_ = syscall.Kill(c.pid, sig)
				}
			}
			pending, due = nil, nil
		}
	}
}

// late names a signal to the whole group of which the child ended before it reached us. One that we send to ourselves comes
// behind it.
func late(caught <-chan os.Signal) string {
	last := make(chan os.Signal, 1)
	signal.Notify(last, unix.SIGWINCH)
	defer signal.Stop(last)
	if unix.Kill(os.Getpid(), unix.SIGWINCH) == nil {
		select {
		case <-last:
		case <-time.After(forwardAfter):
		}
	}
	select {
	case sig := <-caught:
		return signalName(sig.(syscall.Signal))
	default:
		return ""
	}
}

// Exec replaces this process by a program. It returns only when that fails.
func Exec(s PassSpec) error {
	prog, err := s.program()
	if err != nil {
		return err
	}
	return explain(prog, syscall.Exec(prog.path, prog.argv, prog.env))
}

// DieAs ends this process the way another one ended: with its code or, without a second core dump, by its signal; 127
// and 126 for one that was not found or could not be started.
func DieAs(e facts.Exit) {
	switch {
	case e.StartError == facts.NotFound:
		os.Exit(127)
	case e.StartError != "":
		os.Exit(126)
	case e.Signal == "":
		os.Exit(e.Code)
	}
	sig := signalNumber(e.Signal)
	noCoreDump()
	signal.Reset(sig)
	defaultAction(sig)
	_ = unix.Kill(os.Getpid(), sig)
	time.Sleep(time.Second) // the signal arrives before it is over
	os.Exit(128 + int(sig)) // as a shell would say it
}
