package parsers

import (
	"strings"
	"testing"

	"factgate/facts"
)

func TestTAP(t *testing.T) {
	samples(t, "tap", []sample{
		{"plan first", "1..2\nok 1 - a\nok 2 - b\n", "passed passed", "", 0, true},
		{"plan last", "TAP version 14\nok 1 - a\nok 2 - b\n1..2\n", "passed passed", "", 0, true},
		{"no numbers", "1..2\nok a\nok\n", "passed passed", "", 0, true},
		{"no plan", "ok 1 - a\n", "passed", "no_plan", 0, false},
		{"plan above", "1..3\nok 1 - a\nok 2 - b\n", "passed passed", "plan_above_points", 0, false},
		{"plan below", "1..1\nok 1 - a\nok 2 - b\n", "passed passed", "points_above_plan", 0, false},
		{"second plan", "1..1\nok 1 - a\n1..1\nok 1 - b\n", "passed passed", "second_plan", 0, false},
		{"two streams", "TAP version 13\n1..1\nok 1 - a\nTAP version 13\n1..1\nok 1 - b\n", "passed passed", "", 0, true},
		{"two streams, the first cut", "TAP version 13\n1..2\nok 1 - a\nTAP version 13\n1..1\nok 1 - b\n", "passed passed", "plan_above_points", 0, false},
		{"nothing to run", "1..0 # skip no net\n", "", "skip_all", 0, true},
		{"no tests", "1..0\n", "", "", 0, true},
		{"failed", "1..1\nnot ok 1 - a\n", "failed", "", 0, false},
		{"todo", "1..2\nnot ok 1 - a # TODO later\nok 2 - b # todo\n", "skipped skipped", "", 0, true},
		{"skip", "1..1\nok 1 - a # SKIP: why\n", "skipped", "", 0, true},
		{"skip that is not ok", "1..1\nnot ok 1 - a # SKIP why\n", "failed", "", 0, false},
		{"escaped", "1..1\nok 1 - a \\# skip b\n", "passed", "", 0, true},
		{"words that are no directive", "1..3\nnot ok 1 - a#todo\nnot ok 2 - a # todos\nnot ok 3 - a \\# TODO\n", "failed failed failed", "", 0, false},
		{"a directive behind a number sign", "1..2\nok 1 - a # b # SKIP: why\nok 2 # skipped\n", "skipped skipped", "", 0, true},
		{"bail out", "1..2\nok 1 - a\nBail out! no net\n", "passed", "bail_out", 1, false},
		{"bail out within", "1..2\n# Subtest: a\n    ok 1 - b\n    Bail out!\nBail out!\n", "passed", "bail_out", 1, false},
		{"a point at an odd depth", "1..1\n  not ok 1 - x\nok 1 - a\n", "passed", "not_understood", 0, true},
		{"noise", "1..1\nhello\nokay\nok 1 - a\n", "passed", "noise", 0, true},
		{"numbers", "1..3\nok 1 - a\nok 1 - b\nok 7 - c\n", "passed passed passed", "point_number", 0, true},
		{"only noise", "hello\n# world\n", "", "no_tap", 0, false},
		{"cut point", "1..1\nok 1 - a # SK", "passed", "truncated", 0, false},
		{"subtest", "# Subtest: p\n    ok 1 - a\n    1..1\nok 1 - p\n1..1\n", "passed", "", 0, true},
		{"subtest failed", "# Subtest: p\n    not ok 1 - a\n    1..1\nnot ok 1 - p\n1..1\n", "failed", "", 0, false},
		{"parent failed", "# Subtest: p\n    ok 1 - a\n    1..1\nnot ok 1 - p\n1..1\n", "passed failed", "", 0, false},
		{"child failed, parent did not", "# Subtest: p\n    not ok 1 - a\n    1..1\nok 1 - p\n1..1\n", "failed", "", 0, false},
		{"todo parent, child failed", "# Subtest: p\n    not ok 1 - a\n    1..1\nnot ok 1 - p # TODO\n1..1\n", "failed", "", 0, false},
		{"subtest without plan", "# Subtest: p\n    ok 1 - a\nok 1 - p\n1..1\n", "passed", "no_plan", 0, false},
		{"subtest plan above", "# Subtest: p\n    1..2\n    ok 1 - a\nok 1 - p\n1..1\n", "passed", "plan_above_points", 0, false},
		{"skipped subtest", "# Subtest: p\n    1..0 # SKIP why\nok 1 # skip why\n1..1\n", "skipped", "", 0, true},
		{"announced from within", "    # Subtest: p\n    ok 1 - a\n    1..1\nok 1 - p\n1..1\n", "passed", "", 0, true},
		{"not announced", "    ok 1 - a\n    not ok 2 - b\n    1..2\nnot ok 1 - p\n1..1\n", "passed failed", "", 0, false},
		{"printed deeper", "1..1\n    ok then\nok 1 - a\n", "passed", "subtest_without_plan", 0, true},
		{"braces", "1..1\nnot ok 1 - p # time=1.5ms {\n    1..2\n    ok 1 - a\n    not ok 2 - q {\n        1..1\n        not ok 1 - b\n    }\n}\n", "passed failed", "", 0, false},
		{"a brace in a name", "1..2\nok 1 - f() {\nok 2 - b\n", "passed passed", "", 0, true},
		{"braces without end", "1..1\nok 1 - p {\n    1..1\n    ok 1 - a\n", "passed", "truncated", 0, false},
		{"braces cut", "1..1\nok 1 - p {\n", "passed", "truncated", 0, false},
		{"points in a block", "1..1\nnot ok 1 - a\n  ---\n  message: |\n    not ok 2 - x\n  ...\n", "failed", "", 0, false},
		{"block without end", "1..1\nok 1 - a\n  ---\n  a: b\nok 2 - b\n", "passed passed", "points_above_plan", 0, false},
		{"block that swallows", "1..1\nok 1 - a\n  ---\n  not ok 2 - b\nhello\n", "passed", "not_understood", 0, false},
		{"block that is cut", "1..1\nok 1 - a\n  ---\n  a: b\n", "passed", "truncated", 0, false},
		{"totals", "1..1\nok 1 - a\n# tests 2\n# pass 1\n# fail 1\n", "passed", "claims_above_counts", 0, false},
		{"totals in braces", "1..1\nok 1 - a\n# { total: 2, pass: 1, fail: 1 }\n", "passed", "claims_above_counts", 0, false},
		{"a comment like a total", "1..1\n# fail 1\nok 1 - a\n", "passed", "", 0, true},
		{"a file of node's", "1..1\nok 1 - /w/a.test.js\n", "skipped", "file_without_tests", 0, true},
		{"pragma", "TAP version 14\npragma +strict\n1..1\nok 1 - a\n", "passed", "", 0, true},
		{"carriage returns", "1..1\r\nok 1 - a\r\n", "passed", "", 0, true},
	})
	r := parse(t, "tap", []byte("# Subtest: p\n    ok 1 - a\n    # Subtest: q\n        not ok 1 - b # time=2ms\n          ---\n          error: 'm'\n          location: '/w/a.js:3:1'\n          stack: |-\n            fn (/w/b.js:9:1)\n          ...\n        1..1\n    not ok 2 - q\n    1..2\nnot ok 1 - p\n1..1\n"))
	b := r.Cases[1]
	if b.ID != "p › q › b" || b.Suite != "p › q" || b.Failures[0].Message != "m" || b.Failures[0].File != "/w/b.js" || b.Failures[0].Line != 9 || b.Duration.Milliseconds() != 2 {
		t.Errorf("%+v", b)
	}
	r = parse(t, "tap", []byte("        ok 1 - c\n        1..1\n    ok 1 - in\n    1..1\nok 1 - out\n1..1\n"))
	if len(r.Cases) != 1 || r.Cases[0].ID != "out › in" {
		t.Errorf("%+v", r.Cases)
	}
	r = parse(t, "tap", []byte("    1..1\n        1..1\n        ok 1 - c\n    ok 1 - in\nok 1 - out\n1..1\n"))
	if len(r.Cases) != 1 || r.Cases[0].ID != "out › in › c" || r.Cases[0].Suite != "out › in" {
		t.Errorf("%+v", r.Cases)
	}
}

