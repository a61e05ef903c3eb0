package parsers

import (
	"fmt"
	"strings"
	"testing"

	"factgate/facts"
)

// sample is a small document of a format and what is read in it: the statuses of its cases, a problem, and whether it
// could be green.
type sample struct {
	name, text, want, code string
	outside                int
	green                  bool
}

func samples(t *testing.T, format string, list []sample) {
	t.Helper()
	for _, c := range list {
		r := parse(t, format, []byte(c.text))
		if got := statuses(r); got != c.want || len(r.Outside) != c.outside || green(r) != c.green {
			t.Errorf("%s: %q, want %q; green %v; outside %+v; %+v", c.name, got, c.want, green(r), r.Outside, r.Problems)
		}
		if _, ok := has(r, c.code); c.code != "" && !ok || c.code == "" && len(r.Problems) > 0 {
			t.Errorf("%s: %+v, want %q", c.name, r.Problems, c.code)
		}
	}
}

func TestCTRF(t *testing.T) {
	doc := func(summary string, tests ...string) string {
		return `{"reportFormat":"CTRF","specVersion":"1.0.0","results":{"tool":{"name":"x"},"summary":{` + summary + `},"tests":[` + strings.Join(tests, ",") + `]}}`
	}
	test := func(status, more string) string {
		return `{"name":"t","status":"` + status + `","duration":1` + more + `}`
	}
	one := `"tests":1,"passed":1,"failed":0,"skipped":0,"pending":0,"other":0`
	samples(t, "ctrf", []sample{
		{"green", doc(one, test("passed", "")), "passed", "", 0, true},
		{"no tests", doc(`"tests":0`), "", "", 0, true},
		{"tests above", doc(`"tests":2,"passed":1`, test("passed", "")), "passed", "claims_above_counts", 0, false},
		{"failed above", doc(`"tests":1,"failed":1`, test("passed", "")), "passed", "claims_above_counts", 0, false},
		{"failed below", doc(`"tests":1,"failed":0`, test("failed", "")), "failed", "claims_below_counts", 0, false},
		{"no summary", doc("", test("passed", "")), "passed", "no_summary", 0, false},
		{"unknown status", doc(`"tests":1`, test("great", "")), "unknown", "unknown_status", 0, false},
		{"no status", doc(`"tests":1`, `{"name":"t"}`), "unknown", "unknown_status", 0, false},
		{"other", doc(`"tests":1,"other":1`, test("other", "")), "unknown", "unknown_status", 0, false},
		{"other, todo", doc(`"tests":1,"other":1`, test("other", `,"rawStatus":"todo"`)), "skipped", "", 0, true},
		{"other, broken", doc(`"tests":1,"other":1`, test("other", `,"rawStatus":"broken"`)), "errored", "", 0, false},
		{"skips", doc(`"tests":2,"skipped":1,"pending":1`, test("skipped", `,"message":"why"`), test("pending", "")), "skipped skipped", "duplicate_id", 0, true},
		{"failed step", doc(one, test("passed", `,"steps":[{"name":"a","status":"failed"}]`)), "passed", "status_against_failure", 0, false},
		{"no name", doc(one, `{"status":"passed"}`), "passed", "no_name", 0, false},
		{"other format", strings.Replace(doc(one, test("passed", "")), "CTRF", "TAP", 1), "", "broken_json", 0, false},
		{"no tests key", `{"reportFormat":"CTRF","results":{"summary":{"tests":0}}}`, "", "no_ctrf_results", 0, false},
		{"text after", doc(one, test("passed", "")) + "x", "passed", "text_after_end", 0, false},
	})
	r := parse(t, "ctrf", []byte(doc(`"tests":2`, test("passed", `,"flaky":true,"retries":2,"suite":["a","b"],"filePath":"f.js","line":7,"retryAttempts":[{"attempt":1,"status":"failed","message":"m1"},{"attempt":2,"status":"failed","trace":"at x (/w/f.js:3:1)"}]`),
		test("failed", `,"suite":"a > b","message":"m","trace":"t","rawStatus":"errored","extra":{"a":[1]}`))))
	a, b := r.Cases[0], r.Cases[1]
	if !a.Flaky || a.Attempts != 3 || a.ID != "f.js › a › b › t" || a.Suite != "a › b" || a.Line != 7 || len(a.Failures) != 2 || a.Failures[1].Line != 3 {
		t.Errorf("%+v", a)
	}
	for _, c := range []struct {
		more string
		want int
	}{
		{`"retries":2`, 3}, {`"retries":1,"retryAttempts":[{"status":"failed"}]`, 2}, {`"retries":1,"retryAttempts":[{"status":"failed"},{"status":"passed"}]`, 2},
		{`"retryAttempts":[{"status":"failed"},{"status":"passed"}]`, 2}, {`"retryAttempts":[{"status":"failed"}]`, 2}, {`"flaky":true`, 0},
	} {
		r := parse(t, "ctrf", []byte(doc(one, test("passed", ","+c.more))))
		if got := r.Cases[0]; got.Attempts != c.want || !got.Flaky {
			t.Errorf("%s: %+v", c.more, got)
		}
	}
	if r := parse(t, "ctrf", []byte(strings.Replace(doc(one, test("passed", `,"testId":"x"`)), `"specVersion"`, `"generatedBy":"factgate","specVersion"`, 1))); r.Cases[0].ID != "x" {
		t.Errorf("%+v", r.Cases)
	}
	if b.Status != facts.Errored || b.Suite != "a > b" || b.Failures[0].Message != "m" || b.Failures[0].Text != "t" || !b.Failures[0].Error {
		t.Errorf("%+v", b)
	}
}

