// Package report shows what a verify found, to people and to CI: text, JSON, GitHub annotations, Markdown, and live lines.
//
// Rules of its output: nothing but passed is ever drawn green; text of a runner is data (control and bidi characters are
// shown escaped, every echoed line is prefixed); every reason comes with a sentence and the line to type next.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"factgate/record"
)

// Options say how a report looks.
type Options struct {
	Color    bool
	Width    int // columns; 0: 100
	Now      time.Time
	Quiet    bool // only what is not passed, and the verdict
	Failures int  // failures shown in full per check; 0: 10
	Fit      bool // leave out what a line can do without where it does not fit into Width
}

func (o Options) width() int {
	if o.Width <= 0 {
		return 100
	}
	return max(o.Width, 40)
}

func (o Options) failures() int {
	if o.Failures <= 0 {
		return 10
	}
	return o.Failures
}

// Text prints the lines of all checks, then what failed and why, then the verdict.
func Text(w io.Writer, r record.Report, o Options) error {
	p := &printer{w: w, o: o}
	width := nameWidth(r)
	for _, c := range r.Checks {
		if !o.Quiet || c.Outcome != "passed" {
			p.line("%s", p.check(c, width))
		}
	}
	p.ending(r)
	return p.err
}

// Ending prints what failed and why, then the verdict: for a caller that has shown the lines of the checks already.
func Ending(w io.Writer, r record.Report, o Options) error {
	p := &printer{w: w, o: o}
	p.ending(r)
	return p.err
}

func nameWidth(r record.Report) (n int) {
	for _, c := range r.Checks {
		n = max(n, utf8.RuneCountInString(c.Name))
	}
	return n
}

type printer struct {
	w   io.Writer
	o   Options
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) paint(word, outcome string) string {
	if !p.o.Color {
		return word
	}
	code := map[string]string{"passed": "32", "failed": "31;1", "unproven": "33;1", "running": "36", "none": "33"}[outcome]
	if code == "" {
		code = "33"
	}
	return "\x1b[" + code + "m" + word + "\x1b[0m"
}

func (p *printer) faint(s string) string {
	if !p.o.Color || s == "" {
		return s
	}
	return "\x1b[2m" + s + "\x1b[0m"
}

// check is the one line of one check.
func (p *printer) check(c record.ReportCheck, width int) string {
	if p.o.Fit && columnsOf((&printer{o: Options{Now: p.o.Now}}).checkLine(c, width, true)) > p.o.width() {
		return p.checkLine(c, width, false)
	}
	return p.checkLine(c, width, true)
}

// checkLine is the line of one check, with the id of its record or without.
func (p *printer) checkLine(c record.ReportCheck, width int, id bool) string {
	head := fmt.Sprintf("%-8s  %-*s  %-8s", c.Outcome, width, Clean(c.Name), Clean(c.Runner))
	rest := counts(c)
	if c.Outcome != "passed" && len(c.Reasons) > 0 {
		rest = strings.TrimPrefix(strings.Join([]string{strings.Join(c.Reasons, ", "), rest}, ": "), ": ")
		rest = strings.TrimSuffix(rest, ": ")
	}
	var tail []string
	switch {
	case c.ReusedFrom != nil && c.Outcome == "passed":
		tail = append(tail, fmt.Sprintf("proven %s%s, not run now", Age(p.o.Now.Sub(c.ReusedFrom.At)), naming(" by ", c.ReusedFrom.Record, id)))
	case c.ReusedFrom != nil:
		tail = append(tail, fmt.Sprintf("seen %s%s, not run now", Age(p.o.Now.Sub(c.ReusedFrom.At)), naming(" in ", c.ReusedFrom.Record, id)))
	default:
		if c.End != nil {
			tail = append(tail, Duration(time.Duration(c.DurationMS)*time.Millisecond))
		}
		if c.Record != "" && id {
			tail = append(tail, c.Record)
		}
	}
	if c.Rerun != "" {
		tail = append(tail, fmt.Sprintf("rerun: %q", Clean(c.Rerun)))
	}
	word := p.paint(c.Outcome, c.Outcome) + head[len(c.Outcome):]
	return strings.TrimRight(fmt.Sprintf("%s  %-26s  %s", word, Clean(rest), p.faint(strings.Join(tail, "  "))), " ")
}

func naming(word, id string, shown bool) string {
	if !shown {
		return ""
	}
	return word + id
}

func (p *printer) ending(r record.Report) {
	for _, c := range r.Checks {
		if c.Outcome != "passed" {
			p.trouble(c)
		} else if !p.o.Quiet {
			for _, n := range c.Notes {
				p.line("  note: %s: %s", Clean(c.Name), Clean(n))
			}
		}
	}
	p.line("%s", p.verdict(r))
}