func TestReportLog(t *testing.T) {
	start, end := `{"pytest_version":"9","$report_type":"SessionStart"}`+"\n", `{"exitstatus":0,"$report_type":"SessionFinish"}`+"\n"
	red := strings.Replace(end, "0", "1", 1)
	phase := func(when, outcome, more string) string {
		return `{"nodeid":"t.py::a","location":["t.py",3,"a"],"when":"` + when + `","outcome":"` + outcome + `","longrepr":null` + more + `,"$report_type":"TestReport"}` + "\n"
	}
	passed := phase("setup", "passed", "") + phase("call", "passed", "") + phase("teardown", "passed", "")
	around := func(call string) string {
		return start + phase("setup", "passed", "") + call + phase("teardown", "passed", "")
	}
	samples(t, "reportlog", []sample{
		{"green", start + passed + end, "passed", "", 0, true},
		{"no end", start + passed, "passed", "no_end", 0, false},
		{"no start", passed + end, "passed", "no_end", 0, false},
		{"two sessions", start + passed + end + start + end, "passed", "", 0, true},
		{"two sessions, one end", start + passed + end + start, "passed", "no_end", 0, false},
		{"failed", around(phase("call", "failed", "")) + red, "failed", "", 0, false},
		{"set-up failed", start + phase("setup", "failed", "") + phase("teardown", "passed", "") + red, "errored", "", 0, false},
		{"teardown failed", start + phase("setup", "passed", "") + phase("call", "passed", "") + phase("teardown", "failed", "") + red, "errored", "", 0, false},
		{"both failed", start + phase("setup", "passed", "") + phase("call", "failed", "") + phase("teardown", "failed", "") + red, "failed", "", 0, false},
		{"skipped", start + phase("setup", "skipped", "") + phase("teardown", "passed", "") + end, "skipped", "", 0, true},
		{"skipped and teardown failed", start + phase("setup", "skipped", "") + phase("teardown", "failed", "") + red, "errored", "", 0, false},
		{"xfail", around(phase("call", "skipped", `,"wasxfail":"known"`)) + end, "skipped", "", 0, true},
		{"xpass", around(phase("call", "passed", `,"wasxfail":""`)) + end, "passed", "", 0, true},
		{"never called", start + phase("setup", "passed", "") + phase("teardown", "passed", "") + end, "unknown", "not_run", 0, false},
		{"not ended", start + phase("setup", "passed", "") + end, "errored", "", 0, false},
		{"rerun", around(phase("call", "rerun", "")) + passed + end, "passed", "", 0, true},
		{"rerun and failed", around(phase("call", "rerun", "")) + strings.TrimPrefix(around(phase("call", "failed", "")), start) + red, "failed", "", 0, false},
		{"rerun without another", around(phase("call", "rerun", "")) + end, "errored", "", 0, false},
		{"unknown outcome", around(phase("call", "great", "")) + end, "unknown", "unknown_status", 0, false},
		{"a worker crashed", start + phase("setup", "passed", "") + phase("???", "failed", "") + red, "errored", "", 0, false},
		{"unknown phase", start + phase("setup", "passed", "") + phase("call", "passed", "") + phase("later", "passed", "") + end, "passed", "unknown_event", 0, false},
		{"subtest failed", around(strings.Replace(phase("call", "failed", ""), "TestReport", "SubTestReport", 1)+phase("call", "passed", "")) + end, "failed", "", 0, false},
		{"collection failed", start + `{"nodeid":"t.py","outcome":"failed","longrepr":"E   x","$report_type":"CollectReport"}` + "\n" + strings.Replace(end, "0", "2", 1), "", "", 1, false},
		{"module skipped", start + `{"nodeid":"t.py","outcome":"skipped","longrepr":["t.py",1,"Skipped: why"],"$report_type":"CollectReport"}` + "\n" + end, "skipped", "", 0, true},
		{"status without failure", start + passed + red, "passed", "success_false", 0, false},
		{"interrupted", start + passed + strings.Replace(end, "0", "2", 1), "passed", "interrupted", 0, false},
		{"no tests", start + strings.Replace(end, "0", "5", 1), "", "", 0, true},
		{"unknown report", start + passed + `{"outcome":"failed","$report_type":"XReport"}` + "\n" + end, "passed", "not_understood", 0, false},
		{"unknown report of a test", start + passed + strings.Replace(phase("setup", "passed", ""), "TestReport", "TestRepor", 1) + end, "passed", "not_understood", 0, false},
		{"unknown report that says nothing", start + passed + `{"$report_type":"XReport"}` + "\n" + end, "passed", "not_understood", 0, true},
		{"warning", start + passed + `{"message":"w","$report_type":"WarningMessage"}` + "\n" + end, "passed", "", 0, true},
		{"broken line", start + passed + "{\n" + end, "passed", "broken_line", 0, false},
		{"text", start + "hello\n" + passed + end, "passed", "text_in_stream", 0, true},
	})
	odd := parse(t, "reportlog", []byte(start+passed+strings.Repeat(`{"$report_type":"B"}`+"\n", 2)+`{"$report_type":"A"}`+"\n"+end))
	if p := odd.Problems; len(p) != 1 || p[0].Detail != `reports of kinds that are not known: "A" (1), "B" (2)` {
		t.Errorf("%v", p)
	}
	s := &reportStream{jsonLines: newJSONLines(standard()), open: map[string]*pytestItem{}, other: map[string]int{}}
	if err := s.read(strings.NewReader(strings.Repeat(passed, 20_000)), s.event); err != nil || len(s.order) > 2000 || len(s.open) > 0 {
		t.Errorf("%d tests that ended are still held in order, %d are open, %v", len(s.order), len(s.open), err)
	}
	r := parse(t, "reportlog", []byte(around(phase("call", "rerun", ""))+strings.TrimPrefix(around(phase("call", "passed", "")), start)+end))
	if c := r.Cases[0]; !c.Flaky || c.Attempts != 2 || len(c.Failures) != 1 || c.Line != 4 || c.Suite != "t.py" || c.Name != "a" {
		t.Errorf("%+v", c)
	}
}

