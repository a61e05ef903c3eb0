// Package madeup writes results streams of any length that look like what test programs write, for measurements and for
// tests that hold two readers against each other. The same seed gives the same bytes.
package madeup

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"
)

// goEvent is a line of `go test -json`, with the fields in the order of cmd/test2json.
type goEvent struct {
	ImportPath  string `json:",omitempty"`
	Time        *time.Time
	Action      string
	Package     string   `json:",omitempty"`
	Test        string   `json:",omitempty"`
	Elapsed     *float64 `json:",omitempty"`
	Output      string   `json:",omitempty"`
	FailedBuild string   `json:",omitempty"`
	Key         string   `json:",omitempty"`
	Value       string   `json:",omitempty"`
}

// GoTest writes what `go test -json ./...` writes for a module with several packages at once: tests with and without
// output, subtests, skips, failures, a panic, a package that does not compile, some without tests and some from the
// cache. It stops to start tests once that many events are written, and gives how many there were.
func GoTest(w io.Writer, seed uint64, events int) (int, error) {
	b := bufio.NewWriterSize(w, 1<<20)
	s := &goWriter{
		random: rand.New(rand.NewPCG(seed, 1)), to: json.NewEncoder(b), limit: events,
		clock: time.Date(2026, 11, 30, 23, 55, 29, 909785749, time.UTC),
	}
	var open []*goBinary
	for s.err == nil {
		for len(open) < 4 && s.written < s.limit {
			open = append(open, s.start())
		}
		if len(open) == 0 {
			break
		}
		i := s.random.IntN(len(open))
		if p := open[i]; !s.step(p) {
			open = append(open[:i], open[i+1:]...)
		}
	}
	if s.err == nil {
		s.err = b.Flush()
	}
	return s.written, s.err
}

// goWriter is the stream while it is written.
type goWriter struct {
	random   *rand.Rand
	to       *json.Encoder
	clock    time.Time
	limit    int
	written  int
	packages int
	err      error
}

// goBinary is the test binary of one package while it runs: events that are due, and what comes then.
type goBinary struct {
	name  string
	due   []goEvent
	tests int // still to be started
	count int
	bad   bool
	ended bool
}

func (s *goWriter) write(e goEvent) {
	s.clock = s.clock.Add(time.Duration(1 + s.random.IntN(90_000)))
	now := s.clock
	e.Time = &now
	if e.ImportPath != "" {
		e.Time = nil
	}
	s.err = s.to.Encode(e)
	s.written++
}

// step writes the next event of a package, and is false behind the last.
func (s *goWriter) step(p *goBinary) bool {
	if len(p.due) == 0 {
		switch {
		case p.ended:
			return false
		case p.tests > 0 && s.written < s.limit:
			p.tests--
			p.count++
			s.test(p, fmt.Sprintf("Test%s%d", words[s.random.IntN(len(words))], p.count), 0)
		default:
			s.end(p)
		}
	}
	if len(p.due) == 0 {
		return false
	}
	s.write(p.due[0])
	p.due = p.due[1:]
	return s.err == nil
}

var words = []string{"Add", "ParseHeader", "RoundTrip", "ServerHandlesEmptyBody", "Sort", "CacheEvictsOldest", "Retry", "TokenExpires"}

// start begins a package; one in ten has no tests to run.
func (s *goWriter) start() *goBinary {
	s.packages++
	p := &goBinary{name: fmt.Sprintf("example.com/made/up/%s%d", strings.ToLower(words[s.random.IntN(len(words))]), s.packages)}
	p.say("start", "")
	switch s.random.IntN(30) {
	case 0:
		p.due = nil
		build := p.name + " [" + p.name + ".test]"
		for _, line := range []string{"# " + build + "\n", "./made_test.go:7:2: undefined: nothing\n"} {
			p.due = append(p.due, goEvent{ImportPath: build, Action: "build-output", Output: line})
		}
		p.due = append(p.due, goEvent{ImportPath: build, Action: "build-fail"})
		p.say("start", "")
		p.print("", "FAIL\t"+p.name+" [build failed]\n")
		p.close("fail", "", 0)
		p.due[len(p.due)-1].FailedBuild = build
		p.ended = true
	case 1:
		p.print("", "?   \t"+p.name+"\t[no test files]\n")
		p.close("skip", "", 0)
		p.ended = true
	case 2:
		p.print("", "testing: warning: no tests to run\n")
		p.print("", "PASS\n")
		p.print("", "ok  \t"+p.name+"\t0.003s [no tests to run]\n")
		p.close("pass", "", 0.003)
		p.ended = true
	default:
		p.tests = 20 + s.random.IntN(1500)
	}
	return p
}

