package shim

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"factgate/facts"
)

// Caps of what is kept of a test binary's output.
const (
	maxTextLine = 64 << 10
	maxBlock    = 16 << 10 // of one failing test
	maxBlocks   = 500
)

// tally counts tests by how they ended, as libtest does.
type tally struct{ passed, failed, ignored, measured int }

func (n tally) total() int { return n.passed + n.failed + n.ignored + n.measured }

func (n tally) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d ignored", n.passed, n.failed, n.ignored)
}

func (n *tally) add(s facts.Status) {
	switch s {
	case facts.Passed:
		n.passed++
	case facts.Failed:
		n.failed++
	case facts.Skipped:
		n.ignored++
	}
}

// libtestText reads what a libtest harness prints: its first line, the output of failing tests, its last line. It serves
// doctests too, whose harness runs more than once and keeps no usable log: there the lines of the tests are read as well.
type libtestText struct {
	json     bool
	doctests bool

	line    []byte
	running int    // tests announced; -1 when no line said so
	claims  tally  // of the result lines
	done    bool   // the last line that is not blank was a result line (of each harness, for doctests)
	current string // a test that was announced and not ended, which shows with one thread
	blocks  map[string]string
	block   string // name of the test whose output is being read
	failing bool   // behind the line "failures:"
	open    int    // harnesses announced and not ended
	entries []logEntry
}

func newLibtestText(args []string) *libtestText {
	format, _ := flagValue(args, "--format")
	return &libtestText{json: format == "json", running: -1, blocks: map[string]string{}}
}

// Write takes the next bytes. It never fails.
func (t *libtestText) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		part := b
		if i >= 0 {
			part = b[:i]
		}
		if room := maxTextLine - len(t.line); room > 0 {
			t.line = append(t.line, part[:min(room, len(part))]...)
		}
		if i < 0 {
			return n, nil
		}
		t.take(string(t.line))
		t.line = t.line[:0]
		b = b[i+1:]
	}
	return n, nil
}

// close takes a last line without a newline.
func (t *libtestText) close() {
	if len(t.line) > 0 {
		t.take(string(t.line))
		t.line = nil
	}
}

// lazily compiles an expression when it is asked for: most of these processes live for some milliseconds, and need none.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// matched is what a line that begins as said is found to hold, or nil.
func matched(line, begins string, expression func() *regexp.Regexp) []string {
	if !strings.HasPrefix(line, begins) {
		return nil
	}
	return expression().FindStringSubmatch(line)
}

var (
	runningLine = lazily(`^running (\d+) tests?(?: \(shuffle seed: \d+\))?$`)
	resultLine  = lazily(`^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; \d+ filtered out(?:; finished in .*)?$`)
	blockLine   = lazily(`^---- (.+) (?:stdout|stderr) ----$`)
	testLine    = lazily(`^test (.+?)( - should panic| - compile fail| - compile)? \.\.\. ?(.*)$`)
)

func (t *libtestText) take(line string) {
	line = strings.TrimSuffix(line, "\r")
	if t.json {
		t.takeJSON(line)
		return
	}
	blank := strings.TrimSpace(line) == ""
	if m := matched(line, "running ", runningLine); m != nil && (t.doctests && t.block == "" || t.running < 0) {
		n, err := strconv.Atoi(m[1])
		if err == nil {
			t.running = max(t.running, 0) + n
			t.open++
		}
	} else if m := matched(line, "test result: ", resultLine); m != nil && t.block == "" { // else a failing test printed it
		t.result(m)
		return
	} else if t.open > 0 || !t.doctests {
		t.body(line)
	}
	if !blank && !t.doctests {
		t.done = false // printed behind what looked like the end
	}
}

