package parsers

// meanings explains every problem code of this package, for docs/results.md.
func meanings() map[string]string {
	return map[string]string{
		"argv_cut":               "the command line that a runner reports has more words than are kept",
		"attached_results":       "a probe's cases are in a file beside it, which was not read with it",
		"bad_attachment":         "a probe names a results file that it may not name",
		"bail_out":               "the run was given up (`Bail out!`)",
		"benchmark":              "a benchmark ran; it is no case",
		"broken_cdata":           "a CDATA section runs past the end of its element",
		"broken_comment":         "a comment runs over a tag: its own end is lost",
		"broken_declaration":     "a declaration or processing instruction runs over a tag",
		"broken_json":            "the document is no JSON, or not of the shape that the format has",
		"broken_line":            "a line is no event of the format, or holds one behind other text, or more is open at once than can be followed",
		"broken_tag":             "a tag is not well written, so that it could be read in two ways",
		"charset":                "the text is not in UTF-8, or the declared charset was not used",
		"claims_above_counts":    "a total claims more failures (or passes) than are listed",
		"claims_against_list":    "a total is not what is listed, in a format whose writer counts the very list",
		"claims_below_counts":    "a total claims less than is listed",
		"claims_count_retries":   "a total of failures fits when earlier attempts are counted",
		"diagnostics":            "a block of diagnostics has no end",
		"doubtful_time":          "times like `1,234` may be read in two ways",
		"duplicate_attribute":    "a tag gives an attribute twice; the worst value was taken",
		"duplicate_id":           "several cases have one identity; each counts",
		"empty":                  "there is nothing in the file",
		"event_after_end":        "a line follows the end of the stream",
		"fail_line_in_pass":      "a package printed the framework's FAIL and ended with status 0",
		"failed_without_failure": "the run, or a suite, is said to have failed, and no failure is listed",
		"failures_cut":           "a case has more failures than are kept",
		"file_without_tests":     "node lists a file without tests as a passed point; it is a skip here",
		"foreign":                "it is no document of the format; what it is, where that is known",
		"group_passed":           "a group of results is said to have passed, and one in it did not",
		"gzip":                   "the file is compressed; where the packing itself is broken this blocks",
		"inconclusive":           "a result is inconclusive: read as skipped",
		"interrupted":            "the runner says that it was interrupted",
		"late_error":             "a test met an error when it had ended; it failed",
		"line_left_out":          "a line was too long, of a kind that says nothing of outcomes",
		"line_too_long":          "a line was too long to be read whole, and could tell of an outcome",
		"loose_text":             "text stands directly in cases, or in suites where it looks like a piece of a tag; plain text in suites is a note",
		"markup_after_end":       "markup stands behind the end of the document",
		"message":                "what rspec says beside the examples",
		"name_cut":               "a name was cut; a digest tells it from others",
		"nested":                 "the process was started by a test: its results are not counted",
		"no_ctrf_results":        "JSON, and no CTRF report",
		"no_definition":          "a result has no definition in the file, so that its class is not known",
		"no_end":                 "what started has no end: something ended it early",
		"no_event":               "no event of the format is in the file",
		"no_go_event":            "no event of `go test -json` is in the file",
		"no_jest_results":        "JSON, and not what jest writes",
		"no_junit_element":       "no element of JUnit XML is in the file; what it is, where that is known",
		"no_mocha_results":       "JSON, and not what mocha writes",
		"no_name":                "a case has no name; in CTRF, where one must be, this blocks",
		"no_pass_line":           "a package passed without the framework's line PASS: its tests may never have run",
		"no_plan":                "a stream of TAP has no plan, so that its end cannot be known",
		"no_playwright_results":  "JSON, and not what Playwright writes",
		"no_rspec_results":       "JSON, and not what rspec writes",
		"no_start":               "a probe stream does not begin with its start",
		"no_success":             "vitest does not say whether the run succeeded",
		"no_summary":             "the summary is missing, which is the proof that the run reached its end",
		"no_tap":                 "no line of TAP is in the file",
		"no_test_files":          "packages without test files, or none was found",
		"no_tests_found":         "Playwright found no tests",
		"no_vitest_results":      "JSON, and not what vitest writes",
		"no_tests_to_run":        "a package has no tests to run",
		"noise":                  "lines that are no TAP",
		"not_among_tests":        "a result is of a test that the list of all tests does not hold",
		"not_ended":              "a test started and did not end",
		"not_finished":           "a test has no outcome: it did not reach its end",
		"not_ok":                 "Playwright calls a spec not ok, and none of its tests failed",
		"not_run":                "tests are listed that did not run: listed only, planned only, or stopped before",
		"not_understood":         "elements or events that are not known, by name; a note where they cannot tell of an outcome",
		"note":                   "a note of the runner's own, through its probe",
		"odd_time":               "a time is no time, or none that can be",
		"odd_total":              "a total is no number of tests",
		"only_listed":            "the tests were listed and not run",
		"open_handles":           "jest says that handles were left open",
		"order":                  "mocha's lists stand in an order in which they cannot be brought together",
		"package_not_ended":      "a package has no closing event",
		"passed_and_failed":      "one test is listed as passed and as failed; it failed",
		"pending":                "a result is pending: read as skipped",
		"plan_above_points":      "a plan announces more points than are there",
		"planned_above_cases":    "more tests were announced than ended",
		"point_number":           "the numbers of points do not follow each other",
		"points_above_plan":      "more points are there than the plan announces",
		"probe":                  "what a probe says without a code of its own",
		"replaced_bytes":         "characters that are not valid or not allowed were replaced in what is kept",
		"rerun_passed":           "a case was run again, and no final failure is listed: read as passed",
		"run_info":               "what the run says of itself, and no failure",
		"run_not_completed":      "the run is said to have been aborted or the like",
		"second_plan":            "two plans: two streams stand in one file",
		"second_start":           "two processes wrote into one probe stream",
		"several_roots":          "several documents stand in one file; all were read",
		"shard":                  "the file holds one shard of the tests",
		"skip_all":               "the whole stream is skipped",
		"skipped_and_failed":     "a case is skipped and failed: read as failed",
		"skipped_and_flaky":      "a case is skipped and failed in earlier attempts: read as passed in the end",
		"slow":                   "a test ran for longer than a minute",
		"snapshots":              "snapshots that were written, removed or are obsolete",
		"started_again":          "a test started again before it ended",
		"status_against_child":   "a case is said to have passed (or a suite to have failed), and what stands in it says otherwise",
		"status_against_failure": "a test is said to have passed, and has a failure",
		"stray_failure":          "a failure stands outside any suite",
		"subtest_without_plan":   "points stand deeper than others and have no plan",
		"subtest_without_point":  "no point follows a subtest",
		"success_false":          "the run did not succeed, and no failure is listed",
		"success_true":           "the run is said to have succeeded, and failures are listed",
		"suite_skipped":          "a skip stands in a suite, outside any case",
		"suites_missing":         "fewer suites are there than were to be loaded",
		"tests_above_cases":      "a total claims more tests than are listed",
		"tests_without_cases":    "a total claims tests, and none is listed",
		"text_after_end":         "something follows the end of the document",
		"text_around":            "text stands around the document",
		"text_cut":               "a text was cut to its head and tail",
		"text_in_stream":         "a line is no JSON",
		"texts_cut":              "texts were cut, or left out, for their length",
		"too_deep":               "elements or subtests are nested deeper than is followed",
		"too_large":              "the file, or what must be held of it, is larger than a cap: the rest is not read, or only counted",
		"too_many_attributes":    "an element has more attributes than are read",
		"too_many_outside":       "more failures outside cases than are kept",
		"too_many_problems":      "a probe reports more problems than are kept",
		"truncated":              "the file is cut off; where, and inside what",
		"unclosed_tag":           "an element was not closed; a note where it cannot tell of an outcome",
		"unfinished_case":        "a case was not closed: how it ended is not known",
		"unknown_event":          "an event that is not known",
		"unknown_status":         "a status or result that is not known",
		"unknown_version":        "a probe stream of a version that is not known",
		"unlisted_tests":         "tests that ended and are in no list; a note where the writer groups them",
		"unmatched_tag":          "an end tag closes nothing; a note where it cannot tell of an outcome",
		"value_cut":              "an attribute was cut; a digest tells it from others",
		"warning":                "a test passed with a warning",
		"words_cut":              "there is no room for more names of suites and files",
	}
}

