//go:build linux || darwin

package process

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"

	"factgate/facts"
)

// supervisorName is argv[0] of a supervisor, and its whole argv.
const supervisorName = "factgate-supervisor"

// The descriptors of a supervisor. Its standard ones are empty.
const (
	ordersFD = 3 + iota // a task, one line of JSON; then one byte for each order
	reportFD            // the leader's pid, then the ending: each one line of JSON
	outputFD            // for the leader
)

// Orders beside a signal's number, which asks the run to end as that signal would.
const (
	orderStop = 0   // like SIGTERM, without a signal as its cause
	orderKill = 255 // at once
)

// task is what a supervisor is started for. Strings go as bytes: an argument is not always UTF-8.
type task struct {
	Path, Dir      []byte
	Argv, Env      [][]byte
	Timeout, Grace time.Duration
	Mark, Control  []byte
	Daemons        [][]byte
}

func newTask(p program, s Spec) task {
	return task{Path: []byte(p.path), Dir: []byte(p.dir), Argv: raw(p.argv), Env: raw(p.env), Timeout: s.Timeout, Grace: s.Grace,
		Mark: []byte(s.Mark), Control: []byte(s.Control), Daemons: raw(s.Daemons)}
}

func (t task) program() program {
	return program{path: string(t.Path), argv: text(t.Argv), env: text(t.Env), dir: string(t.Dir)}
}

func (t task) spec(hard <-chan struct{}) Spec {
	return Spec{Timeout: t.Timeout, Grace: t.Grace, Hard: hard, Mark: string(t.Mark), Control: string(t.Control), Daemons: text(t.Daemons)}
}

func raw(list []string) [][]byte {
	out := make([][]byte, len(list))
	for i, s := range list {
		out[i] = []byte(s)
	}
	return out
}

func text(list [][]byte) []string {
	out := make([]string, len(list))
	for i, b := range list {
		out[i] = string(b)
	}
	return out
}

// reported is an Exit on its way from the supervisor, with what a record leaves out.
type reported struct {
	facts.Exit
	Ended time.Time
}

// patience is how long after its last moment a supervisor may be late, on a machine that has much else to do.
const patience = 10 * time.Second

// supervisor is the other half of factgate at work, as the first one sees it.
type supervisor struct {
	child   *child
	orders  chan byte
	pipe    *os.File // orders go into it; its end is the order to kill
	report  *os.File
	leader  chan int        // its pid, once
	outcome chan facts.Exit // what it reports; closed when it can report no more
	work    sync.WaitGroup
}

// waiting is a supervisor without a task; nil when there is none, or when it has one.
type waiting = *supervisor

// wait starts the supervisor.
func (g *Ready) wait(self, mark string) (err error) {
	g.waiting, err = startSupervisor(self, mark, g.w)
	g.w.Close() // ours: only the run may hold it
	g.w = nil
	return err
}

// dismiss lets a supervisor go that was given no task: its orders end, and so does it.
func (g *Ready) dismiss() {
	if sup := g.waiting; sup != nil {
		g.waiting = nil
		sup.pipe.Close()
		sup.close()
	}
}

// supervised has prog run by the supervisor that is ready, which has the output, too.
func supervised(ctx context.Context, prog program, s Spec, _ *output, ready *Ready) facts.Exit {
	sup := ready.waiting
	ready.waiting = nil
	ready.ending = sup.close
	sup.work.Go(func() { sup.speak(newTask(prog, s)) })
	began := time.Now()
	exit, lost := sup.follow(ctx, s)
	if lost != "" {
		exit = sup.lost(s, lost)
		exit.Duration = time.Since(began)
		if ctx.Err() != nil {
			exit.Cancelled = cancelledBy(ctx)
		}
		return exit
	}
	if exit.StraysLeft > 0 && sup.end(deathLimit) { // they are our orphans now
		strays, left, _ := sup.remains(s)
		exit.Strays, exit.StraysLeft = exit.Strays+strays, left
	}
	return exit
}

