package parsers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"factgate/facts"
)

// wholeAt reports whether a document cut to n bytes is whole by its own format: nothing in it says that more was to
// come. That is so behind the end of a root, and between two packages of go test.
func wholeAt(format string, b []byte, n int) bool {
	head := bytes.TrimSpace(b[:n])
	switch format {
	case "junit":
		for _, end := range []string{"</testsuites>", "</testsuite>"} {
			if bytes.HasSuffix(head, []byte(end)) && depth(head) == 0 {
				return true
			}
		}
		return false
	case "nunit":
		return bytes.HasSuffix(head, []byte("</test-run>")) || bytes.HasSuffix(head, []byte("</test-results>"))
	case "trx":
		return bytes.HasSuffix(head, []byte("</TestRun>"))
	case "xunit":
		return bytes.HasSuffix(head, []byte("</assemblies>"))
	case "gotestjson":
		open := map[string]bool{}
		for line := range bytes.Lines(head) {
			var e struct{ Action, Package, Test string }
			if line = bytes.TrimSpace(line); !bytes.HasPrefix(line, []byte("{")) {
				continue // what a build or a program printed between the events
			}
			if json.Unmarshal(line, &e) != nil {
				return false
			}
			switch {
			case e.Package == "":
				continue
			case e.Test == "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip"):
				delete(open, e.Package)
			default:
				open[e.Package] = true
			}
		}
		return len(open) == 0
	case "tap":
		points, plan := 0, -1
		for line := range bytes.Lines(b[:n]) {
			line = bytes.TrimRight(line, " \r\n\t")
			if m := tapWords().plan.FindSubmatch(line); m != nil {
				plan = digits(m[1])
			}
			if tapWords().point.Match(line) {
				points++
			}
		}
		return plan >= 0 && points >= plan
	case "cucumber":
		return endsWithLine(head, `"testRunFinished"`)
	case "dartjson":
		return endsWithLine(head, `"done"`)
	case "reportlog":
		return endsWithLine(head, `"SessionFinish"`)
	case "libtestjson":
		started, ended := 0, 0
		for line := range bytes.Lines(head) {
			var e libtestEvent
			switch {
			case json.Unmarshal(line, &e) != nil:
				return false
			case e.Type == "suite" && e.Event == "started":
				started++
			case e.Type == "suite":
				ended++
			}
		}
		return started == ended
	case "probe":
		return endsWithLine(head, `"end"`)
	default:
		return json.Valid(head)
	}
}

// endsWithLine reports whether the last line is whole and holds a word.
func endsWithLine(b []byte, word string) bool {
	i := bytes.LastIndexByte(b, '\n')
	return bytes.Contains(b[i+1:], []byte(word)) && json.Valid(b[i+1:])
}

func depth(b []byte) int {
	return bytes.Count(b, []byte("<testsuite")) - bytes.Count(b, []byte("</testsuite"))
}

// TestCutAnywhere: no captured document, red or green, cut before its end, is complete with passed cases only.
func TestCutAnywhere(t *testing.T) {
	for _, c := range captures(t) {
		t.Run(c.format+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			step := 1 // at every byte of the short ones
			if len(c.bytes) > 1600 {
				step = 1 + len(c.bytes)/250
			}
			cuts := 0
			for n := 0; n < len(bytes.TrimSpace(c.bytes)); n += step {
				if wholeAt(c.format, c.bytes, n) {
					continue
				}
				cuts++
				r := parse(t, c.format, c.bytes[:n])
				if green(r) {
					t.Fatalf("cut at byte %d of %d: complete and nothing failed: %+v", n, len(c.bytes), r.Counts)
				}
				if r.Complete && c.format != "gotestjson" && c.format != "libtestjson" {
					t.Fatalf("cut at byte %d of %d: complete", n, len(c.bytes))
				}
			}
			if cuts == 0 {
				t.Fatal("nothing was cut")
			}
		})
	}
}