// outerMeanings explains the codes of those who open files.
func outerMeanings() map[string]string {
	return map[string]string{
		"aggregate":             "a note: the file repeats others beside it and was not added to them",
		"aggregate_above_parts": "it lists more, or worse, than the files that it should repeat",
		"changed":               "the file changed or was replaced while it was read, or is not the one that its writer named",
		"foreign":               "no results file that factgate knows; what it is, where that is known",
		"foreign_owner":         "the file belongs to another user than the one that the run was started as",
		"foreign_path":          "a probe names results outside its folder",
		"late":                  "the file was written or changed after the runner's end",
		"linked":                "the file is a hard link to another",
		"missing":               "there is no such file",
		"no_file":               "the run wrote no results file",
		"no_probe":              "no process of the runner reported itself",
		"not_regular":           "a FIFO, a device, a link or the like: it is not opened",
		"not_sealed":            "the end of a probe stream was not written by our probe",
		"stale":                 "the file was there before the run, and the run did not write it",
		"too_large":             "the file is larger than is read",
		"too_many_files":        "a folder holds more files than are read",
		"unknown_format":        "the format is none that is read",
		"unreadable":            "the file cannot be opened or read",
	}
}

// shown is a class of difference to another reader, with a smallest input that shows it.
type shown struct{ class, input, why string }