func TestMocha(t *testing.T) {
	test := func(title, more string) string {
		return `{"title":"` + title + `","fullTitle":"d ` + title + `","file":"/w/a.js","duration":1,"currentRetry":0` + more + `}`
	}
	doc := func(stats string, lists ...string) string {
		out := `{"stats":{` + stats + `}`
		for i, name := range []string{"tests", "pending", "failures", "passes"} {
			out += `,"` + name + `":[` + lists[i] + `]`
		}
		return out + "}"
	}
	a := test("a", `,"err":{}`)
	bad := test("a", `,"err":{"message":"m","stack":"Error: m\n    at x (/w/a.js:3:1)"}`)
	one := `"tests":1,"passes":1,"pending":0,"failures":0`
	samples(t, "mochajson", []sample{
		{"green", doc(one, a, "", "", a), "passed", "", 0, true},
		{"failed", doc(`"tests":1,"passes":0,"pending":0,"failures":1`, bad, "", bad, ""), "failed", "", 0, false},
		{"pending", doc(`"tests":1,"passes":0,"pending":1,"failures":0`, a, a, "", ""), "skipped", "", 0, true},
		{"a hook", doc(`"tests":1,"passes":1,"pending":0,"failures":1`, a, "", test("hook", `,"err":{"message":"m"}`), a), "passed", "", 1, false},
		{"failed and passed", doc(`"tests":1,"passes":1,"pending":0,"failures":1`, a, "", bad, a), "failed", "passed_and_failed", 0, false},
		{"passed with an error", doc(one, bad, "", "", bad), "failed", "status_against_failure", 0, false},
		{"passed later", doc(one, a, "", "", strings.Replace(bad, `"currentRetry":0`, `"currentRetry":1`, 1)), "passed", "", 0, true},
		{"never run", doc(one, a, "", "", strings.Replace(a, `"duration":1,`, "", 1)), "unknown", "not_run", 0, false},
		{"in no list", doc(`"tests":2,"passes":1,"pending":0,"failures":0`, a+","+test("b", ""), "", "", a), "passed", "unlisted_tests", 0, false},
		{"not among the tests", doc(`"tests":0,"passes":1,"pending":0,"failures":0`, "", "", "", a), "", "not_among_tests", 0, false},
		{"stats differ", doc(`"tests":1,"passes":1,"pending":0,"failures":1`, a, "", "", a), "passed", "claims_against_list", 0, false},
		{"no stats", doc("", a, "", "", a), "passed", "no_mocha_results", 0, false},
		{"a list is missing", `{"stats":{"tests":0},"tests":[],"passes":[],"pending":[]}`, "", "no_mocha_results", 0, false},
		{"a list twice", strings.TrimSuffix(doc(one, a, "", "", a), "}") + `,"passes":[]}`, "passed", "broken_json", 0, false},
	})
}