func TestLibtest(t *testing.T) {
	start := func(n string) string { return `{"type":"suite","event":"started","test_count":` + n + "}\n" }
	end := func(word, passed, failed, ignored string) string {
		return `{"type":"suite","event":"` + word + `","passed":` + passed + `,"failed":` + failed + `,"ignored":` + ignored + `,"measured":0,"filtered_out":0,"exec_time":0.1}` + "\n"
	}
	test := func(name, word, more string) string {
		return `{"type":"test","event":"started","name":"` + name + `"}` + "\n" + `{"type":"test","name":"` + name + `","event":"` + word + `"` + more + "}\n"
	}
	ok := test("a", "ok", "")
	samples(t, "libtestjson", []sample{
		{"green", start("1") + ok + end("ok", "1", "0", "0"), "passed", "", 0, true},
		{"no end", start("1") + ok, "passed", "no_end", 0, false},
		{"no start", ok + end("ok", "1", "0", "0"), "passed", "no_end", 0, false},
		{"test not ended", start("1") + `{"type":"test","event":"started","name":"a"}` + "\n" + end("ok", "0", "0", "0"), "errored", "", 0, false},
		{"failed", start("1") + test("a", "failed", `,"stdout":"x"`) + end("failed", "0", "1", "0"), "failed", "", 0, false},
		{"timed out", start("1") + test("a", "failed", `,"reason":"time limit exceeded"`) + end("failed", "0", "1", "0"), "failed", "", 0, false},
		{"ignored", start("1") + test("a", "ignored", `,"message":"slow"`) + end("ok", "0", "0", "1"), "skipped", "", 0, true},
		{"slow", start("1") + test("a", "timeout", "") + `{"type":"test","name":"a","event":"ok"}` + "\n" + end("ok", "1", "0", "0"), "passed", "slow", 0, true},
		{"passed above", start("1") + ok + end("ok", "2", "0", "0"), "passed", "claims_against_list", 0, false},
		{"passed below", start("1") + ok + end("ok", "0", "0", "0"), "passed", "claims_against_list", 0, false},
		{"planned above", start("2") + ok + end("ok", "1", "0", "0"), "passed", "planned_above_cases", 0, false},
		{"ok with a failure", start("1") + test("a", "failed", "") + end("ok", "0", "1", "0"), "failed", "claims_above_counts", 0, false},
		{"failed without a failure", start("1") + ok + end("failed", "1", "0", "0"), "passed", "failed_without_failure", 0, false},
		{"several", start("1") + ok + end("ok", "1", "0", "0") + start("1") + test("b", "ok", "") + end("ok", "1", "0", "0"), "passed passed", "", 0, true},
		{"several, one died", start("1") + start("1") + ok + end("ok", "1", "0", "0"), "passed", "no_end", 0, false},
		{"benchmark", start("1") + `{"type":"bench","name":"b","median":1,"deviation":0}` + "\n" + strings.Replace(end("ok", "0", "0", "0"), `"measured":0`, `"measured":1`, 1), "", "benchmark", 0, true},
		{"unknown event", start("1") + ok + `{"type":"test","name":"b","event":"great"}` + "\n" + end("ok", "1", "0", "0"), "passed unknown", "unknown_status", 0, false},
		{"unknown type", start("1") + ok + `{"type":"great"}` + "\n" + end("ok", "1", "0", "0"), "passed", "not_understood", 0, false},
		{"no totals", start("1") + ok + `{"type":"suite","event":"ok"}` + "\n", "passed", "broken_line", 0, false},
		{"printed text", "   Compiling x\n" + start("1") + ok + end("ok", "1", "0", "0"), "passed", "text_in_stream", 0, true},
		{"text before an event", start("1") + "hi" + ok + end("ok", "1", "0", "0"), "passed", "text_in_stream", 0, true},
		{"text before the end of a test", start("1") + strings.Replace(ok, "\n{", "\nhi{", 1) + end("ok", "1", "0", "0"), "errored", "text_in_stream", 0, false},
		{"a later attempt", start("1") + test("c::b$m::a#2", "ok", "") + end("ok", "1", "0", "0"), "passed", "", 0, true},
	})
	r := parse(t, "libtestjson", []byte(start("2")+test("c::b$m::a#2", "ok", "")+test("src/lib.rs - f (line 7)", "ok", "")+end("ok", "2", "0", "0")))
	if c := r.Cases[0]; !c.Flaky || c.Attempts != 2 || c.ID != "c::b$m::a" || c.Suite != "c::b::m" || c.Name != "a" {
		t.Errorf("%+v", c)
	}
	if c := r.Cases[1]; c.File != "src/lib.rs" || c.Line != 7 || c.Suite != "" {
		t.Errorf("%+v", c)
	}
}