// goJUnitRefuses are documents with one failure that go-junit refuses whole.
func goJUnitRefuses() []shown {
	const body = "<testsuite><testcase name='a'><failure>"
	const end = "</failure></testcase></testsuite>"
	return []shown{
		{class: "a control character", input: body + "\x1b[31m" + end},
		{class: "invalid UTF-8", input: body + "\xff" + end},
		{class: "a character that XML forbids, as a reference", input: body + "&#27;" + end},
		{class: "an entity that is not declared", input: body + "&nbsp;" + end},
		{class: "`]]>` in text", input: body + "a ]]> b" + end},
		{class: "XML 1.1", input: "<?xml version='1.1'?>" + body + end},
		{class: "another charset than UTF-8", input: "<?xml version='1.0' encoding='ISO-8859-1'?>" + body + "\xe9" + end},
		{class: "a file that is cut off", input: "<testsuite>" + "<testcase name='a'><failure/></testcase>"},
		{class: "an attribute without quotes", input: "<testsuite tests=1>" + "<testcase name='a'><failure/></testcase></testsuite>"},
		{class: "a bare `<` in text", input: body + "1 < 2" + end},
	}
}

// goJUnitClasses are the classes of the differential test.
func goJUnitClasses() []shown {
	return []shown{
		{class: outsideSuite, input: `<testsuites><testcase name="a"><failure/></testcase></testsuites>`},
		{class: insideOther, input: `<testsuite><x><testcase name="a"><failure/></testcase></x></testsuite>`},
		{class: lastWins, input: `<testsuite><testcase name="a"><failure/><skipped/></testcase></testsuite>`},
		{class: flakyChild, input: `<testsuite><testcase name="a"><skipped/><flakyFailure/></testcase></testsuite>`},
		{class: offChild, input: `<testsuite><testcase name="a"><disabled/></testcase></testsuite>`},
		{class: byAttribute, input: `<testsuite><testcase name="a" status="failed"/></testsuite>`},
		{class: deepChild, input: `<testsuite><testcase name="a"><x><failure/></x></testcase></testsuite>`},
		{class: otherCase, input: `<testsuite><testcase name="a"><FAILURE/></testcase></testsuite>`},
		{class: suiteFails, input: `<testsuite><error/><testcase name="a"/></testsuite>`},
	}
}

// The classes of difference to gotestsum.
const (
	withoutEnd   = "package without its end"
	passedFailed = "package that passed with a failed test"
	parentTest   = "parent"
	benchmarkRun = "benchmark"
	withoutLine  = "passed without the framework's line"
)

// gotestsumClasses are the classes of the differential test of streams of go test.
func gotestsumClasses() []shown {
	run := func(test string) string { return `{"Action":"run","Package":"p","Test":"` + test + `"}` + "\n" }
	says := func(action, test string) string {
		return `{"Action":"` + action + `","Package":"p","Test":"` + test + `"}` + "\n"
	}
	const start, pass = `{"Action":"start","Package":"p"}` + "\n", `{"Action":"pass","Package":"p"}` + "\n"
	return []shown{
		{withoutEnd, start + run("T"), "for gotestsum such a package has neither passed nor failed; we say that it has not ended"},
		{passedFailed, start + run("T") + says("fail", "T") + pass, "TestMain may end with status 0 although a test failed: both see the test, only we call the package failed"},
		{parentTest, start + run("T") + run("T/a") + says("pass", "T/a") + says("pass", "T") + pass, "gotestsum counts a test and its subtests; we count leaves, and a parent only when it failed by itself"},
		{benchmarkRun, start + run("BenchmarkB") + `{"Action":"output","Package":"p","Output":"PASS\n"}` + "\n" + pass, "a benchmark that passed has no closing event: gotestsum takes it for a test that did not end"},
		{withoutLine, start + run("T") + says("pass", "T"), "test2json closes a test as passed when the binary ends with status 0 in its middle; the framework's own line and the end of the package are missing then, and we call the test errored"},
	}
}
