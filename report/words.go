package report

import (
	"fmt"
	"strings"
	"time"

	"factgate/record"
)

// Duration shows a duration as people say it: 12ms, 2.1s, 3m12s.
func Duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
}

// elapsed is Duration for a time that grows: it does not jump in width while one looks.
func elapsed(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return Duration(d)
}

// Age shows how long ago something was.
func Age(d time.Duration) string {
	switch {
	case d < 2*time.Second:
		return "just now"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	}
	return fmt.Sprintf("%d days ago", int(d.Hours()/24))
}

// counts says what the results held, the worst first.
func counts(c record.ReportCheck) string {
	n := c.Counts
	var parts []string
	add := func(k int, word string) {
		if k > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", k, word))
		}
	}
	add(n.Failed, "failed")
	add(n.Errored, "errored")
	add(n.Passed, "passed")
	add(n.Skipped, "skipped")
	add(n.Flaky, "flaky")
	add(n.Cached, "cached")
	if len(parts) == 0 {
		switch {
		case c.NoCases && c.End != nil && c.End.Code != nil:
			return fmt.Sprintf("exit %d, counts no cases", *c.End.Code)
		case c.End == nil || c.NoCases || c.Counts.Cases == 0 && len(c.Reasons) > 0:
			return ""
		}
		return "0 cases"
	}
	return strings.Join(parts, ", ")
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