func (p *goBinary) say(action, test string) {
	p.due = append(p.due, goEvent{Action: action, Package: p.name, Test: test})
}

func (p *goBinary) print(test, text string) {
	p.due = append(p.due, goEvent{Action: "output", Package: p.name, Test: test, Output: text})
}

func (p *goBinary) close(action, test string, elapsed float64) {
	p.due = append(p.due, goEvent{Action: action, Package: p.name, Test: test, Elapsed: &elapsed})
}

// test puts the events of a test and of its subtests on the list, and reports whether it failed.
func (s *goWriter) test(p *goBinary, name string, depth int) (failed bool) {
	p.say("run", name)
	p.print(name, "=== RUN   "+name+"\n")
	if depth == 0 && s.random.IntN(10) == 0 {
		p.print(name, "=== PAUSE "+name+"\n")
		p.say("pause", name)
		p.say("cont", name)
		p.print(name, "=== CONT  "+name+"\n")
	}
	if s.random.IntN(200) == 0 {
		p.print(name, "=== ATTR  "+name+" owner team-a\n")
		p.due = append(p.due, goEvent{Action: "attr", Package: p.name, Test: name, Key: "owner", Value: "team-a"})
	}
	for range s.random.IntN(4) - 1 {
		p.print(name, fmt.Sprintf("    %s_test.go:%d: %s\n", strings.ToLower(words[s.random.IntN(len(words))]), 10+s.random.IntN(400), s.text()))
	}
	if depth < 2 && s.random.IntN(6) == 0 {
		for i := range 1 + s.random.IntN(6) {
			failed = s.test(p, fmt.Sprintf("%s/case_%02d", name, i), depth+1) || failed
		}
	}
	word := "pass"
	switch n := s.random.IntN(1000); {
	case failed || n < 5:
		p.print(name, fmt.Sprintf("    made_test.go:%d: got %d, want %d\n", 10+n, n, n+1))
		word, failed, p.bad = "fail", true, true
	case n < 25:
		p.print(name, "    made_test.go:12: needs a database\n")
		word = "skip"
	}
	took := float64(s.random.IntN(40)) / 100
	p.print(name, fmt.Sprintf("%s--- %s: %s (%.2fs)\n", strings.Repeat("    ", depth), strings.ToUpper(word), name, took))
	p.close(word, name, took)
	return failed
}

// text is what a test logs: mostly short, at times with signs that JSON escapes, seldom a long line.
func (s *goWriter) text() string {
	switch n := s.random.IntN(1500); {
	case n == 0:
		return strings.Repeat("0123456789abcdef", 64+s.random.IntN(3000))
	case n < 60:
		return `body = {"id": 7, "tags": ["<b>", "a & b"]}`
	case n < 120:
		return "größer als erwartet: 数 > 5 \x1b[31mred\x1b[0m\tdone"
	}
	return "request served in time, status is as it was wanted"[:20+s.random.IntN(30)]
}

// end puts the last events of a package on the list; one in twenty ends in a panic while a test runs.
func (s *goWriter) end(p *goBinary) {
	p.ended = true
	if s.random.IntN(20) == 0 {
		name := fmt.Sprintf("TestPanics%d", p.count)
		p.say("run", name)
		p.print(name, "=== RUN   "+name+"\n")
		p.print(name, "--- FAIL: "+name+" (0.00s)\n")
		p.print(name, "panic: assignment to entry in nil map [recovered]\n")
		p.print(name, "\tpanic: assignment to entry in nil map\n")
		p.print(name, "\n")
		p.print(name, "goroutine 7 [running]:\n")
		p.print(name, "\t/src/made/up/made_test.go:31 +0x2c\n")
		p.close("fail", name, 0)
		p.print("", "FAIL\t"+p.name+"\t0.412s\n")
		p.close("fail", "", 0.412)
		return
	}
	word := "pass"
	if p.bad {
		word = "fail"
		p.print("", "FAIL\n")
		p.print("", "FAIL\t"+p.name+"\t1.207s\n")
	} else {
		p.print("", "PASS\n")
		cached := ""
		if s.random.IntN(5) == 0 {
			cached = "(cached)"
		}
		p.print("", "ok  \t"+p.name+"\t"+cached+"\n")
	}
	p.close(word, "", 1.207)
}