func TestCucumber(t *testing.T) {
	begin := `{"meta":{"protocolVersion":"32.2.0"}}` + "\n" +
		`{"gherkinDocument":{"uri":"a.feature","feature":{"name":"F","children":[{"rule":{"name":"R","children":[{"scenario":{"id":"n"}}]}}]}}}` + "\n" +
		`{"pickle":{"id":"p","uri":"a.feature","name":"s","location":{"line":3},"astNodeIds":["n"],"steps":[{"id":"ps","text":"it works"}]}}` + "\n" +
		`{"testRunStarted":{}}` + "\n"
	testCase := `{"testCase":{"id":"c","pickleId":"p","testSteps":[{"id":"s1","pickleStepId":"ps"},{"id":"s2","hookId":"h"}]}}` + "\n"
	step := func(attempt, id, status string) string {
		return `{"testStepFinished":{"testCaseStartedId":"` + attempt + `","testStepId":"` + id + `","testStepResult":{"status":"` + status + `","duration":{"seconds":1,"nanos":0}}}}` + "\n"
	}
	attempt := func(id, steps, again string) string {
		return `{"testCaseStarted":{"id":"` + id + `","testCaseId":"c"}}` + "\n" + steps + `{"testCaseFinished":{"testCaseStartedId":"` + id + `","willBeRetried":` + again + `}}` + "\n"
	}
	end := func(success string) string { return `{"testRunFinished":{"success":` + success + `}}` + "\n" }
	one := func(status string) string { return begin + testCase + attempt("x", step("x", "s1", status), "false") }
	samples(t, "cucumber", []sample{
		{"green", one("PASSED") + end("true"), "passed", "", 0, true},
		{"no end", one("PASSED"), "passed", "no_end", 0, false},
		{"failed", one("FAILED") + end("false"), "failed", "", 0, false},
		{"failed and said to succeed", one("FAILED") + end("true"), "failed", "success_true", 0, false},
		{"no success", one("PASSED") + end("false"), "passed", "success_false", 0, false},
		{"undefined", one("UNDEFINED") + end("false"), "failed", "", 0, false},
		{"ambiguous", one("AMBIGUOUS") + end("true"), "failed", "success_true", 0, false},
		{"pending", one("PENDING") + end("false"), "failed", "", 0, false},
		{"pending, not strict", one("PENDING") + end("true"), "skipped", "", 0, true},
		{"skipped", one("SKIPPED") + end("true"), "skipped", "", 0, true},
		{"unknown", one("UNKNOWN") + end("true"), "unknown", "success_true", 0, false},
		{"not a status", one("GREAT") + end("true"), "unknown", "unknown_status", 0, false},
		{"no steps", begin + testCase + attempt("x", "", "false") + end("true"), "skipped", "", 0, true},
		{"the worst step", begin + testCase + attempt("x", step("x", "s1", "FAILED")+step("x", "s2", "PASSED"), "false") + end("false"), "failed", "", 0, false},
		{"flaky", begin + testCase + attempt("x", step("x", "s1", "FAILED"), "true") + attempt("y", step("y", "s1", "PASSED"), "false") + end("true"), "passed", "", 0, true},
		{"retried and never again", begin + testCase + attempt("x", step("x", "s1", "FAILED"), "true") + end("false"), "errored", "no_end", 0, false},
		{"case not ended", begin + testCase + `{"testCaseStarted":{"id":"x","testCaseId":"c"}}` + "\n" + step("x", "s1", "PASSED") + end("true"), "errored", "no_end", 0, false},
		{"case never started", begin + testCase + end("true"), "", "not_run", 0, false},
		{"case of no pickle", begin + strings.Replace(testCase, `"pickleId":"p"`, `"pickleId":"q"`, 1) + end("true"), "", "broken_line", 0, false},
		{"parse error", begin + `{"parseError":{"source":{"uri":"b.feature","location":{"line":4}},"message":"m"}}` + "\n" + end("false"), "", "", 1, false},
		{"a hook of the run", begin + `{"testRunHookStarted":{"id":"r","hookId":"h"}}` + "\n" + `{"testRunHookFinished":{"testRunHookStartedId":"r","result":{"status":"FAILED","message":"m"}}}` + "\n" + end("false"), "", "", 1, false},
		{"an exception of the run", begin + `{"testRunFinished":{"success":false,"exception":{"type":"E","message":"m"}}}` + "\n", "", "", 1, false},
		{"an unknown message", one("PASSED") + `{"great":{}}` + "\n" + end("true"), "passed", "not_understood", 0, true},
		{"an unknown message with a failure", one("PASSED") + `{"great":{"status":"FAILED"}}` + "\n" + end("true"), "passed", "not_understood", 0, false},
	})
	r := parse(t, "cucumber", []byte(begin+testCase+attempt("x", step("x", "s1", "FAILED"), "true")+attempt("y", step("y", "s1", "PASSED"), "false")+end("true")))
	if c := r.Cases[0]; !c.Flaky || c.Attempts != 2 || c.ID != "a.feature › F › R › s" || c.Line != 3 || len(c.Failures) != 1 || c.Failures[0].Message != "failed: it works" {
		t.Errorf("%+v", c)
	}
}

