package parsers

import (
	"bytes"
	"io"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"

	"factgate/facts"
)

// seeds are small documents of a format; captured files are added where they are short.
func seeds(f *testing.F, format string, more ...string) {
	for _, c := range captures(f) {
		if c.format == format && len(c.bytes) < 3000 {
			f.Add(c.bytes, uint16(len(c.bytes)/2))
		}
	}
	for _, s := range more {
		f.Add([]byte(s), uint16(len(s)/2))
		f.Add(packed([]byte(s)), uint16(9))
		if wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(s); err == nil {
			f.Add([]byte(wide), uint16(len(wide)-2))
		}
	}
}

// laws are what holds for any bytes: no panic, counts that follow from the cases, text that is valid, and nothing
// complete and green when the end is missing. The cut is made inside the last bytes that are not space, since only a
// whole document ends there.
func laws(t *testing.T, format string, b []byte, cut uint16) {
	t.Helper()
	r := parse(t, format, b)
	if n := facts.Count(r.Cases); n != r.Counts && len(r.Cases) < standard().bad {
		t.Fatalf("counts %+v, cases %+v", r.Counts, n)
	}
	for _, c := range r.Cases {
		bad := c.Status == facts.Failed || c.Status == facts.Errored
		if bad && len(c.Failures) == 0 {
			t.Fatalf("case %q is %s without a failure", c.ID, c.Status)
		}
		for _, s := range []string{c.ID, c.Name, c.Suite, c.File, c.Reason} {
			if !utf8.ValidString(s) {
				t.Fatalf("invalid text %q", s)
			}
		}
		for _, x := range c.Failures {
			if !utf8.ValidString(x.Message) || !utf8.ValidString(x.Text) {
				t.Fatalf("invalid text %q %q", x.Message, x.Text)
			}
		}
	}
	for _, p := range r.Problems {
		if !utf8.ValidString(p.Detail) {
			t.Fatalf("invalid text %q", p.Detail)
		}
	}
	if !r.Complete && green(r) {
		t.Fatal("incomplete and green")
	}
	whole := bytes.TrimSpace(b)
	if len(whole) == 0 {
		return
	}
	n := int(cut) % len(whole)
	if r := parse(t, format, whole[:n]); green(r) && !ends(format, whole[:n]) {
		t.Fatalf("cut at byte %d: complete and green: %+v", n, r.Counts)
	}
}

// ends reports whether bytes could be a whole document of the format: a cut may leave one.
func ends(format string, b []byte) bool {
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return false
	}
	switch format {
	case "junit", "nunit", "trx", "xunit":
		// Whatever follows the last tag is text around the document; markup that was cut is never whole.
		return bytes.LastIndexByte(b, '>') > bytes.LastIndexByte(b, '<') || !isPlainUTF8(b)
	case "probe":
	default:
		b, _ = io.ReadAll(plainText(newSource(bytes.NewReader(b), 1<<30), newCollector(standard()))) // what is broken in it is a problem
	}
	return wholeAt(format, b, len(b))
}

// isPlainUTF8 reports whether markup in b is written in ASCII bytes, so that they can be looked for.
func isPlainUTF8(b []byte) bool {
	e, _, _ := charset(b)
	return e == nil && !bytes.HasPrefix(b, []byte{0x1f, 0x8b})
}

func FuzzJUnit(f *testing.F) {
	seeds(f, "junit", `<testsuites><testsuite name="s" tests="2" failures="1"><testcase classname="c" name="a" time="0.1"/><testcase name="b" status="run"><failure message="m&#10;n" type="T"><![CDATA[x]]>t.py:3: E</failure></testcase></testsuite></testsuites>`,
		`<?xml version="1.0" encoding="ISO-8859-1"?><!DOCTYPE a [<!ENTITY b "c">]><testsuite><testcase name="a"><skipped/><rerunFailure/><flakyError/></testcase><failure/></testsuite>x`)
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) { laws(t, "junit", b, cut) })
}

func FuzzGoTestJSON(f *testing.F) {
	seeds(f, "gotestjson", goLines("start", "run A", "run A/b", `output A/b:    a_test.go:3: x\n`, "fail A/b", "fail A", `output :FAIL\n`, "fail"),
		goLines("start", "run A", "pass A", `output :PASS\n`, `output :ok  \tp\t(cached)\n`, "pass"))
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) { laws(t, "gotestjson", b, cut) })
}