func TestVitest(t *testing.T) {
	doc := func(more string, status string, tests ...string) string {
		return `{"numTotalTestSuites":1,"numFailedTestSuites":0,` + more + `"testResults":[{"assertionResults":[` + strings.Join(tests, ",") + `],"message":"no server","name":"/w/a.test.js","status":"` + status + `"}]}`
	}
	test := func(status, more string) string {
		return `{"ancestorTitles":["d"],"title":"t","status":"` + status + `"` + more + `}`
	}
	yes, no := `"success":true,`, `"success":false,`
	samples(t, "vitestjson", []sample{
		{"green", doc(yes, "passed", test("passed", "")), "passed", "", 0, true},
		{"skips", doc(yes, "passed", test("skipped", ""), test("todo", "")), "skipped skipped", "duplicate_id", 0, true},
		{"never run", doc(yes, "passed", test("pending", "")), "unknown", "not_finished", 0, false},
		{"passed at a later attempt", doc(yes, "passed", test("passed", `,"failureMessages":["x"]`)), "passed", "", 0, true},
		{"failed and said to succeed", doc(yes, "failed", test("failed", `,"failureMessages":["x"]`)), "failed", "success_true", 0, false},
		{"file failed, tests did not", doc(no, "failed", test("passed", "")), "passed", "", 1, false},
		{"no success", doc(no, "passed", test("passed", "")), "passed", "success_false", 0, false},
		{"success is not said", doc("", "passed", test("passed", "")), "passed", "no_success", 0, false},
		{"a suite failed", strings.Replace(doc(yes, "passed", test("passed", "")), `"numFailedTestSuites":0`, `"numFailedTestSuites":1`, 1), "passed", "claims_above_counts", 0, false},
		{"no files", `{"numTotalTestSuites":0,"success":false,"testResults":[]}`, "", "no_test_files", 0, true},
		{"jest's", `{"numFailedTestSuites":0,"numRuntimeErrorTestSuites":0,"numTotalTestSuites":0,"success":true,"testResults":[]}`, "", "broken_json", 0, false},
	})
	samples(t, "jestjson", []sample{{"vitest's", doc(yes, "passed", test("passed", "")), "", "broken_json", 0, false}})
}

func TestPlaywright(t *testing.T) {
	doc := func(stats, errors string, specs ...string) string {
		return `{"config":{"shard":null},"suites":[{"title":"a.spec.js","file":"a.spec.js","specs":[` + strings.Join(specs, ",") + `]}],"errors":[` + errors + `],"stats":{` + stats + `}}`
	}
	stats := func(expected, unexpected, flaky, skipped int) string {
		return fmt.Sprintf(`"expected":%d,"unexpected":%d,"flaky":%d,"skipped":%d`, expected, unexpected, flaky, skipped)
	}
	spec := func(ok, expected, status string, results ...string) string {
		for i, r := range results {
			word, failed := strings.CutSuffix(r, "!")
			results[i] = `{"status":"` + word + `","errors":[`
			if failed {
				results[i] += `{"message":"m","location":{"file":"/w/a.spec.js","line":3,"column":1}}`
			}
			results[i] += `]}`
		}
		return `{"title":"t","ok":` + ok + `,"tests":[{"projectName":"p","annotations":[],"expectedStatus":"` + expected + `","status":"` + status + `","results":[` + strings.Join(results, ",") + `]}],"file":"a.spec.js","line":2}`
	}
	samples(t, "playwrightjson", []sample{
		{"green", doc(stats(1, 0, 0, 0), "", spec("true", "passed", "expected", "passed")), "passed", "", 0, true},
		{"failed", doc(stats(0, 1, 0, 0), "", spec("false", "passed", "unexpected", "failed!", "timedOut!")), "failed", "", 0, false},
		{"flaky", doc(stats(0, 0, 1, 0), "", spec("true", "passed", "flaky", "failed!", "passed")), "passed", "", 0, true},
		{"expected to fail", doc(stats(1, 0, 0, 0), "", spec("true", "failed", "expected", "failed!")), "skipped", "", 0, true},
		{"expected to fail and passed", doc(stats(0, 1, 0, 0), "", spec("false", "failed", "unexpected", "passed")), "failed", "", 0, false},
		{"skipped", doc(stats(0, 0, 0, 1), "", spec("true", "skipped", "skipped", "skipped")), "skipped", "", 0, true},
		{"never run", doc(stats(0, 0, 0, 1), "", spec("true", "passed", "skipped")), "skipped", "not_run", 0, false},
		{"called expected, and failed", doc(stats(1, 0, 0, 0), "", spec("true", "passed", "expected", "failed!")), "failed", "status_against_failure", 0, false},
		{"called expected, without a result", doc(stats(1, 0, 0, 0), "", spec("true", "passed", "expected")), "failed", "status_against_failure", 0, false},
		{"called flaky, and failed", doc(stats(0, 0, 1, 0), "", spec("true", "passed", "flaky", "passed", "failed!")), "failed", "status_against_failure", 0, false},
		{"called skipped, and failed", doc(stats(0, 0, 0, 1), "", spec("true", "skipped", "skipped", "failed!")), "failed", "status_against_failure", 0, false},
		{"interrupted", doc(stats(0, 0, 0, 1), "", spec("true", "passed", "skipped", "interrupted")), "skipped", "not_run", 0, false},
		{"not ok", doc(stats(1, 0, 0, 0), "", spec("false", "passed", "expected", "passed")), "passed", "not_ok", 0, false},
		{"unknown outcome", doc(stats(0, 0, 0, 0), "", spec("true", "passed", "great", "passed")), "unknown", "unknown_status", 0, false},
		{"stats above", doc(stats(2, 0, 0, 0), "", spec("true", "passed", "expected", "passed")), "passed", "claims_against_list", 0, false},
		{"stats below", doc(stats(0, 0, 0, 0), "", spec("true", "passed", "expected", "passed")), "passed", "claims_against_list", 0, false},
		{"an error", doc(stats(1, 0, 0, 0), `{"message":"Error: teardown"}`, spec("true", "passed", "expected", "passed")), "passed", "", 1, false},
		{"no tests", doc(stats(0, 0, 0, 0), `{"message":"Error: No tests found.\nMake sure"}`), "", "no_tests_found", 0, true},
		{"no stats", doc("", "", spec("true", "passed", "expected", "passed")), "passed", "no_playwright_results", 0, false},
		{"a shard", strings.Replace(doc(stats(0, 0, 0, 0), ""), "null", `{"total":2,"current":1}`, 1), "", "shard", 0, true},
		{"too deep", strings.Repeat(`{"suites":[`, 300), "", "broken_json", 0, false},
	})
	r := parse(t, "playwrightjson", []byte(doc(stats(0, 1, 0, 0), "", spec("false", "passed", "unexpected", "failed!", "timedOut!"))))
	if c := r.Cases[0]; c.ID != "a.spec.js › [p] › t" || c.Attempts != 2 || len(c.Failures) != 2 || c.Failures[0].Line != 3 || c.Line != 2 {
		t.Errorf("%+v", c)
	}
}

