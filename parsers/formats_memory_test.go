package parsers

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"factgate/facts"
)

// mass gives a head, then units until their bytes reach left, then a tail, and notes the most memory in use.
type mass struct {
	unit       func(i int) string
	rest, tail string
	i, left    int
	look       int // the memory is looked at when left is below it
	peak       uint64
}

func (e *mass) Read(p []byte) (int, error) {
	if e.left < e.look {
		e.look = e.left - 1<<20
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		e.peak = max(e.peak, m.HeapAlloc)
	}
	n := 0
	for n < len(p) {
		if e.rest == "" && e.left > 0 {
			e.rest = e.unit(e.i)
			e.i++
		} else if e.rest == "" {
			e.rest, e.tail = e.tail, ""
			if e.rest == "" {
				return n, io.EOF
			}
		}
		k := copy(p[n:], e.rest)
		e.rest = e.rest[k:]
		n += k
		e.left -= k
	}
	return n, nil
}

// TestFormatsMemory: a long file takes no more memory than the cases that are kept.
func TestFormatsMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads many megabytes")
	}
	const mb = 1 << 20
	lim := standard()
	lim.cases, lim.bad, lim.identity, lim.texts, lim.outside, lim.prints = 1000, 100, mb, mb, 20, 1000
	long := strings.Repeat("0123456789abcdef", 100)
	text := func(format string) func(i int) string {
		return func(i int) string { return strings.NewReplacer("@", fmt.Sprint(i), "LONG", long).Replace(format) }
	}
	for _, c := range []struct {
		name, head string
		unit       func(i int) string
		tail       string
		parse      func(io.Reader, limits) (facts.Results, error)
	}{
		{"ctrf", `{"results":{"tests":[`, text(`{"name":"t@","status":"failed","message":"m","trace":"LONG","stdout":["LONG"],"extra":{"a":["LONG"]}},`), `{}]}}`, ctrf},
		{"ctrf statuses", `{"results":{"tests":[`, text(`{"name":"t@","status":"s@LONG"},`), `{}]}}`, ctrf},
		{"cucumber", "", text(`{"pickle":{"id":"p@","uri":"a","name":"n@","steps":[{"id":"1","text":"LONG"}]}}` + "\n" + `{"testCase":{"id":"c@","pickleId":"p@","testSteps":[{"id":"s","pickleStepId":"1"}]}}` + "\n" +
			`{"testCaseStarted":{"id":"x@","testCaseId":"c@"}}` + "\n" + `{"testStepFinished":{"testCaseStartedId":"x@","testStepId":"s","testStepResult":{"status":"FAILED","message":"LONG"}}}` + "\n" + `{"testCaseFinished":{"testCaseStartedId":"x@"}}` + "\n"), "", cucumber},
		{"cucumber pickles", "", text(`{"pickle":{"id":"p@","uri":"a","name":"n@","steps":[{"id":"1","text":"LONG"}]}}` + "\n"), "", cucumber},
		{"cucumber not ended", `{"pickle":{"id":"p"}}` + "\n" + `{"testCase":{"id":"c","pickleId":"p"}}` + "\n", text(`{"testCaseStarted":{"id":"x@","testCaseId":"c"}}` + "\n" + `{"testStepFinished":{"testCaseStartedId":"x@","testStepId":"s","testStepResult":{"status":"FAILED","message":"LONG"}}}` + "\n"), "", cucumber},
		{"dart", "", text(`{"type":"testStart","test":{"id":@,"name":"t@"}}` + "\n" + `{"type":"error","testID":@,"error":"LONG","stackTrace":"LONG"}` + "\n" + `{"type":"testDone","testID":@,"result":"failure"}` + "\n"), "", dartJSON},
		{"dart not ended", "", text(`{"type":"testStart","test":{"id":@,"name":"t@"}}` + "\n" + `{"type":"error","testID":@,"error":"LONG","stackTrace":"LONG"}` + "\n"), "", dartJSON},
		{"libtest", "", text(`{"type":"test","event":"started","name":"t@"}` + "\n" + `{"type":"test","event":"failed","name":"t@","stdout":"LONG"}` + "\n"), "", libtestJSON},
		{"libtest not ended", "", text(`{"type":"test","event":"started","name":"t@LONG"}` + "\n"), "", libtestJSON},
		{"mocha", `{"tests":[`, text(`{"title":"t@","fullTitle":"LONG","err":{"message":"m","stack":"LONG"}},`), `{}]}`, mochaJSON},
		{"playwright", `{"suites":[{"specs":[`, text(`{"title":"t@","tests":[{"status":"unexpected","results":[{"status":"failed","errors":[{"message":"m","stack":"LONG"}],"stdout":[{"text":"LONG"}]}]}]},`), `{}]}]}`, playwrightJSON},
		{"playwright errors", `{"errors":[`, text(`{"message":"LONG","stack":"LONG"},`), `{}]}`, playwrightJSON},
		{"reportlog", "", text(`{"$report_type":"TestReport","nodeid":"t@","when":"call","outcome":"failed","longrepr":"LONG","sections":[["a","LONG"]]}` + "\n" + `{"$report_type":"TestReport","nodeid":"t@","when":"teardown","outcome":"passed"}` + "\n"), "", reportLog},
		{"reportlog not ended", "", text(`{"$report_type":"TestReport","nodeid":"t@","when":"call","outcome":"failed","longrepr":"LONG"}` + "\n"), "", reportLog},
		{"rspec", `{"examples":[`, text(`{"description":"t@","status":"failed","exception":{"message":"m","backtrace":["LONG","LONG"]}},`), `{}]}`, rspecJSON},
		{"rspec messages", `{"messages":[`, text(`"An error occurred LONG",`), `""]}`, rspecJSON},
		{"tap", "1..9\n", text("not ok @ - t@\n  ---\n  message: m\n  stack: |-\n    LONG\n  ...\n# LONG\n"), "", tap},
		{"tap subtests", "1..9\n", text("# Subtest: t@\n    ok 1 - a\n    1..1\nok @ - t@\n"), "", tap},
		{"tap text", "1..9\nnot ok 1\n", text("LONG\n"), "", tap},
		{"vitest", `{"testResults":[`, text(`{"name":"f@","status":"failed","assertionResults":[{"title":"t@","status":"failed","failureMessages":["LONG"]}]},`), `{}]}`, vitestJSON},
	} {
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		in := &mass{unit: c.unit, rest: c.head, tail: c.tail, left: 8 * mb, look: 7 * mb}
		if _, err := c.parse(in, lim); err != nil {
			t.Fatal(err)
		}
		if in.i < 100 || in.left > 0 {
			t.Errorf("%s: it was not read to its end", c.name)
		}
		if used := int64(in.peak) - int64(before.HeapAlloc); used > 6*mb {
			t.Errorf("%s: %d bytes were in use", c.name, used)
		}
	}
}
