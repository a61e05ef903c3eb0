package process

import (
	"context"
	"os"
	"time"

	"factgate/facts"
)

// attend starts prog with out as both of its outputs, stops it as watch says, and returns when it and what it left behind
// are gone. counted gives what memoryKills said before. begun hears the leader's pid. out is closed once the leader has it.
func attend(ctx context.Context, prog program, s Spec, out *os.File, counted <-chan memory, begun func(pid int)) facts.Exit {
	exit := facts.Exit{Code: -1}
	group, err := openControl(s.Control)
	if err != nil {
		out.Close()
		return unstarted(exit, err)
	}
	defer group.close()
	child, err := startLeader(prog, s.Mark, out, group)
	if err != nil {
		return unstarted(exit, err)
	}
	begun(child.pid)
	before := <-counted
	if !watch(ctx, child, s, &exit) {
		exit.Duration = time.Since(child.startedAt)
		exit.StraysLeft = 1 // the leader itself: not even SIGKILL ends it
		return exit
	}
	exit.Ended, exit.Duration = child.endedAt, child.endedAt.Sub(child.startedAt)
	exit.OOMKills = max(before.inGroup(), group.memoryKills())
	exit.Strays, exit.StraysLeft, exit.Daemons = child.sweep(s.Daemons, sweepLimit)
	exit.Code, exit.Signal = child.reap()
	if exit.OOMKills == 0 && exit.Signal == signalName(sigKill) && len(exit.Sent) == 0 {
		exit.OOMKills = before.onMachine()
	}
	return exit
}

// startLeader starts prog with an empty standard input and out as both outputs.
func startLeader(prog program, mark string, out *os.File, group *control) (*child, error) {
	defer out.Close() // ours: only the run's processes may hold it
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	return start(prog, []*os.File{null, out, out}, how{relation: ownSession, mark: mark, dies: true, group: group})
}
