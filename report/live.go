package report

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"factgate/record"
)

// Live shows checks while they run. On a terminal each check has one line that is redrawn; elsewhere a line is printed
// when a check starts and when it ends. Close leaves the lines of all checks behind, in their order.
type Live struct {
	w      io.Writer
	o      Options
	size   func() (columns, rows int) // of the terminal; nil: not a terminal
	now    func() time.Time
	width  int // of the names
	mu     sync.Mutex
	rows   []row
	note   string
	drawn  []int // columns of the lines on the screen that are ours
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

// NewLive makes a Live. size asks a terminal for its size, which may change; without it plain lines are printed.
func NewLive(w io.Writer, o Options, size func() (columns, rows int), now func() time.Time) *Live {
	l := &Live{w: w, o: o, size: size, now: now, stop: make(chan struct{})}
	if size != nil {
		l.closed.Go(l.spin)
	}
	return l
}

// Begin says which checks there will be, in the order of their lines.
func (l *Live) Begin(names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range names {
		l.rows = append(l.rows, row{name: n})
		l.width = max(l.width, len([]rune(n)))
	}
}

// Start says that a check's program is being started.
func (l *Live) Start(name, runner string) {
	l.set(name, func(r *row) { r.runner, r.state, r.start = runner, "running", l.now() })
	l.plain("start", name, runner)
}

// Wait says why a check is not running yet.
func (l *Live) Wait(name, why string) {
	l.set(name, func(r *row) { r.state, r.why = "waiting", why })
	l.plain("wait", name, why)
}

// Cases says how many cases of a running check have ended so far.
func (l *Live) Cases(name string, n int) { l.set(name, func(r *row) { r.cases = n }) }

// End says how a check ended.
func (l *Live) End(c record.ReportCheck) {
	l.set(c.Name, func(r *row) { r.state, r.end = "ended", c })
	if l.size == nil && c.ReusedFrom == nil && (!l.o.Quiet || c.Outcome != "passed") {
		l.mu.Lock()
		defer l.mu.Unlock()
		fmt.Fprintln(l.w, l.line(c))
	}
}

// Note says something about all that still runs.
func (l *Live) Note(text string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note = text
	if l.size == nil {
		fmt.Fprintln(l.w, Clean(text))
	}
}

func (l *Live) plain(word, name, text string) {
	if l.size == nil && !l.o.Quiet {
		l.mu.Lock()
		defer l.mu.Unlock()
		fmt.Fprintf(l.w, "%-8s  %-*s  %s\n", word, l.width, Clean(name), Clean(text))
	}
}

// Output runs print while the live lines are off the screen.
func (l *Live) Output(print func(io.Writer)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size == nil {
		print(l.w)
		return
	}
	var b strings.Builder
	print(&b)
	l.redraw(b.String(), true)
}

// Close ends the redrawing.
func (l *Live) Close() {
	if l == nil {
		return
	}
	if l.size == nil { // what records answered has no moment of its own: it stands in the order of the file
		for i := range l.rows {
			if r := &l.rows[i]; r.state == "ended" && r.end.ReusedFrom != nil && (!l.o.Quiet || r.end.Outcome != "passed") {
				fmt.Fprintln(l.w, l.line(r.end))
			}
		}
		return
	}
	close(l.stop)
	l.closed.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	for i := range l.rows {
		if r := &l.rows[i]; r.state == "ended" && (!l.o.Quiet || r.end.Outcome != "passed") {
			fmt.Fprintln(&b, l.line(r.end))
		}
	}
	l.redraw(b.String(), false)
}

// line is the line of a check that has ended.
func (l *Live) line(c record.ReportCheck) string {
	o := l.o
	o.Now = l.now()
	return (&printer{o: o}).check(c, l.width)
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
			l.redraw("", true)
			l.mu.Unlock()
		}
	}
}