// startSupervisor starts the executable self again, with out for the run's output.
func startSupervisor(self, mark string, out *os.File) (*supervisor, error) {
	if self == "" {
		return nil, refuse(facts.StartFailed, "there is no executable to supervise the run")
	}
	sup := &supervisor{orders: make(chan byte, 4), leader: make(chan int, 1), outcome: make(chan facts.Exit, 1)}
	files, err := sup.open()
	if err != nil {
		return nil, err
	}
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	again := program{path: again(self), argv: []string{supervisorName}, env: []string{
		"GOMAXPROCS=2", "GODEBUG=containermaxprocs=0,updatemaxprocs=0", // it has little to do, and looks for no more at its start
	}}
	// Where the system fails to tell whether the program was started, the standard library waits for its end. A supervisor
	// ends when its orders do.
	stuck := time.AfterFunc(patience, func() { sup.pipe.Close() })
	sup.child, err = start(again, append(files, out), how{relation: ownSession, mark: mark, supervises: true})
	stuck.Stop()
	if err != nil {
		sup.pipe.Close()
		sup.report.Close()
		refused := &refusal{kind: facts.StartFailed}
		errors.As(err, &refused)
		return nil, refuse(refused.kind, "factgate cannot start itself again to supervise the run: %v", err)
	}
	sup.work.Go(sup.listen)
	return sup, nil
}

// open makes the two pipes, and returns the supervisor's descriptors but for the output.
func (s *supervisor) open() (files []*os.File, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	orders, pipe, err := os.Pipe()
	if err != nil {
		null.Close()
		return nil, err
	}
	report, w, err := os.Pipe()
	if err != nil {
		null.Close()
		orders.Close()
		pipe.Close()
		return nil, err
	}
	s.pipe, s.report = pipe, report
	return []*os.File{null, null, null, orders, w}, nil
}

// speak writes the task and then the orders, until there can be no more of them or nobody reads them.
func (s *supervisor) speak(t task) {
	line, err := json.Marshal(t)
	if err == nil {
		_, err = s.pipe.Write(append(line, '\n'))
	}
	if err != nil {
		s.pipe.Close() // it would wait for ever; so it ends, and that is seen
	}
	for order := range s.orders {
		if err == nil {
			_, err = s.pipe.Write([]byte{order})
		}
	}
}

// listen takes the report.
func (s *supervisor) listen() {
	defer close(s.outcome)
	r := json.NewDecoder(s.report)
	var pid int
	if r.Decode(&pid) != nil {
		return
	}
	s.leader <- pid
	var e reported
	if r.Decode(&e) == nil {
		e.Exit.Ended = e.Ended
		s.outcome <- e.Exit
	}
}

// follow passes orders on and returns the ending, or why there is none.
func (s *supervisor) follow(ctx context.Context, spec Spec) (exit facts.Exit, lost string) {
	var late <-chan time.Time
	bound := func(d time.Duration) { late = time.After(d + deathLimit + sweepLimit + patience) }
	if spec.Timeout > 0 {
		bound(spec.Timeout + spec.Grace)
	}
	done, hard := ctx.Done(), spec.Hard
	for {
		select {
		case exit, ok := <-s.outcome:
			if !ok {
				return exit, "the process that supervised it was ended"
			}
			return exit, ""
		case <-done:
			done = nil
			s.orders <- orderOf(ctx)
			bound(spec.Grace)
		case <-hard:
			hard = nil
			s.orders <- orderKill
			bound(0)
		case <-late:
			return exit, "the process that supervised it did not answer"
		}
	}
}

// orderOf is the order that follows from the end of ctx.
func orderOf(ctx context.Context) byte {
	var s Stopped
	if errors.As(context.Cause(ctx), &s) && s.Signal > 0 && s.Signal < orderKill {
		return byte(s.Signal)
	}
	return orderStop
}

// lost ends what a supervisor left that reported nothing.
func (s *supervisor) lost(spec Spec, why string) facts.Exit {
	exit := facts.Exit{Code: -1, Lost: why}
	if !s.end(0) {
		exit.StraysLeft = 1
		return exit
	}
	exit.Strays, exit.StraysLeft, exit.Daemons = s.remains(spec)
	return exit
}

// remains ends what a supervisor left behind.
func (s *supervisor) remains(spec Spec) (strays, left int, alone []string) {
	s.child.group = abandoned(spec.Control, s.child.pid)
	defer s.child.group.close()
	leader := 0
	select {
	case leader = <-s.leader:
	default:
	}
	return s.child.sweepAfter(leader, spec.Daemons, sweepLimit)
}

// end gives the supervisor the time to end by itself, and kills it after that; false when not even that ends it.
func (s *supervisor) end(limit time.Duration) bool {
	select {
	case <-s.child.ended:
		return true
	case <-time.After(limit):
	}
	s.child.signalGroup(sigKill) // it is alone in its group
	select {
	case <-s.child.ended:
		return true
	case <-time.After(deathLimit):
		return false
	}
}

// close waits for the supervisor's end and gives back what it took.
func (s *supervisor) close() {
	s.end(deathLimit)
	close(s.orders)
	s.pipe.Close()
	s.report.Close()
	s.work.Wait()
	if s.child.over() {
		s.child.reap()
	}
}