// dartRun is a stream as the protocol's page describes it: one file with a group, around further events.
func dartRun(events ...string) string {
	return `{"protocolVersion":"0.1.1","runnerVersion":"1.25.0","pid":7,"type":"start","time":0}` + "\n" +
		`{"suite":{"id":0,"platform":"vm","path":"test/a_test.dart"},"type":"suite","time":1}` + "\n" +
		`{"test":{"id":1,"name":"loading test/a_test.dart","suiteID":0,"groupIDs":[],"metadata":{"skip":false,"skipReason":null},"line":null,"column":null,"url":null},"type":"testStart","time":1}` + "\n" +
		`{"count":1,"time":2,"type":"allSuites"}` + "\n" +
		`{"testID":1,"result":"success","skipped":false,"hidden":true,"type":"testDone","time":900}` + "\n" +
		`{"group":{"id":2,"suiteID":0,"parentID":null,"name":"","metadata":{"skip":false,"skipReason":null},"testCount":1,"line":null,"column":null,"url":null},"type":"group","time":901}` + "\n" +
		`{"group":{"id":3,"suiteID":0,"parentID":2,"name":"outer","metadata":{"skip":false,"skipReason":null},"testCount":1,"line":4,"column":3,"url":"file:///w/test/a_test.dart"},"type":"group","time":902}` + "\n" +
		strings.Join(events, "\n") + "\n"
}