func (t *libtestText) result(m []string) {
	var v [4]int
	for i := range v {
		n, err := strconv.Atoi(m[i+1])
		if err != nil {
			return
		}
		v[i] = n
	}
	one := tally{v[0], v[1], v[2], v[3]}
	if t.doctests {
		t.claims = tally{t.claims.passed + one.passed, t.claims.failed + one.failed, t.claims.ignored + one.ignored, t.claims.measured + one.measured}
		t.open--
		t.done = t.open == 0
	} else {
		t.claims, t.done = one, true
	}
	t.block, t.failing = "", false
}

func (t *libtestText) body(line string) {
	if line == "failures:" || line == "successes:" {
		t.failing, t.block = true, ""
		return
	}
	if t.failing {
		if m := matched(line, "---- ", blockLine); m != nil {
			t.block = m[1]
			return
		}
		t.keep(line)
		return
	}
	if m := matched(line, "test ", testLine); m != nil {
		t.current = m[1]
		t.status(m[3])
		return
	}
	if t.current != "" {
		t.status(line)
	}
}

func (t *libtestText) keep(line string) {
	if t.block == "" {
		return
	}
	old, known := t.blocks[t.block]
	if !known && len(t.blocks) >= maxBlocks || len(old)+len(line) > maxBlock {
		return
	}
	t.blocks[t.block] = old + line + "\n"
}

// status takes the word behind a test's name. With one thread and no capture the test's own output may stand between.
func (t *libtestText) status(word string) {
	word, _, _ = strings.Cut(word, " <") // a time
	e := logEntry{name: t.current}
	switch {
	case word == "ok":
		e.status = facts.Passed
	case word == "FAILED" || strings.HasPrefix(word, "FAILED ("):
		e.status = facts.Failed
	case word == "ignored" || strings.HasPrefix(word, "ignored, "):
		e.status = facts.Skipped
		e.message = strings.TrimPrefix(strings.TrimPrefix(word, "ignored"), ", ")
	default:
		return
	}
	t.current = ""
	if t.doctests {
		t.entries = append(t.entries, e)
	}
}

// takeJSON reads --format json: the events of the suite.
func (t *libtestText) takeJSON(line string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	var e struct {
		Type, Event, Name, Stdout         string
		TestCount                         *int `json:"test_count"`
		Passed, Failed, Ignored, Measured int
	}
	t.done = false
	if json.Unmarshal([]byte(line), &e) != nil {
		return
	}
	switch {
	case e.Type == "suite" && e.Event == "started" && e.TestCount != nil && t.running < 0:
		t.running = *e.TestCount
	case e.Type == "suite" && (e.Event == "ok" || e.Event == "failed"):
		t.claims, t.done = tally{e.Passed, e.Failed, e.Ignored, e.Measured}, true
	case e.Type == "test" && e.Event == "failed" && len(t.blocks) < maxBlocks:
		t.blocks[e.Name] = e.Stdout[:min(len(e.Stdout), maxBlock)]
	}
}

// logEntry is how one test ended.
type logEntry struct {
	name    string
	status  facts.Status
	message string
}

// logReader reads a log of libtest: "ok NAME", "failed NAME", "failed: MESSAGE NAME", "ignored NAME", "ignored: REASON NAME",
// each perhaps with a time " <0.001s>" behind. A message may have several lines. Names of unit tests hold no spaces; those
// of doctests do, and have no message.
type logReader struct {
	r    *bufio.Reader
	held string
	eof  bool
}

func newLogReader(r *bufio.Reader) *logReader { return &logReader{r: r} }

var logHeads = []string{"ok ", "failed ", "failed: ", "ignored ", "ignored: ", "bench: "}

func isLogHead(line string) bool {
	return slices.ContainsFunc(logHeads, func(h string) bool { return strings.HasPrefix(line, h) })
}

// next returns io.EOF behind the last entry.
func (l *logReader) next() (logEntry, error) {
	text := l.held
	l.held = ""
	for {
		line, err := l.line()
		if err == io.EOF {
			if text == "" {
				return logEntry{}, io.EOF
			}
			return parseLogEntry(text), nil
		}
		if err != nil {
			return logEntry{}, err
		}
		switch {
		case text == "":
			text = line
		case isLogHead(line):
			l.held = line
			return parseLogEntry(text), nil
		case len(text) < maxTextLine:
			text += "\n" + line
		}
	}
}