func FuzzJestJSON(f *testing.F) {
	seeds(f, "jestjson", `{"numTotalTests":1,"success":true,"testResults":[{"name":"a","status":"passed","assertionResults":[{"title":"t","status":"passed","ancestorTitles":["d"]}]}]}`)
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) { laws(t, "jestjson", b, cut) })
}

func FuzzProbe(f *testing.F) {
	seeds(f, "probe", probeStart+`{"e":"case","id":"a","name":"a","status":"failed","failures":[{"message":"m"}]}`+"\n"+`{"e":"claims","tests":1}`+"\n"+`{"e":"end","status":1}`+"\n")
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) { laws(t, "probe", b, cut) })
}

func FuzzNUnit(f *testing.F) {
	seeds(f, "nunit", `<test-run total="2" failed="1"><test-suite name="s" result="Failed" site="SetUp"><failure><message>m</message></failure><test-case fullname="a.b" result="Failed" label="Error"><failure><message><![CDATA[x]]></message><stack-trace>y</stack-trace></failure><assertions><assertion result="Failed"><message>z</message></assertion></assertions></test-case></test-suite></test-run>`,
		`<test-results total="1" not-run="1"><test-suite type="TestFixture" name="F" result="Failure"><results><test-case name="F.a" executed="False"/><test-case name="F.b" executed="True" success="True"/></results></test-suite></test-results>`)
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) { laws(t, "nunit", b, cut) })
}

func FuzzTRX(f *testing.F) {
	seeds(f, "trx", `<TestRun><Results><UnitTestResult testId="1" testName="a" outcome="Passed"><InnerResults><UnitTestResult testName="a (1)" outcome="Failed"><Output><ErrorInfo><Message>m</Message><StackTrace>s</StackTrace></ErrorInfo></Output></UnitTestResult></InnerResults></UnitTestResult></Results><TestDefinitions><UnitTest id="1"><TestMethod className="C, A"/></UnitTest></TestDefinitions><ResultSummary outcome="Completed"><Counters total="2"/><RunInfos><RunInfo outcome="Error"><Text>t</Text></RunInfo></RunInfos></ResultSummary></TestRun>`)
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) { laws(t, "trx", b, cut) })
}

func FuzzXUnit(f *testing.F) {
	seeds(f, "xunit", `<assemblies><assembly name="a.dll" total="2" failed="1" errors="1"><errors><error name="e" type="t"><failure exception-type="E"><message>m</message></failure></error></errors><collection name="c"><test name="C.a" type="C" result="Fail"><failure><message>m</message></failure></test><test name="b" result="Skip"><reason>r</reason></test></collection></assembly></assemblies>`,
		`<assembly><class name="C"><failure><message>m</message></failure><test name="a" result="Pass"/></class></assembly>`)
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) { laws(t, "xunit", b, cut) })
}

func FuzzCTRF(f *testing.F) {
	seeds(f, "ctrf", `{"reportFormat":"CTRF","results":{"tool":{"name":"x"},"summary":{"tests":1,"passed":1},"tests":[{"name":"t","status":"passed","suite":["a"],"retryAttempts":[{"status":"failed"}],"steps":[{"status":"failed"}]}]}}`)
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) { laws(t, "ctrf", b, cut) })
}

func FuzzCucumber(f *testing.F) {
	seeds(f, "cucumber", `{"pickle":{"id":"p","uri":"a","name":"s","steps":[{"id":"1","text":"x"}]}}`+"\n"+`{"testRunStarted":{}}`+"\n"+`{"testCase":{"id":"c","pickleId":"p","testSteps":[{"id":"s","pickleStepId":"1"}]}}`+"\n"+`{"testCaseStarted":{"id":"x","testCaseId":"c"}}`+"\n"+`{"testStepFinished":{"testCaseStartedId":"x","testStepId":"s","testStepResult":{"status":"PENDING"}}}`+"\n"+`{"testCaseFinished":{"testCaseStartedId":"x"}}`+"\n"+`{"testRunFinished":{"success":true}}`+"\n")
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) { laws(t, "cucumber", b, cut) })
}