func TestDart(t *testing.T) {
	start := `{"test":{"id":4,"name":"outer adds","suiteID":0,"groupIDs":[2,3],"metadata":{"skip":false,"skipReason":null},"line":5,"column":5,"url":"file:///w/test/a_test.dart"},"type":"testStart","time":1000}`
	done := func(result, skipped, hidden string) string {
		return `{"testID":4,"result":"` + result + `","skipped":` + skipped + `,"hidden":` + hidden + `,"type":"testDone","time":1020}`
	}
	fail := func(isFailure string) string {
		return `{"testID":4,"error":"Expected: <2>\n  Actual: <1>\n","stackTrace":"package:matcher expect\ntest/a_test.dart 6:7  main.<fn>\n","isFailure":` + isFailure + `,"type":"error","time":1010}`
	}
	end := func(success string) string { return `{"success":` + success + `,"type":"done","time":1030}` }
	ok := done("success", "false", "false")
	samples(t, "dartjson", []sample{
		{"green", dartRun(start, ok, end("true")), "passed", "", 0, true},
		{"no end", dartRun(start, ok), "passed", "no_end", 0, false},
		{"closed before", dartRun(start, ok, end("null")), "passed", "interrupted", 0, false},
		{"failed", dartRun(start, fail("true"), done("failure", "false", "false"), end("false")), "failed", "", 0, false},
		{"errored", dartRun(start, fail("false"), done("error", "false", "false"), end("false")), "errored", "", 0, false},
		{"skipped", dartRun(start, `{"testID":4,"messageType":"skip","message":"Skip: why","type":"print","time":1001}`, done("success", "true", "false"), end("true")), "skipped", "", 0, true},
		{"printed", dartRun(start, `{"testID":4,"messageType":"print","message":"hi","type":"print","time":1001}`, ok, end("true")), "passed", "", 0, true},
		{"success with an error", dartRun(start, fail("true"), ok, end("true")), "failed", "status_against_failure", 0, false},
		{"error behind its end", dartRun(start, ok, fail("false"), end("false")), "errored", "late_error", 0, false},
		{"error behind its end, hidden", dartRun(start, done("success", "false", "true"), fail("true"), end("false")), "", "", 1, false},
		{"not ended", dartRun(start, end("false")), "errored", "not_ended", 0, false},
		{"unknown result", dartRun(start, done("great", "false", "false"), end("true")), "unknown", "unknown_status", 0, false},
		{"no success", dartRun(start, ok, end("false")), "passed", "success_false", 0, false},
		{"tests above", strings.Replace(dartRun(start, ok, end("true")), `"testCount":1`, `"testCount":2`, 1), "passed", "tests_above_cases", 0, false},
		{"suites missing", strings.Replace(dartRun(start, ok, end("true")), `"count":1`, `"count":2`, 1), "passed", "suites_missing", 0, false},
		{"does not load", strings.Replace(dartRun(end("false")), `"result":"success","skipped":false,"hidden":true`, `"result":"error","skipped":false,"hidden":false`, 1), "", "", 1, false},
		{"unknown event", dartRun(start, ok, `{"type":"great","time":1}`, end("true")), "passed", "not_understood", 0, true},
		{"flutter's own lines", `[{"event":"test.startedProcess","params":{}}]` + "\n" + dartRun(start, ok, end("true")), "passed", "text_in_stream", 0, true},
	})
	r := parse(t, "dartjson", []byte(dartRun(start, fail("true"), done("failure", "false", "false"), end("false"))))
	c := r.Cases[0]
	if c.ID != "test/a_test.dart › outer › adds" || c.Line != 5 || c.Duration.Milliseconds() != 20 || c.Failures[0].Message != "Expected: <2>" || c.Failures[0].File != "test/a_test.dart" || c.Failures[0].Line != 6 {
		t.Errorf("%+v", c)
	}
	r = parse(t, "dartjson", []byte(strings.Replace(dartRun(end("false")), `"result":"success","skipped":false,"hidden":true`, `"result":"error","skipped":false,"hidden":false`, 1)))
	if o := r.Outside[0]; o.Kind != facts.Collection || o.Where != "test/a_test.dart" {
		t.Errorf("%+v", o)
	}
	if got := Sniff([]byte(dartRun(start))); got != "dartjson" {
		t.Errorf("it reads as %q", got)
	}
}