// TestOneByteReader: how the bytes arrive changes nothing.
func TestOneByteReader(t *testing.T) {
	for _, c := range captures(t) {
		p, _ := Lookup(c.format)
		a, err := p(iotest.OneByteReader(bytes.NewReader(c.bytes)))
		if err != nil {
			t.Fatal(err)
		}
		b := parse(t, c.format, c.bytes)
		x, _ := json.Marshal(a)
		y, _ := json.Marshal(b)
		if !bytes.Equal(x, y) {
			t.Errorf("%s/%s: read byte by byte it differs", c.format, c.name)
		}
	}
}

// TestReadError: only a reader that fails is an error, and then nothing is said of the content.
func TestReadError(t *testing.T) {
	broken := errors.New("disk gone")
	for _, c := range captures(t) {
		p, _ := Lookup(c.format)
		for _, n := range []int{0, 1, len(c.bytes) / 2, len(c.bytes)} {
			r, err := p(io.MultiReader(bytes.NewReader(c.bytes[:n]), iotest.ErrReader(broken)))
			if !errors.Is(err, broken) || len(r.Cases) > 0 {
				t.Errorf("%s/%s after %d bytes: %v, %d cases", c.format, c.name, n, err, len(r.Cases))
			}
		}
	}
}

// TestForeign: what is not of the format is blocking and malformed, never a document without tests.
func TestForeign(t *testing.T) {
	for _, text := range []string{
		"", " \n\t", "hello", "<html><body>502 Bad Gateway</body></html>", "<coverage line-rate=\"1\"/>", "<?xml version=\"1.0\"?>", "{}", "[]", "null",
		"{\"a\":1}\n", "<failsafe-summary><completed>3</completed></failsafe-summary>", "\x00\x00\x00", "\xff\xfe", "PK\x03\x04", "\x1f\x8b", "<", "{", "\"",
	} {
		for _, format := range Formats() {
			r := parse(t, format, []byte(text))
			blocking := 0
			for _, p := range r.Problems {
				if p.Weight.Blocking() {
					blocking++
				}
			}
			if blocking == 0 || r.Complete || r.Counts.Cases > 0 {
				t.Errorf("%s of %q: %+v, complete %v, %v", format, text, r.Counts, r.Complete, r.Problems)
			}
		}
	}
	for _, c := range captures(t) {
		for _, format := range Formats() {
			tap := format == "tap" && bytes.Contains(c.bytes, []byte("\nok 1")) // the console of a TAP writer, kept in another format
			if r := parse(t, format, c.bytes); format != c.format && (r.Complete || green(r) || r.Counts.Cases > 0 && !tap) {
				t.Errorf("%s/%s read as %s: %+v, complete %v", c.format, c.name, format, r.Counts, r.Complete)
			}
		}
	}
}

// has reports whether a problem of that code is there, and with which weight.
func has(r facts.Results, code string) (facts.Weight, bool) {
	for _, p := range r.Problems {
		if p.Code == code {
			return p.Weight, true
		}
	}
	return 0, false
}

// numbered repeats a format with the numbers from 0.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// small is a set of caps that a test can reach.
func small() limits {
	l := standard()
	l.cases, l.bad, l.outside, l.failures, l.depth, l.attrs = 10, 5, 3, 3, 8, 5
	l.name, l.message, l.text, l.value, l.line, l.identity = 64, 100, 200, 400, 2000, 4000
	l.live, l.running = 1000, 5000
	return l
}