func TestRSpec(t *testing.T) {
	doc := func(summary, line string, examples ...string) string {
		return `{"version":"3.12.0","messages":["Run options: x"],"examples":[` + strings.Join(examples, ",") + `],"summary":{` + summary + `},"summary_line":"` + line + `"}`
	}
	example := func(status, more string) string {
		return `{"description":"b","full_description":"a b","status":"` + status + `","file_path":"./s.rb","line_number":3,"run_time":0.1,"pending_message":null` + more + `}`
	}
	one := `"example_count":1,"failure_count":0,"pending_count":0,"errors_outside_of_examples_count":0`
	raised := `,"exception":{"class":"E","message":"\nm\nn","backtrace":["/x/gems/rspec/a.rb:1:in f","./s.rb:4:in g"]}`
	samples(t, "rspecjson", []sample{
		{"green", doc(one, "1 example, 0 failures", example("passed", "")), "passed", "message", 0, true},
		{"failed", doc(strings.Replace(one, `failure_count":0`, `failure_count":1`, 1), "1 example, 1 failure", example("failed", raised)), "failed", "message", 0, false},
		{"pending", doc(strings.Replace(one, `pending_count":0`, `pending_count":1`, 1), "1 example, 0 failures, 1 pending", example("pending", "")), "skipped", "message", 0, true},
		{"not ended", doc(one, "1 example, 0 failures", example("", "")), "unknown", "not_finished", 0, false},
		{"unknown", doc(one, "1 example, 0 failures", example("great", "")), "unknown", "unknown_status", 0, false},
		{"passed and raised", doc(one, "1 example, 0 failures", example("passed", raised)), "failed", "status_against_failure", 0, false},
		{"examples above", doc(strings.Replace(one, `count":1`, `count":2`, 1), "2 examples, 0 failures", example("passed", "")), "passed", "claims_against_list", 0, false},
		{"failures above", doc(strings.Replace(one, `failure_count":0`, `failure_count":1`, 1), "1 example, 1 failure", example("passed", "")), "passed", "claims_against_list", 0, false},
		{"the line differs", doc(one, "1 example, 1 failure", example("passed", "")), "passed", "claims_against_list", 0, false},
		{"errors untold", doc(strings.Replace(one, `examples_count":0`, `examples_count":1`, 1), "1 example, 0 failures", example("passed", "")), "passed", "message", 1, false},
		{"errors told", strings.Replace(doc(strings.Replace(one, `examples_count":0`, `examples_count":1`, 1), "1 example, 0 failures", example("passed", "")), "Run options: x",
			`\nAn error occurred while loading ./a.rb.\n\nNameError:\n  oops\n# ./a.rb:2:in `+"`x'", 1), "passed", "", 1, false},
		{"no summary", `{"version":"3","examples":[]}`, "", "no_rspec_results", 0, false},
		{"two documents", doc(one, "1 example, 0 failures", example("passed", "")) + doc(one, "1 example, 0 failures"), "passed", "text_after_end", 0, false},
	})
	r := parse(t, "rspecjson", []byte(doc(strings.Replace(one, `failure_count":0`, `failure_count":1`, 1), "1 example, 1 failure", example("failed", raised))))
	if c := r.Cases[0]; c.ID != "./s.rb › a › b" || c.Line != 3 || c.Failures[0].Message != "m" || c.Failures[0].File != "./s.rb" || c.Failures[0].Line != 4 || strings.Contains(c.Failures[0].Text, "gems") {
		t.Errorf("%+v", c)
	}
}
