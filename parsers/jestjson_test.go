package parsers

import (
	"encoding/json"
	"strings"
	"testing"

	"factgate/facts"
)

func TestJest(t *testing.T) {
	doc := func(totals, status string, tests ...string) string {
		return `{` + totals + `"testResults":[{"assertionResults":[` + strings.Join(tests, ",") + `],"message":"  ● Suite\n\n    no server","name":"/w/a.test.js","status":"` + status + `"}]}`
	}
	test := func(status, more string) string {
		return `{"ancestorTitles":["d"],"title":"t","status":"` + status + `"` + more + `}`
	}
	for _, c := range []struct {
		name, text, want, code string
		outside                int
	}{
		{"green", doc(`"success":true,"numTotalTests":1,"numPassedTests":1,`, "passed", test("passed", "")), "passed", "", 0},
		{"skips", doc("", "passed", test("pending", ""), test("todo", ""), test("disabled", ""), test("skipped", "")), "skipped skipped skipped skipped", "duplicate_id", 0},
		{"unknown status", doc("", "passed", test("focused", "")), "unknown", "unknown_status", 0},
		{"no status", doc("", "passed", `{"title":"t"}`), "unknown", "unknown_status", 0},
		{"passed with messages", doc("", "passed", test("passed", `,"failureMessages":["x"]`)), "failed", "status_against_failure", 0},
		{"file failed, tests did not", doc("", "failed", test("passed", "")), "passed", "", 1},
		{"file did not load", doc("", "failed"), "", "", 1},
		{"failed tests above", doc(`"numFailedTests":1,`, "passed", test("passed", "")), "passed", "claims_above_counts", 0},
		{"tests above", doc(`"numTotalTests":5,`, "passed", test("passed", "")), "passed", "tests_above_cases", 0},
		{"files above", doc(`"numRuntimeErrorTestSuites":1,"numFailedTestSuites":1,`, "passed", test("passed", "")), "passed", "claims_above_counts", 0},
		{"no success", doc(`"success":false,`, "passed", test("passed", "")), "passed", "success_false", 0},
		{"interrupted", doc(`"wasInterrupted":true,`, "passed", test("passed", "")), "passed", "interrupted", 0},
		{"open handles", doc(`"openHandles":[{"a":[1]}],`, "passed", test("passed", "")), "passed", "open_handles", 0},
		{"obsolete snapshots", doc(`"snapshot":{"unchecked":2,"uncheckedKeysByFile":[{"a":1}]},`, "passed", test("passed", "")), "passed", "snapshots", 0},
		{"obsolete snapshots fail it", doc(`"success":false,"snapshot":{"failure":true,"unchecked":2,"filesRemoved":1},`, "passed", test("passed", "")), "passed", "snapshots", 1},
		{"snapshots fail it, and none is obsolete", doc(`"success":false,"snapshot":{"failure":true},`, "passed", test("passed", "")), "passed", "success_false", 0},
		{"text after", doc("", "passed", test("passed", "")) + "x", "passed", "text_after_end", 0},
		{"second document", doc("", "passed", test("passed", "")) + doc("", "failed", test("failed", "")), "passed", "text_after_end", 0},
		{"other JSON", `{"version":1}`, "", "no_jest_results", 0},
		{"wrong shape", `{"testResults":7}`, "", "broken_json", 0},
		{"coverage", doc(`"coverageMap":{"a":{"b":[1,{"c":2}]}},`, "passed", test("passed", "")), "passed", "", 0},
	} {
		r := parse(t, "jestjson", []byte(c.text))
		if got := statuses(r); got != c.want || len(r.Outside) != c.outside {
			t.Errorf("%s: %s, want %s; %+v", c.name, got, c.want, r.Outside)
		}
		if _, ok := has(r, c.code); c.code != "" && !ok || c.code == "" && len(r.Problems) > 0 {
			t.Errorf("%s: %v, want %q", c.name, r.Problems, c.code)
		}
	}
}

// TestJestFiles: what a test file says that failed beside its tests, by where it is read.
func TestJestFiles(t *testing.T) {
	stack := "\n    at Object.<anonymous> (a.test.js:2:1)\n    at run (../node_modules/jest-circus/build/x.js:1:2)"
	advice := "Jest encountered an unexpected token\n\n    Jest failed to parse a file.\n\n    Details:\n\n"
	for _, c := range []struct {
		name, text string
		want       facts.Outside
	}{
		{"missing module", "Cannot find module './x' from 'a.test.js'" + stack, facts.Outside{
			Kind: facts.Collection, Message: "Cannot find module './x' from 'a.test.js'", File: "/w o/a.test.js", Line: 2}},
		{"node's parser", advice + "    /w o/a.test.js:3\n    const = 1;\n          ^\n\n    SyntaxError: Unexpected token '='" + stack, facts.Outside{
			Kind: facts.Collection, Message: "SyntaxError: Unexpected token '='", File: "/w o/a.test.js", Line: 3}},
		{"babel", advice + "    SyntaxError: /w o/lib/b.ts: Unexpected token (3:6)\n\n      1 |" + stack, facts.Outside{
			Kind: facts.Collection, Message: "SyntaxError: Unexpected token", File: "/w o/lib/b.ts", Line: 3}},
		{"a worker that died", "A jest worker process (pid=7) was terminated by another process: signal=SIGSEGV, exitCode=null. See" + stack, facts.Outside{
			Kind: facts.Crash, Message: "A jest worker process (pid=7) was terminated by another process: signal=SIGSEGV, exitCode=null. See"}},
		{"no word", "", facts.Outside{Kind: facts.Collection, Message: "the test file failed"}},
	} {
		message, err := json.Marshal("  ● Test suite failed to run\n\n    " + c.text)
		if err != nil {
			t.Fatal(err)
		}
		r := parse(t, "jestjson", []byte(`{"testResults":[{"assertionResults":[],"message":`+string(message)+`,"name":"/w o/a.test.js","status":"failed"}]}`))
		if len(r.Outside) != 1 {
			t.Errorf("%s: %+v", c.name, r.Outside)
			continue
		}
		got := r.Outside[0]
		if c.want.Where = "/w o/a.test.js"; strings.Contains(got.Text, "jest-circus") || strings.Contains(got.Text, "failed to run") {
			t.Errorf("%s: %q", c.name, got.Text)
		}
		if got.Text = ""; got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestJestRetries(t *testing.T) {
	r := parse(t, "jestjson", []byte(`{"testResults":[{"name":"a","status":"passed","assertionResults":[
		{"title":"t","status":"passed","invocations":2,"retryReasons":["Error: first\n    at x (/w/a.test.js:3:1)"],"location":{"column":1,"line":9},"duration":12}]}]}`))
	c := r.Cases[0]
	if !c.Flaky || c.Attempts != 2 || len(c.Failures) != 1 || c.Failures[0].Line != 3 || c.Line != 9 || c.ID != "a › t" {
		t.Errorf("%+v", c)
	}
}

// TestJestLongText: one message longer than memory allows is cut while it is read.
func TestJestLongText(t *testing.T) {
	r := parse(t, "jestjson", []byte(`{"testResults":[{"name":"a","status":"failed","message":"`+strings.Repeat(`\u00e9\n`, 300_000)+`","assertionResults":[
		{"title":"t","status":"failed","failureMessages":["`+strings.Repeat("x", 1_000_000)+`"]}]}]}`))
	if r.Counts.Failed != 1 || !r.Complete || len(r.Cases[0].Failures[0].Text) > standard().text+200 {
		t.Errorf("%+v %v", r.Counts, r.Problems)
	}
}