func TestCaps(t *testing.T) {
	many := func(s string, n int) string { // @ stands for a number of its own
		if !strings.Contains(s, "@") {
			return strings.Repeat(s, n)
		}
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(s, "@", strconv.Itoa(i)))
		}
		return b.String()
	}
	goTest := func(name, action string) string {
		return `{"Action":"run","Package":"p","Test":"` + name + `"}` + "\n" + `{"Action":"` + action + `","Package":"p","Test":"` + name + `"}` + "\n"
	}
	for _, c := range []struct {
		name, format, text, code string
		cases                    int
	}{
		{"passed", "junit", "<testsuite>" + many("<testcase name='a'/>", 50) + "</testsuite>", "too_large", 50},
		{"failed", "junit", "<testsuite>" + many("<testcase name='a'><failure/></testcase>", 50) + "</testsuite>", "too_large", 50},
		{"names", "junit", "<testsuite>" + many("<testcase name='"+many("n", 60)+"'/>", 8) + many("<testcase classname='"+many("n", 3000)+"' name='b'/>", 2) + "</testsuite>", "name_cut", 10},
		{"depth", "junit", many("<testsuite>", 50) + "<testcase name='a'><failure/></testcase>" + many("</testsuite>", 50), "too_deep", 0},
		{"attributes", "junit", "<testsuite><testcase name='a'" + many(" x='1'", 20) + "/></testsuite>", "too_many_attributes", 1},
		{"failures", "junit", "<testsuite><testcase name='a'>" + many("<failure>x</failure>", 20) + "</testcase></testsuite>", "failures_cut", 1},
		{"go cases", "gotestjson", many(goTest("T", "pass"), 50), "too_large", 50},
		{"go failures", "gotestjson", many(goTest("T", "fail"), 50), "too_large", 50},
		{"go line", "gotestjson", `{"Action":"output","Package":"p",` + many(`"x":"y",`, 1000) + `"Output":"z"}` + "\n", "line_too_long", 0},
		{"go output", "gotestjson", `{"Action":"output","Package":"p","Output":"` + many("z", 9000) + `"}` + "\n", "texts_cut", 0},
		{"go builds", "gotestjson", many(`{"Action":"fail","Package":"p","FailedBuild":"x"}`+"\n", 9), "too_many_outside", 0},
		{"go tests at once", "gotestjson", numbered(`{"Action":"run","Package":"p","Test":"T%d"}`+"\n", 50), "too_large", 15},
		{"go packages at once", "gotestjson", numbered(`{"Action":"start","Package":"p%d"}`+"\n", 50), "too_large", 0},
		{"go slashes", "gotestjson", goTest("T"+many("/", 300), "pass") + many(`{"Action":"wobble","Package":"p"}`, 1), "name_cut", 1},
		{"go output at once", "gotestjson", numbered(`{"Action":"run","Package":"p","Test":"T%d"}`+"\n"+`{"Action":"output","Package":"p","Test":"T%[1]d","Output":"`+many("z", 150)+`"}`+"\n", 12), "texts_cut", 12},
		{"go failed builds", "gotestjson", numbered(`{"Action":"build-fail","ImportPath":"p%d"}`+"\n", 2000), "too_many_outside", 0},
		{"jest cases", "jestjson", `{"testResults":[{"name":"f","status":"passed","assertionResults":[` + many(`{"title":"t","status":"passed"},`, 49) + `{"title":"t","status":"passed"}]}]}`, "too_large", 50},
		{"nunit cases", "nunit", "<test-run>" + many("<test-case name='a' result='Passed'/>", 50) + "</test-run>", "too_large", 50},
		{"nunit failures", "nunit", "<test-run>" + many("<test-case name='a' result='Failed'/>", 50) + "</test-run>", "too_large", 50},
		{"nunit suites", "nunit", "<test-run>" + many("<test-suite name='a' result='Failed'/>", 50) + "</test-run>", "too_many_outside", 0},
		{"nunit depth", "nunit", "<test-run>" + many("<test-suite>", 50) + "<test-case name='a'/>" + many("</test-suite>", 50) + "</test-run>", "too_deep", 0},
		{"trx cases", "trx", "<TestRun><Results>" + many("<UnitTestResult testName='a' outcome='Passed'/>", 50) + "</Results></TestRun>", "too_large", 50},
		{"trx failures", "trx", "<TestRun><Results>" + many("<UnitTestResult testName='a' outcome='Failed'/>", 50) + "</Results></TestRun>", "too_large", 50},
		{"trx messages", "trx", "<TestRun><ResultSummary><RunInfos>" + many("<RunInfo outcome='Error'><Text>x</Text></RunInfo>", 50) + "</RunInfos></ResultSummary></TestRun>", "too_many_outside", 0},
		{"xunit cases", "xunit", "<assembly>" + many("<test name='a' result='Pass'/>", 50) + "</assembly>", "too_large", 50},
		{"xunit errors", "xunit", "<assembly><errors>" + many("<error name='a'/>", 50) + "</errors></assembly>", "too_many_outside", 0},
		{"xunit attributes", "xunit", "<assembly><test name='a'" + many(" x='1'", 20) + "/></assembly>", "too_many_attributes", 1},
		{"ctrf cases", "ctrf", `{"results":{"tests":[` + many(`{"name":"t","status":"passed"},`, 49) + `{"name":"t","status":"passed"}]}}`, "too_large", 50},
		{"ctrf failures", "ctrf", `{"results":{"tests":[` + many(`{"name":"t","status":"failed"},`, 49) + `{"name":"t","status":"failed"}]}}`, "too_large", 50},
		{"ctrf texts", "ctrf", `{"results":{"tests":[{"name":"t","status":"failed","trace":"` + many("x", 9000) + `"}]}}`, "texts_cut", 1},
		{"cucumber pickles", "cucumber", many(`{"pickle":{"id":"@"}}`+"\n", 50), "too_large", 0},
		{"cucumber parse errors", "cucumber", many(`{"parseError":{"message":"m"}}`+"\n", 50), "too_many_outside", 0},
		{"cucumber line", "cucumber", `{"testStepFinished":{` + many(`"x":"y",`, 1000) + `"z":1}}` + "\n", "line_too_long", 0},
		{"cucumber document", "cucumber", `{"gherkinDocument":{` + many(`"x":"y",`, 1000) + `"z":1}}` + "\n", "line_left_out", 0},
		{"dart cases", "dartjson", many(`{"type":"testStart","test":{"id":1,"name":"t"}}`+"\n"+`{"type":"testDone","testID":1,"result":"success"}`+"\n", 50), "too_large", 50},
		{"dart tests", "dartjson", many(`{"type":"testStart","test":{"id":@,"name":"t"}}`+"\n", 50), "broken_line", 16},
		{"libtest cases", "libtestjson", many(`{"type":"test","event":"ok","name":"t"}`+"\n", 50), "too_large", 50},
		{"libtest not ended", "libtestjson", many(`{"type":"test","event":"started","name":"@"}`+"\n", 50), "broken_line", 5},
		{"mocha cases", "mochajson", `{"tests":[` + many(`{"title":"t"},`, 49) + `{"title":"t"}],"passes":[` + many(`{"title":"t","duration":1},`, 49) + `{"title":"t","duration":1}]}`, "too_large", 50},
		{"mocha hooks", "mochajson", `{"failures":[` + many(`{"title":"t"},`, 49) + `{"title":"t"}]}`, "too_many_outside", 0},
		{"playwright cases", "playwrightjson", `{"suites":[{"specs":[` + many(`{"title":"t","tests":[{"status":"flaky"}]},`, 49) + `{"title":"t"}]}]}`, "too_large", 49},
		{"playwright tests", "playwrightjson", `{"suites":[{"specs":[{"title":"t","tests":[` + many(`{"status":"flaky"},`, 49) + `{"status":"flaky"}]}]}]}`, "too_large", 50},
		{"playwright errors", "playwrightjson", `{"errors":[` + many(`{"message":"m"},`, 49) + `{"message":"m"}]}`, "too_many_outside", 0},
		{"reportlog cases", "reportlog", many(`{"$report_type":"TestReport","nodeid":"t","when":"call","outcome":"passed"}`+"\n"+`{"$report_type":"TestReport","nodeid":"t","when":"teardown","outcome":"passed"}`+"\n", 50), "too_large", 50},
		{"reportlog not ended", "reportlog", many(`{"$report_type":"TestReport","nodeid":"@","when":"call","outcome":"passed"}`+"\n", 50), "broken_line", 5},
		{"reportlog collection", "reportlog", many(`{"$report_type":"CollectReport","nodeid":"t","outcome":"failed"}`+"\n", 50), "too_many_outside", 0},
		{"rspec cases", "rspecjson", `{"examples":[` + many(`{"status":"passed"},`, 49) + `{"status":"passed"}]}`, "too_large", 50},
		{"rspec messages", "rspecjson", `{"messages":[` + many(`"An error occurred",`, 49) + `"An error occurred"]}`, "too_many_outside", 0},
		{"tap line", "tap", "1..1\nok " + many("a ", 5000) + "# SKIP\n", "line_too_long", 1},
		{"tap cases", "tap", many("ok\n", 50), "too_large", 50},
		{"tap failures", "tap", many("not ok\n", 50), "too_large", 50},
		{"tap depth", "tap", func() (s string) {
			for i := range 50 {
				s += many("    ", i) + "# Subtest: a\n"
			}
			return s + many("    ", 50) + "ok\n"
		}(), "too_deep", 1},
		{"vitest cases", "vitestjson", `{"testResults":[{"name":"f","status":"passed","assertionResults":[` + many(`{"title":"t","status":"passed"},`, 49) + `{"title":"t","status":"passed"}]}]}`, "too_large", 50},
		{"probe cases", "probe", many(`{"e":"case","id":"a","status":"passed"}`+"\n", 50), "too_large", 50},
		{"probe problems", "probe", many(`{"e":"problem","code":"a","detail":"b","weight":"note"}`+"\n", 200), "too_many_problems", 0},
	} {
		var r facts.Results
		var err error
		in := strings.NewReader(c.text)
		switch c.format {
		case "ctrf":
			r, err = ctrf(in, small())
		case "cucumber":
			r, err = cucumber(in, small())
		case "dartjson":
			r, err = dartJSON(in, small())
		case "libtestjson":
			r, err = libtestJSON(in, small())
		case "mochajson":
			r, err = mochaJSON(in, small())
		case "playwrightjson":
			r, err = playwrightJSON(in, small())
		case "reportlog":
			r, err = reportLog(in, small())
		case "rspecjson":
			r, err = rspecJSON(in, small())
		case "tap":
			r, err = tap(in, small())
		case "vitestjson":
			r, err = vitestJSON(in, small())
		case "junit":
			r, err = junit(in, small())
		case "gotestjson":
			r, err = goTestJSON(in, small())
		case "jestjson":
			r, err = jestJSON(in, small())
		case "nunit":
			r, err = nunit(in, small())
		case "trx":
			r, err = trx(in, small())
		case "xunit":
			r, err = xunit(in, small())
		case "probe":
			var s Stream
			s, err = probe(in, small())
			r = s.Results
		}
		if _, ok := has(r, c.code); err != nil || !ok || r.Counts.Cases != c.cases {
			t.Errorf("%s: %d cases, %v, %v", c.name, r.Counts.Cases, r.Problems, err)
		}
		if len(r.Cases) > 15 {
			t.Errorf("%s: %d cases were kept", c.name, len(r.Cases))
		}
	}
}

func TestInputLimit(t *testing.T) {
	l := standard()
	l.input = 30
	r, err := junit(strings.NewReader("<testsuite><testcase name='a'/></testsuite>"), l)
	if w, ok := has(r, "too_large"); err != nil || !ok || !w.Blocking() || green(r) {
		t.Errorf("%v %v", r.Problems, err)
	}
}

// TestManyCases: 100,000 cases of a usual kind fit below the caps.
func TestManyCases(t *testing.T) {
	var b strings.Builder
	b.WriteString("<testsuites><testsuite name='s' tests='100000'>")
	for i := range 100_000 {
		b.WriteString("<testcase classname='com.example.project.module.SomeClassTest' name='test_something_with_a_long_name_")
		b.WriteString(strings.Repeat("x", i%7))
		b.WriteString(string(rune('a'+i%26)) + "' time='0.001'/>")
	}
	b.WriteString("</testsuite></testsuites>")
	if r := parse(t, "junit", []byte(b.String())); !green(r) || len(r.Cases) != 100_000 || r.Counts.Passed != 100_000 {
		t.Errorf("%d cases, %v", len(r.Cases), r.Problems)
	}
}
