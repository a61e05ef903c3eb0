package process

import (
	"os"
	"os/signal"

	"factgate/facts"
)

// Pass runs a program in our place and returns how it ended. Ctrl-C and Ctrl-Break, which reach it too, do not end us.
func Pass(s PassSpec) facts.Exit {
	exit := facts.Exit{Code: -1}
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt)
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
	<-child.ended
	if len(caught) > 0 {
		exit.Cancelled = "SIGINT"
	}
	exit.Duration = child.endedAt.Sub(child.startedAt)
	exit.Code, exit.Signal = child.reap()
	return exit
}

// Exec runs a program in our place and exits with its code. It returns only when it could not be started.
func Exec(s PassSpec) error {
	exit := Pass(PassSpec{Path: s.Path, Argv: s.Argv, Env: s.Env})
	if exit.StartError != "" {
		return refuse(exit.StartError, "%s", exit.StartText)
	}
	DieAs(exit)
	return nil
}

// DieAs ends this process the way another one ended: with its code; 127 and 126 for one that was not found or could not
// be started.
func DieAs(e facts.Exit) {
	switch {
	case e.StartError == facts.NotFound:
		os.Exit(127)
	case e.StartError != "":
		os.Exit(126)
	}
	os.Exit(int(int32(uint32(e.Code))))
}