func FuzzDartJSON(f *testing.F) {
	seeds(f, "dartjson", dartRun(`{"test":{"id":4,"name":"outer adds","suiteID":0,"groupIDs":[2,3]},"type":"testStart","time":1}`, `{"testID":4,"result":"success","type":"testDone","time":2}`, `{"testID":4,"error":"x","stackTrace":"a.dart 1:2  b","type":"error"}`, `{"success":true,"type":"done"}`))
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) { laws(t, "dartjson", b, cut) })
}

func FuzzLibtestJSON(f *testing.F) {
	seeds(f, "libtestjson", `{"type":"suite","event":"started","test_count":1}`+"\n"+`{"type":"test","event":"started","name":"a"}`+"\n"+`{"type":"test","name":"a","event":"ok"}`+"\n"+`{"type":"suite","event":"ok","passed":1,"failed":0,"ignored":0}`+"\n")
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) { laws(t, "libtestjson", b, cut) })
}

func FuzzMochaJSON(f *testing.F) {
	seeds(f, "mochajson", `{"stats":{"tests":1,"passes":1},"tests":[{"title":"t","fullTitle":"d t"}],"pending":[],"failures":[{"title":"h","err":{"message":"m"}}],"passes":[{"title":"t","fullTitle":"d t","duration":1}]}`)
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) { laws(t, "mochajson", b, cut) })
}

func FuzzPlaywrightJSON(f *testing.F) {
	seeds(f, "playwrightjson", `{"config":{"shard":null},"suites":[{"title":"f","suites":[{"title":"d","specs":[{"title":"t","ok":true,"tests":[{"expectedStatus":"passed","status":"flaky","results":[{"status":"failed","errors":[{"message":"m"}]},{"status":"passed"}]}]}]}]}],"errors":[{"message":"m"}],"stats":{"expected":0,"flaky":1}}`)
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) { laws(t, "playwrightjson", b, cut) })
}

func FuzzReportLog(f *testing.F) {
	seeds(f, "reportlog", `{"$report_type":"SessionStart"}`+"\n"+`{"$report_type":"TestReport","nodeid":"t.py::a","location":["t.py",1,"a"],"when":"call","outcome":"failed","longrepr":{"reprcrash":{"path":"t.py","lineno":3,"message":"m"},"reprtraceback":{"reprentries":[{"data":{"lines":["x"],"reprfileloc":{"path":"t.py","lineno":3,"message":"E"}}}]}}}`+"\n"+`{"$report_type":"TestReport","nodeid":"t.py::a","when":"teardown","outcome":"passed"}`+"\n"+`{"$report_type":"SessionFinish","exitstatus":0}`+"\n")
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) { laws(t, "reportlog", b, cut) })
}

func FuzzRSpecJSON(f *testing.F) {
	seeds(f, "rspecjson", `{"version":"3","messages":["\nAn error occurred while loading a.\n\nE:\n  m"],"examples":[{"description":"b","full_description":"a b","status":"failed","exception":{"class":"E","message":"m","backtrace":["a.rb:1:in x"]}}],"summary":{"example_count":1,"failure_count":1,"errors_outside_of_examples_count":1},"summary_line":"1 example, 1 failure"}`)
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) { laws(t, "rspecjson", b, cut) })
}

func FuzzTAP(f *testing.F) {
	seeds(f, "tap", "TAP version 14\n# Subtest: p\n    not ok 1 - a # TODO x\n      ---\n      at:\n        fileName: a\n      ...\n    1..1\nok 1 - p {\n    ok 1\n    1..1\n}\nnot ok 2\n# x\n1..2\n# fail 1\n", "    ok 1 - a\n        ok 1 - b\n    1..1\nok 1\nBail out!\n1..0 # skip x\n")
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) { laws(t, "tap", b, cut) })
}

func FuzzVitestJSON(f *testing.F) {
	seeds(f, "vitestjson", `{"numTotalTestSuites":1,"success":true,"testResults":[{"name":"a","status":"passed","assertionResults":[{"title":"t","status":"pending","ancestorTitles":["d"]}]}]}`)
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) { laws(t, "vitestjson", b, cut) })
}

func FuzzSniff(f *testing.F) {
	f.Add([]byte("<testsuite>"))
	f.Add([]byte(`{"e":"start"}`))
	f.Fuzz(func(t *testing.T, b []byte) { Sniff(b) })
}