// trouble says what is wrong with one check, and what to type next.
func (p *printer) trouble(c record.ReportCheck) {
	p.line("")
	p.line("%s %s", p.paint(strings.ToUpper(c.Outcome), c.Outcome), Clean(c.Name))
	for _, n := range removed(c.Notes) {
		p.line("  environment: %s", Clean(n))
	}
	for _, d := range c.Details {
		p.line("  %s", Clean(d))
	}
	for i, f := range c.Failures {
		if i == p.o.failures() {
			break
		}
		p.failure(f)
	}
	if left := len(c.Failures) - p.o.failures() + c.More; left > 0 && len(c.Failures) > 0 {
		p.line("  and %s more: factgate show %s", plural(left, "failure"), c.Record)
	}
	if c.Tail != "" {
		p.line("  the end of its output:")
		for _, l := range End(c.Tail, 12, p.o.width()-4) {
			p.line("  | %s", l)
		}
	}
	for _, n := range c.Notes {
		if !isRemoved(n) {
			p.line("  note: %s", Clean(n))
		}
	}
	if c.Log != "" {
		p.line("  log: %s", Clean(c.Log))
	}
	for _, a := range c.Advice {
		p.line("  next: %s", Clean(a))
	}
}

func (p *printer) failure(f record.ReportFailure) {
	where := ""
	if f.File != "" {
		where = Clean(f.File)
		if f.Line > 0 {
			where = fmt.Sprintf("%s:%d", where, f.Line)
		}
		where = "  " + where
	}
	p.line("  - %s%s", Short(Clean(f.ID), 200), where)
	// The trace usually repeats the message: then the trace alone says it all.
	lines := Excerpt(f.Text, 10, p.o.width()-8)
	first, _, _ := strings.Cut(strings.TrimSpace(CleanLines(f.Message)), "\n")
	if first != "" && !strings.Contains(strings.Join(lines, "\n"), strings.TrimSuffix(Short(first, p.o.width()/2), "…")) {
		lines = append(Excerpt(f.Message, 4, p.o.width()-8), lines...)
	}
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			p.line("    | %s", l)
		}
	}
}

// removed are the notes that say which words were taken out of the environment; they come first when a run failed.
func removed(notes []string) (out []string) {
	for _, n := range notes {
		if isRemoved(n) {
			out = append(out, n)
		}
	}
	return out
}

func isRemoved(note string) bool { return strings.HasSuffix(note, "removed") }

// verdict is the last line.
func (p *printer) verdict(r record.Report) string {
	var b strings.Builder
	if slices.ContainsFunc(r.Checks, func(c record.ReportCheck) bool { return !p.o.Quiet || c.Outcome != "passed" }) {
		b.WriteString("\n") // away from what stands above
	}
	b.WriteString(p.paint(r.Verdict, r.Verdict))
	if r.Tier != "" {
		b.WriteString(" for " + r.Tier)
	}
	by := map[string][]string{}
	reused := 0
	for _, c := range r.Checks {
		by[c.Outcome] = append(by[c.Outcome], Clean(c.Name))
		if c.ReusedFrom != nil {
			reused++
		}
	}
	var parts []string
	for _, o := range []string{"failed", "running", "unproven"} {
		if names := by[o]; len(names) > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", o, list(names, 6)))
		}
	}
	if n := len(by["passed"]); n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %s passed", n, plural(len(r.Checks), "check")))
	}
	if reused > 0 && reused == len(r.Checks) {
		parts = append(parts, "nothing was run: all is known from records")
	} else if reused > 0 {
		parts = append(parts, fmt.Sprintf("%d from records", reused))
	}
	if len(r.Open) > 0 {
		parts = append(parts, left(r))
	}
	if len(r.Checks)+len(r.Open) == 0 {
		parts = append(parts, "factgate.toml declares no check that this asks for")
	}
	if len(parts) > 0 {
		b.WriteString(": " + strings.Join(parts, "; "))
	}
	if r.Tree.ID != "" {
		state := "  tree " + Short(r.Tree.ID, 13)
		if r.Tree.Dirty && r.Tree.Head != "" {
			state += ", with changes that are not committed"
		}
		b.WriteString(p.faint(state))
	}
	return b.String()
}

func list(names []string, most int) string {
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// left names the checks that the answer does not cover.
func left(r record.Report) string {
	names := make([]string, len(r.Open))
	for i, n := range r.Open {
		names[i] = Clean(n)
	}
	if r.Tier != "" {
		return list(names, 4) + " left to a later tier"
	}
	return plural(len(names), "other check") + " not asked for"
}