func (l *logReader) line() (string, error) {
	if l.eof {
		return "", io.EOF
	}
	line, err := l.r.ReadString('\n')
	if err == io.EOF {
		l.eof = true
		if line == "" {
			return "", io.EOF
		}
		err = nil
	}
	return strings.TrimSuffix(line, "\n"), err
}

var logTime = lazily(` <[0-9.]+s>$`)

func parseLogEntry(text string) logEntry {
	if strings.HasSuffix(text, "s>") {
		text = logTime().ReplaceAllString(text, "")
	}
	for head, status := range map[string]facts.Status{"ok ": facts.Passed, "failed ": facts.Failed, "ignored ": facts.Skipped} {
		if name, ok := strings.CutPrefix(text, head); ok {
			if head == "failed " && strings.HasPrefix(name, "(time limit exceeded) ") {
				return logEntry{name: strings.TrimPrefix(name, "(time limit exceeded) "), status: status, message: "time limit exceeded"}
			}
			return logEntry{name: name, status: status}
		}
	}
	e := logEntry{name: text}
	head, rest, ok := strings.Cut(text, ": ")
	switch {
	case ok && head == "failed":
		e.status = facts.Failed
	case ok && head == "ignored":
		e.status = facts.Skipped
	default:
		return logEntry{name: text, message: text} // not a line of libtest that we know
	}
	i := strings.LastIndexAny(rest, " \n")
	e.name, e.message = rest[i+1:], strings.TrimRight(rest[:max(i, 0)], " \n")
	return e
}

var (
	panicLine = lazily(`(?m)^thread '.*?'(?: \(\d+\))? panicked at (.+?):(\d+):(\d+):\n`)
	atLine    = lazily(` at (\S+\.rs):(\d+):\d+$`)
	backtrace = lazily(`(?m)^stack backtrace:\n(?: +(?:\d+: |at ).*(?:\n|\z))+(?:note: Some details are omitted.*(?:\n|\z))?`)
	arrowLine = lazily(`(?m)^ +--> (.+?):(\d+):\d+$`)
)

// parseBlock finds message and place in the output of a failing test; note is what the log says beside it.
func parseBlock(block, note string) failureEvent {
	f := failureEvent{Message: firstLine(note), Text: strings.Trim(withoutBacktrace(block), "\n")}
	if m := panicLine().FindStringSubmatchIndex(block); m != nil {
		f.Type = "panic"
		f.File, f.Line, f.column = block[m[2]:m[3]], atoi(block[m[4]:m[5]]), atoi(block[m[6]:m[7]])
		if f.Message == "" {
			f.Message = panicMessage(block[m[1]:])
		}
		return f
	}
	if m := atLine().FindStringSubmatch(f.Message); m != nil {
		f.File, f.Line = m[1], atoi(m[2])
	} else if m := arrowLine().FindStringSubmatch(block); m != nil { // a doctest that does not compile
		f.Type, f.File, f.Line = "compile", m[1], atoi(m[2])
	}
	if f.Message == "" {
		f.Message = firstLine(f.Text)
	}
	if f.Message == "" {
		f.Message = "failed"
	}
	return f
}

// withoutBacktrace leaves out the stack that RUST_BACKTRACE asks for: where a test panicked is said before it.
func withoutBacktrace(block string) string {
	if !strings.Contains(block, "stack backtrace:") {
		return block
	}
	return backtrace().ReplaceAllString(block, "")
}

// panicMessage is the message up to the backtrace, on one line where it is short.
func panicMessage(s string) string {
	var lines []string
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if line == "" || line == "stack backtrace:" || strings.HasPrefix(line, "note: ") || len(lines) == 6 {
			break
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ")
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimLeft(s, "\n"), "\n")
	return strings.TrimSpace(s)
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
