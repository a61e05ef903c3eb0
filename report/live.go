package report

import (
	"fmt"
	"io"
	"sync"
	"time"

	"factgate/record"
)

// Live shows checks while they run. On a terminal each running check has one line that is redrawn; elsewhere a line is
// printed when a check starts and when it ends. Close leaves the lines of all checks behind, in their order.
type Live struct {
	w      io.Writer
	o      Options
	tty    bool
	now    func() time.Time
	width  int
	mu     sync.Mutex
	rows   []row
	drawn  int // lines on the screen that belong to us
	frame  int
	stop   chan struct{}
	closed sync.WaitGroup
}

type row struct {
	name, runner string
	state        string // "", waiting, running, ended
	why          string
	start        time.Time
	cases        int
	end          record.ReportCheck
}

// NewLive makes a Live for the named checks, in the order of their lines. now is the clock.
func NewLive(w io.Writer, names []string, o Options, tty bool, now func() time.Time) *Live {
	l := &Live{w: w, o: o, tty: tty, now: now, stop: make(chan struct{})}
	for _, n := range names {
		l.rows = append(l.rows, row{name: n})
		l.width = max(l.width, len([]rune(n)))
	}
	if tty {
		l.closed.Go(l.spin)
	}
	return l
}

// Start says that a check's program is being started.
func (l *Live) Start(name, runner string) {
	l.set(name, func(r *row) { r.runner, r.state, r.start = runner, "running", l.now() })
	if !l.tty && !l.o.Quiet {
		l.mu.Lock()
		defer l.mu.Unlock()
		fmt.Fprintf(l.w, "%-8s  %-*s  %s\n", "start", l.width, Clean(name), Clean(runner))
	}
}

// Wait says why a check is not running yet.
func (l *Live) Wait(name, why string) {
	l.set(name, func(r *row) { r.state, r.why = "waiting", why })
	if !l.tty && !l.o.Quiet {
		l.mu.Lock()
		defer l.mu.Unlock()
		fmt.Fprintf(l.w, "%-8s  %-*s  %s\n", "wait", l.width, Clean(name), Clean(why))
	}
}

// Cases says how many cases of a running check have ended so far.
func (l *Live) Cases(name string, n int) { l.set(name, func(r *row) { r.cases = n }) }

// End says how a check ended.
func (l *Live) End(c record.ReportCheck) {
	l.set(c.Name, func(r *row) { r.state, r.end = "ended", c })
	if !l.tty && (!l.o.Quiet || c.Outcome != "passed") {
		l.mu.Lock()
		defer l.mu.Unlock()
		fmt.Fprintln(l.w, (&printer{o: l.at()}).check(c, l.width))
	}
}

// Output runs print while the live lines are off the screen.
func (l *Live) Output(print func(io.Writer)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	print(l.w)
	if l.tty {
		l.draw()
	}
}

// Close ends the redrawing.
func (l *Live) Close() {
	if l == nil || !l.tty {
		return
	}
	close(l.stop)
	l.closed.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
	for i := range l.rows {
		if r := &l.rows[i]; r.state == "ended" && (!l.o.Quiet || r.end.Outcome != "passed") {
			fmt.Fprintln(l.w, (&printer{o: l.at()}).check(r.end, l.width))
		}
	}
}

func (l *Live) at() Options {
	o := l.o
	o.Now = l.now()
	return o
}

func (l *Live) set(name string, change func(*row)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.rows {
		if l.rows[i].name == name {
			change(&l.rows[i])
		}
	}
}

func (l *Live) spin() {
	tick := time.NewTicker(120 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-l.stop:
			return
		case <-tick.C:
			l.mu.Lock()
			l.frame++
			l.erase()
			l.draw()
			l.mu.Unlock()
		}
	}
}

func (l *Live) erase() {
	if l.drawn > 0 {
		fmt.Fprintf(l.w, "\x1b[%dA\x1b[J", l.drawn)
		l.drawn = 0
	}
}

// most is how many live lines are drawn; more would scroll off a small terminal.
const most = 12

func (l *Live) draw() {
	spinner := []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	ended := 0
	for i := range l.rows {
		r := &l.rows[i]
		var line string
		switch r.state {
		case "running":
			line = fmt.Sprintf("%s %-*s  %-8s  %s", spinner[l.frame%len(spinner)], l.width, Clean(r.name), Clean(r.runner),
				Duration(l.now().Sub(r.start)))
			if r.cases > 0 {
				line += fmt.Sprintf("  %s so far", plural(r.cases, "case"))
			}
		case "waiting":
			line = fmt.Sprintf("· %-*s  %s", l.width, Clean(r.name), Clean(r.why))
		case "ended":
			ended++
			continue
		default:
			continue
		}
		if l.drawn < most {
			fmt.Fprintln(l.w, Short(line, l.o.width()-1))
			l.drawn++
		}
	}
	if ended > 0 {
		fmt.Fprintf(l.w, "  %d of %s done\n", ended, plural(len(l.rows), "check"))
		l.drawn++
	}
}