// redraw puts text that stays, and below it the lines that live where there are to be some, over the lines that are on the
// screen. It is one write, over what was there, so that nothing flickers and nothing is pushed into the history.
func (l *Live) redraw(text string, alive bool) {
	columns, height := l.screen()
	up := 0
	for _, n := range l.drawn { // a terminal that has become narrower shows one of them on several of its own
		up += max(1, (n+columns-1)/columns)
	}
	l.drawn = l.drawn[:0]
	b := &strings.Builder{}
	b.WriteString(text)
	if alive {
		l.draw(b, columns, height)
	}
	back := "\r" // from behind what was typed meanwhile
	if up > 0 {
		back = fmt.Sprintf("\r\x1b[%dA", up)
	}
	io.WriteString(l.w, back+strings.ReplaceAll(b.String(), "\n", "\x1b[K\n")+"\x1b[J")
}

// screen is the size of the terminal, or a usual one where it does not say.
func (l *Live) screen() (columns, rows int) {
	columns, rows = l.size()
	if columns <= 0 {
		columns = 80
	}
	if rows <= 0 {
		rows = 24
	}
	return columns, rows
}

// draw puts a line for each check on the screen; where there is no room for all, for those that a reader waits for.
func (l *Live) draw(b *strings.Builder, columns, height int) {
	room := max(height-3, 1) // the footer, and the line of the cursor
	all := len(l.rows) <= room
	for i := range l.rows {
		r := &l.rows[i]
		if l.o.Quiet && r.state == "ended" && r.end.Outcome == "passed" {
			continue
		}
		if !all && (len(l.drawn) == room || r.state == "" || r.state == "ended" && r.end.Outcome == "passed") {
			continue
		}
		l.put(b, l.alive(r), r, columns-1)
	}
	if foot := l.foot(); foot != "" {
		l.put(b, foot, nil, columns-1)
	}
}

// put draws one line, cut to the width of the screen and coloured after that.
func (l *Live) put(b *strings.Builder, line string, r *row, width int) {
	line = fit(line, width)
	l.drawn = append(l.drawn, columnsOf(line))
	if r != nil && r.state == "ended" && strings.HasPrefix(line, r.end.Outcome) {
		p := &printer{o: l.o}
		line = p.paint(r.end.Outcome, r.end.Outcome) + line[len(r.end.Outcome):]
	}
	b.WriteString(line + "\n")
}

var spinner = [...]string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}

// alive is the line of one check while checks run.
func (l *Live) alive(r *row) string {
	switch r.state {
	case "running":
		line := fmt.Sprintf("%-8s  %-*s  %-8s  %s", spinner[l.frame%len(spinner)], l.width, Clean(r.name), Clean(r.runner),
			elapsed(l.now().Sub(r.start)))
		if r.cases > 0 {
			line += fmt.Sprintf("  %s so far", plural(r.cases, "case"))
		}
		return line
	case "ended":
		o := l.o
		o.Now, o.Color = l.now(), false
		return (&printer{o: o}).check(r.end, l.width)
	case "waiting":
		return fmt.Sprintf("%-8s  %-*s  %s", "·", l.width, Clean(r.name), Clean(r.why))
	}
	return strings.TrimRight(fmt.Sprintf("%-8s  %-*s", "·", l.width, Clean(r.name)), " ")
}

// foot counts what there is, where that is not plain to see, and holds the note.
func (l *Live) foot() string {
	ended, bad := 0, 0
	for i := range l.rows {
		if l.rows[i].state == "ended" {
			ended++
			if l.rows[i].end.Outcome != "passed" {
				bad++
			}
		}
	}
	var parts []string
	if len(l.rows) > 1 {
		parts = append(parts, fmt.Sprintf("%d of %s done", ended, plural(len(l.rows), "check")))
	}
	if bad > 0 {
		parts = append(parts, fmt.Sprintf("%d not passed", bad))
	}
	if l.note != "" {
		parts = append(parts, Clean(l.note))
	}
	return strings.Join(parts, ", ")
}
