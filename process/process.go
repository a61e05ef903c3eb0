// Package process starts programs, and is the only package that does. It observes and never concludes: every ending of a
// program, also that it could not be started, is a facts.Exit.
//
// Run starts a check's program as the leader of a session of its own, with an empty standard input and one pipe for both
// outputs, and returns when the leader and all that it left behind are gone. Output asks a helper (git, a probe) a short
// question. Pass, DieAs and Exec serve a process that stands in for another program.
//
// How the parts of an ending are told apart:
//   - The leader's end is what the kernel says about its pid, never the end of its output. Until its group is gone it stays
//     a zombie, so that neither its pid nor its group's number can come to mean something else.
//   - A time-out, a cancellation and the signals that followed are our own flags, whatever the program then said.
//   - A process that outlived the leader is a stray. It is ended, and counted.
//
// On Linux this process becomes the reaper of its orphans (see Adopt): whatever a run starts, also in a session of its own
// or with a scrubbed environment, is a descendant of ours, and is found there. What cannot be helped from within one
// process: a run outlives a factgate that is killed with SIGKILL, and of two runs at one time an orphan without session
// and mark is ended with the later one.
//
// On macOS strays are found by process group only, and on Windows by a job object; both compile, and neither was run.
package process

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"factgate/facts"
)

// Bounds of what happens after the leader's end, and after SIGKILL.
const (
	sweepLimit = 2 * time.Second // ending strays
	drainLimit = 2 * time.Second // reading what is in the pipe
	deathLimit = 2 * time.Second // a leader that was sent SIGKILL
)

// Spec says what to start, where, and within which bounds.
type Spec struct {
	Argv []string // Argv[0] without a slash is looked up in Env's PATH; relative with a slash, it is relative to Dir
	Dir  string   // working directory; "" is ours
	Env  []string // the whole environment; of two entries with one name the later one counts

	Timeout time.Duration   // 0 = none
	Grace   time.Duration   // between the first signal and SIGKILL; 0 = none, SIGKILL follows at once
	Hard    <-chan struct{} // when it is closed or sends, the run is killed at once; may be nil

	Mark    string   // the NAME=value in Env that marks the processes of this run and of no other; "" = none
	Daemons []string // names of programs that may outlive the run

	Out               io.Writer // live copy of the output; may be nil. Its errors are ignored. One that hangs may be in a Write after Run's return
	Log               string    // path of the log to write; "" = none
	Head, Tail, Spool int64     // bytes; a log is whole up to Spool bytes, a longer one is cut to Head and Tail. 0 = 64 KiB, 256 KiB, Head+Tail
}

// Stopped is the cause (context.Cause) that tells Run with which signal it was cancelled.
type Stopped struct{ Signal syscall.Signal }

func (s Stopped) Error() string { return "stopped by " + signalName(s.Signal) }

// Run starts a program and returns when it has ended, its strays are gone and its output is read. It returns within
// Timeout + Grace and about six seconds, whatever the program does.
func Run(ctx context.Context, s Spec) facts.Exit {
	exit := facts.Exit{Code: -1}
	if ctx.Err() != nil {
		exit.Cancelled = cancelledBy(ctx)
		exit.StartError, exit.StartText = facts.StartFailed, "stopped before the start"
		return exit
	}
	Adopt()
	prog, err := resolve(s.Argv, s.Env, s.Dir)
	if err != nil {
		return unstarted(exit, err)
	}
	memory := memoryKills()
	out, err := openOutput(s)
	if err != nil {
		return unstarted(exit, err)
	}
	child, err := out.start(prog, s.Mark)
	if err != nil {
		exit.Output = out.close()
		return unstarted(exit, err)
	}
	if watch(ctx, child, s, &exit) {
		exit.Duration = child.endedAt.Sub(child.startedAt)
		group, machine := memory.since()
		exit.Strays, exit.StraysLeft, exit.Daemons = child.sweep(s.Daemons, sweepLimit)
		exit.Code, exit.Signal = child.reap()
		exit.OOMKills = group
		if group == 0 && exit.Signal == signalName(sigKill) && len(exit.Sent) == 0 {
			exit.OOMKills = machine
		}
	} else {
		exit.Duration = time.Since(child.startedAt)
		exit.StraysLeft = 1 // the leader itself: not even SIGKILL ends it
	}
	exit.Output = out.close()
	return exit
}

// unstarted adds to exit why nothing was started.
func unstarted(exit facts.Exit, err error) facts.Exit {
	exit.StartError, exit.StartText = facts.StartFailed, err.Error()
	var r *refusal
	if errors.As(err, &r) {
		exit.StartError = r.kind
	}
	return exit
}

// cancelledBy names what ended ctx: a signal, or "context".
func cancelledBy(ctx context.Context) string {
	var s Stopped
	if errors.As(context.Cause(ctx), &s) {
		return signalName(s.Signal)
	}
	return "context"
}

// start starts prog with an empty standard input and the pipe as both outputs.
func (o *output) start(prog program, mark string) (*child, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	child, err := start(prog, [3]*os.File{null, o.w, o.w}, ownSession, mark)
	o.w.Close() // ours: only the run's processes may hold it
	o.w = nil
	return child, err
}
