// Package process starts programs, and is the only package that does. It observes and never concludes: every ending of a
// program, also that it could not be started, is a facts.Exit.
//
// Run starts a check's program as the leader of a session of its own, with an empty standard input, one pipe for both
// outputs and no other descriptor, and returns when the leader and all that it left behind are gone. Output asks a helper
// (git, a probe) a short question. Pass, DieAs and Exec serve a process that stands in for another program.
//
// A run has two halves of factgate. The one that calls Run reads the output and decides when to stop; it starts itself
// again as the supervisor (Supervise), in a session of its own, which starts the leader, keeps the time and ends what has
// to be ended. Two pipes join them, and no other process holds either:
//   - Orders go to the supervisor: what to start, later the signals. Its end means that the first half is gone, and is an
//     order to kill: whoever kills factgate, also with SIGKILL, ends the run.
//   - The report comes back. Its end without a report means that the supervisor is gone: the first half kills what is
//     left, and the ending is Lost, which is never a pass. A supervisor that is stopped is told to go on; one that has not
//     answered long after it had to is killed.
//
// The supervisor is this very executable, on Linux also where its file was replaced or deleted meanwhile. Where it cannot
// be started the run is refused (StartError): there is no second, weaker way to run.
//
// How the parts of an ending are told apart:
//   - The leader's end is what the kernel says about its pid, never the end of its output. Until its group is gone it stays
//     a zombie, so that neither its pid nor its group's number can come to mean something else.
//   - A time-out, a cancellation and the signals that followed are our own flags, whatever the program then said.
//   - A process that outlived the leader is a stray. It is ended, and counted.
//
// On Linux both halves become the reaper of their orphans (see Adopt): whatever a run starts, also in a session of its own
// or with a scrubbed environment, is a descendant of its supervisor and is found there, and comes to the first half if the
// supervisor dies. The leader dies with its supervisor. Where Spec.Control names a control group, all of a run is in one
// below it, and is killed in one step. What cannot be helped: when both halves are killed with SIGKILL at the same moment,
// the leader dies with them, and its descendants live on, until EndMarked finds those that kept their environment.
//
// On macOS strays are found by process group only. On Windows a job object, which the system ends with our handle, does
// what the supervisor does elsewhere, in one process. Both compile, and neither was run.
package process

import (
	"context"
	"errors"
	"io"
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
	Self string // this executable, whose main calls Supervise before all else; "" starts nothing

	Argv []string // Argv[0] without a slash is looked up in Env's PATH; relative with a slash, it is relative to Dir
	Dir  string   // working directory; "" is ours
	Env  []string // the whole environment; of two entries with one name the later one counts

	Timeout time.Duration   // 0 = none
	Grace   time.Duration   // between the first signal and SIGKILL; 0 = none, SIGKILL follows at once
	Hard    <-chan struct{} // when it is closed or sends, the run is killed at once; may be nil

	Ready   *Ready   // what Prepare had made ready for this run; nil = nothing
	Mark    string   // the NAME=value in Env that marks the processes of this run and of no other; "" = none
	Daemons []string // names of programs that may outlive the run
	Control string   // a control group (version 2) of Linux in which we may make others, as a path; "" = none

	Out               io.Writer // live copy of the output; may be nil. Its errors are ignored. One that hangs may be in a Write after Run's return
	Log               string    // path of the log to write; "" = none
	Head, Tail, Spool int64     // bytes; a log is whole up to Spool bytes, a longer one is cut to Head and Tail. 0 = 64 KiB, 256 KiB, Head+Tail
}

// Stopped is the cause (context.Cause) that tells Run with which signal it was cancelled.
type Stopped struct{ Signal syscall.Signal }

func (s Stopped) Error() string { return "stopped by " + signalName(s.Signal) }

// Run starts a program and returns when it has ended, its strays are gone and its output is read. It returns within
// Timeout + Grace and about six seconds, whatever the program does; within twenty, whatever happens to its supervisor.
func Run(ctx context.Context, s Spec) facts.Exit {
	if ctx.Err() != nil {
		return facts.Exit{Code: -1, Cancelled: cancelledBy(ctx), StartError: facts.StartFailed, StartText: "stopped before the start"}
	}
	Adopt()
	prog, err := resolve(s.Argv, s.Env, s.Dir)
	if err != nil {
		return unstarted(facts.Exit{Code: -1}, err)
	}
	ready := s.Ready
	if ready == nil {
		ready = Prepare(s.Self, s.Mark)
		defer ready.Close()
	}
	if ready.err != nil {
		return unstarted(facts.Exit{Code: -1}, ready.err)
	}
	out := openOutput(s, ready)
	exit := supervised(ctx, prog, s, out, ready)
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
