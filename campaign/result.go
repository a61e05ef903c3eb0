//go:build linux

package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// state is how a row ended.
type state string

const (
	held    state = "passed"
	broken  state = "failed"
	skipped state = "skipped"
	known   state = "known" // fails, as the row says
)

// result is one row, run.
type result struct {
	row   row
	state state
	why   []string // what did not hold, or why it was not run
	said  string   // the end of what the script said, for a row that failed
	took  time.Duration
}

// words are how rows ended, for the page.
func words(results []result) map[string]string {
	said := map[string]string{}
	for _, r := range results {
		switch {
		case r.state == held && r.row.Times > 1:
			said[r.row.ID] = fmt.Sprintf("held, %d of %d times", r.row.Times, r.row.Times)
		case r.state == held:
			said[r.row.ID] = "held"
		case r.state == known:
			said[r.row.ID] = "fails today: " + r.row.Known
		case r.state == skipped:
			said[r.row.ID] = "not run: " + firstLine(r.why)
		default:
			said[r.row.ID] = "failed"
		}
	}
	return said
}

// print shows one row in one line, and below it what did not hold.
func (r result) print(w io.Writer) {
	line := fmt.Sprintf("%-8s %-34s %6.1fs", r.state, r.row.ID, r.took.Seconds())
	if r.state == skipped || r.state == known {
		line += "  " + strings.Join(r.why, "; ")
	}
	fmt.Fprintln(w, line)
	if r.state == held && r.row.Known != "" {
		fmt.Fprintf(w, "         it holds now: take its line \"known\" away\n")
	}
	if r.state == held && r.said != "" {
		fmt.Fprintf(w, "         | %s\n", strings.ReplaceAll(strings.TrimSpace(r.said), "\n", "\n         | "))
	}
	if r.state != broken {
		return
	}
	for _, why := range r.why {
		lines := strings.SplitN(strings.TrimSpace(why), "\n", 7)
		fmt.Fprintf(w, "         %s\n", strings.Join(lines[:min(len(lines), 6)], "\n         "))
	}
	for _, l := range strings.Split(strings.TrimRight(r.said, "\n"), "\n") {
		fmt.Fprintf(w, "         | %s\n", l)
	}
}

// summary prints the counts and returns how many rows failed. That nothing was run counts as one.
func summary(w io.Writer, results []result, took time.Duration) (failed int) {
	n := map[state]int{}
	for _, r := range results {
		n[r.state]++
	}
	for _, r := range results {
		switch r.state {
		case broken:
			fmt.Fprintf(w, "failed: %s: %s\n", r.row.ID, firstLine(r.why))
		case known:
			fmt.Fprintf(w, "known to fail: %s: %s\n", r.row.ID, r.row.Known)
		}
	}
	reasons := map[string][]string{}
	var order []string
	for _, r := range results {
		if r.state == skipped {
			why := firstLine(r.why)
			if reasons[why] == nil {
				order = append(order, why)
			}
			reasons[why] = append(reasons[why], r.row.ID)
		}
	}
	for _, why := range order {
		fmt.Fprintf(w, "skipped: %s: %s\n", why, strings.Join(reasons[why], " "))
	}
	fmt.Fprintf(w, "%d passed, %d failed, %d known to fail, %d skipped in %.0f s\n", n[held], n[broken], n[known], n[skipped], took.Seconds())
	if n[skipped] == len(results) {
		fmt.Fprintln(w, "no row was run, which proves nothing")
		return 1
	}
	return n[broken]
}

func firstLine(why []string) string {
	if len(why) == 0 {
		return ""
	}
	line, _, _ := strings.Cut(why[0], "\n")
	return line
}
