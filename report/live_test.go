package report

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"factgate/record"
)

// screen is a terminal of a certain width: what a reader sees of what was written to it.
type screen struct {
	columns  int
	lines    [][]rune
	row, col int
}

func (s *screen) Write(b []byte) (int, error) {
	for text := []rune(string(b)); len(text) > 0; {
		var n int
		switch {
		case strings.HasPrefix(string(text), "\x1b["):
			end := strings.IndexAny(string(text[2:]), "AJKm")
			n = 2 + len([]rune(string(text[2:])[:end])) + 1
			s.obey(string(text[2:n]))
		default:
			n = 1
			s.put(text[0])
		}
		text = text[n:]
	}
	return len(b), nil
}

func (s *screen) obey(command string) {
	s.grow()
	switch command[len(command)-1] {
	case 'A':
		var up int
		fmt.Sscanf(command, "%dA", &up)
		s.row = max(0, s.row-up)
	case 'J':
		s.lines = s.lines[:s.row+1]
		fallthrough
	case 'K':
		s.lines[s.row] = s.lines[s.row][:min(s.col, len(s.lines[s.row]))]
	}
}

func (s *screen) put(r rune) {
	switch r {
	case '\r':
		s.col = 0
		return
	case '\n':
		s.row, s.col = s.row+1, 0
		s.grow()
		return
	}
	if s.col == s.columns {
		s.row, s.col = s.row+1, 0
	}
	s.grow()
	line := s.lines[s.row]
	for len(line) <= s.col {
		line = append(line, ' ')
	}
	line[s.col] = r
	s.lines[s.row] = line
	s.col++
}

func (s *screen) grow() {
	for len(s.lines) <= s.row {
		s.lines = append(s.lines, nil)
	}
}

func (s *screen) String() string {
	var b strings.Builder
	for _, l := range s.lines {
		b.WriteString(strings.TrimRight(string(l), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// still is a Live on a screen whose lines move only when the test says so.
func still(s *screen, rows int, names ...string) *Live {
	l := &Live{w: s, o: Options{Fit: true, Width: s.columns, Color: true}, now: func() time.Time { return noon },
		size: func() (int, int) { return s.columns, rows }, stop: make(chan struct{})}
	l.Begin(names)
	return l
}

func passed(name string) record.ReportCheck {
	zero := 0
	return record.ReportCheck{Name: name, Runner: "go", Outcome: "passed", Record: "01M8QHQ3CAMNJ08GGB11TDEHQJ", DurationMS: 1200,
		Counts: record.ReportCounts{Cases: 2, Executed: 2, Passed: 2}, End: &record.ReportEnd{Code: &zero}}
}

func red(name string) record.ReportCheck {
	c := passed(name)
	c.Outcome, c.Reasons, c.Counts.Passed, c.Counts.Failed = "failed", []string{"tests_failed"}, 1, 1
	return c
}

// At every width each check has its one line, what is typed does not garble it, and the end shows all in their order.
func TestLiveScreen(t *testing.T) {
	for _, columns := range []int{60, 80, 120} {
		s := &screen{columns: columns}
		s.Write([]byte("$ factgate verify\n"))
		l := still(s, 24, "web", "api", "e2e")
		l.Start("web", "go")
		l.Start("api", "pytest")
		l.redraw("", true)
		l.Cases("api", 41)
		l.End(red("web"))
		s.Write([]byte("^C"))
		l.Note("stopping")
		l.redraw("", true)
		want := "$ factgate verify\n" + fit("failed    web  go        tests_failed: 1 failed, 1 passed  1.2s  01M8QHQ3CAMNJ08GGB11TDEHQJ", columns-1) +
			"\n⠋         api  pytest    0.0s  41 cases so far\n·         e2e\n1 of 3 checks done, 1 not passed, stopping"
		if columns < 90 {
			want = strings.Replace(want, fit("failed    web  go        tests_failed: 1 failed, 1 passed  1.2s  01M8QHQ3CAMNJ08GGB11TDEHQJ", columns-1),
				fit("failed    web  go        tests_failed: 1 failed, 1 passed  1.2s", columns-1), 1)
		}
		if got := s.String(); got != want {
			t.Errorf("%d columns: got\n%s\nwant\n%s", columns, got, want)
		}
		l.Output(func(w io.Writer) { fmt.Fprintln(w, "api | a line of its own") })
		l.End(passed("api"))
		l.End(passed("e2e"))
		l.redraw("", true)
		l.Close()
		lines := strings.Split(s.String(), "\n")
		if lines[1] != "api | a line of its own" || !strings.HasPrefix(lines[2], "failed    web") || strings.Contains(s.String(), "of 3 checks") {
			t.Errorf("%d columns: at the end\n%s", columns, s)
		}
	}
}

// Where there are more checks than lines, those that run and those that did not pass are shown, and the rest is counted.
func TestLiveScreenThatIsFull(t *testing.T) {
	s := &screen{columns: 80}
	var names []string
	for i := range 30 {
		names = append(names, fmt.Sprintf("c%d", i))
	}
	l := still(s, 8, names...)
	for i := range 12 {
		l.Start(names[i], "go")
	}
	for i := range 10 {
		if l.End(passed(names[i])); i == 3 {
			l.End(red(names[i]))
		}
	}
	l.redraw("", true)
	want := "failed    c3   go        tests_failed: 1 failed, 1 passed  1.2s\n⠋         c10  go        0.0s\n⠋         c11  go        0.0s\n10 of 30 checks done, 1 not passed"
	if got := s.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A terminal that becomes narrower wraps what is there; the next drawing takes all of it away.
	narrow := &screen{columns: 20}
	narrow.Write([]byte(s.String() + "\n"))
	l.w, l.size = narrow, func() (int, int) { return 20, 8 }
	l.redraw("", true)
	if got := narrow.String(); strings.Count(got, "c3") != 1 || strings.Count(got, "checks") != 1 {
		t.Errorf("narrow: got\n%s", got)
	}
}
