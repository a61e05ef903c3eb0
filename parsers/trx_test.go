package parsers

import "testing"

// TestTRX: the shapes that vstest's own logger writes (microsoft/vstest, Microsoft.TestPlatform.Extensions.TrxLogger).
func TestTRX(t *testing.T) {
	run := func(results, summary string) string {
		return `<TestRun id="1" xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Times/><TestSettings name="default"/><Results>` + results +
			`</Results><TestDefinitions><UnitTest id="1" name="a" storage="/x/d.dll"><Execution id="9"/><TestMethod codeBase="/x/d.dll" className="D.C, d, Version=1.0" name="a"/></UnitTest></TestDefinitions><TestEntries/><TestLists/>` + summary + `</TestRun>`
	}
	result := func(name, outcome, in string) string {
		return `<UnitTestResult testId="1" testName="` + name + `" outcome="` + outcome + `" duration="00:00:01.5">` + in + `</UnitTestResult>`
	}
	info := func(message, stack string) string {
		return `<Output><StdOut>printed</StdOut><ErrorInfo><Message>` + message + `</Message><StackTrace>` + stack + `</StackTrace></ErrorInfo></Output>`
	}
	done := `<ResultSummary outcome="Completed"/>`
	said := func(outcome, text string) string {
		return `<ResultSummary outcome="` + outcome + `"><RunInfos>` + text + `</RunInfos></ResultSummary>`
	}
	checkXML(t, "trx", []xmlCase{
		{"definitions behind results", run(result("a", "Passed", ""), done), "D.C › a=passed", "", "", true},
		{"names with the class", run(result("D.C.a(x: 1)", "Passed", ""), done), "D.C.a(x: 1)=passed", "", "", true},
		{"failure", run(result("a", "Failed", info("Assert.AreEqual failed.\nExpected 3", "   at D.C.a() in /s/C.cs:line 12")), `<ResultSummary outcome="Failed"><Counters total="1" executed="1" passed="0" failed="1"/></ResultSummary>`),
			"D.C › a=failed(Assert.AreEqual failed.||/s/C.cs:12)", "", "", false},
		{"reason of a skip", run(result("a", "NotExecuted", info("later", "")), done), "D.C › a=skipped:skip", "", "", true},
		{"words of a pass", run(result("a", "Passed", info("said by Assert.Pass", "")), done), "D.C › a=passed", "", "", true},
		{"stack in a pass", run(result("a", "Passed", info("m", "at x")), done), "D.C › a=failed(m||:0)", "", "status_against_child contradict", false},
		{"data rows", run(result("a", "Failed", `<InnerResults>`+result("a (1)", "Passed", "")+result("a (2)", "Failed", info("m", ""))+`</InnerResults>`), `<ResultSummary outcome="Failed"><Counters total="3" executed="3" passed="1" failed="2"/></ResultSummary>`),
			"D.C › a (1)=passed; D.C › a (2)=failed(m||:0)", "", "", false},
		{"green data rows", run(result("a", "Passed", `<InnerResults>`+result("a (1)", "Passed", "")+result("a (2)", "NotExecuted", "")+`</InnerResults>`), done), "D.C › a (1)=passed; D.C › a (2)=skipped:skip", "", "", true},
		{"rows that hide a failure", run(result("a", "Passed", `<InnerResults>`+result("a (1)", "Failed", "")+`</InnerResults>`), done), `D.C › a (1)=failed(outcome "Failed"||:0)`, "", "group_passed note", false},
		{"a group fails by itself", run(result("a", "Failed", `<InnerResults>`+result("a (1)", "Passed", "")+`</InnerResults>`+info("cleanup", "")), `<ResultSummary outcome="Failed"/>`), "D.C › a (1)=passed; D.C › a=failed(cleanup||:0)", "", "", false},
		{"ordered test", run(`<TestResultAggregation testName="o" outcome="Failed"><InnerResults>`+result("a", "Timeout", "")+`</InnerResults></TestResultAggregation>`, `<ResultSummary outcome="Failed"/>`), `D.C › a=errored(outcome "Timeout"||:0)`, "", "", false},
		{"no outcome", run(`<UnitTestResult testId="1" testName="a"/>`, done), "D.C › a=unknown", "", "unknown_status malformed", false},
		{"unknown outcome", run(result("a", "Splendid", ""), done), "D.C › a=unknown", "", "unknown_status malformed", false},
		{"no definition", run(`<UnitTestResult testId="2" testName="a" outcome="Passed"/>`, done), "a=passed", "", "no_definition note", true},
		{"unknown kind of result", run(`<Curious outcome="Failed"/>`+result("a", "Passed", ""), done), "D.C › a=passed", "", "not_understood malformed", false},
		{"same id", run(result("a", "Passed", "")+result("a", "Passed", ""), done), "D.C › a=passed; D.C › a=passed", "", "duplicate_id note", true},
		{"strange element of a result", run(result("a", "Passed", "<Colour/><Output><Failures/></Output>"), done), "D.C › a=passed", "", "not_understood malformed", false},
		{"no summary", run(result("a", "Passed", ""), ""), "D.C › a=passed", "", "no_summary incomplete", false},
		{"aborted", run(result("a", "Passed", ""), `<ResultSummary outcome="Aborted"/>`), "D.C › a=passed", "", "run_not_completed incomplete", false},
		{"unknown summary", run(result("a", "Passed", ""), `<ResultSummary/>`), "D.C › a=passed", "", "run_not_completed incomplete", false},
		{"failed without failure", run(result("a", "Passed", ""), `<ResultSummary outcome="Failed"/>`), "D.C › a=passed", "", "failed_without_failure contradict", false},
		{"error of the run", run(result("a", "Passed", ""), said("Failed", `<RunInfo outcome="Error"><Text>Testhost process exited with error</Text></RunInfo>`)), "D.C › a=passed", "the run: Testhost process exited with error", "", false},
		{"exception of the run", run("", said("Failed", `<RunInfo outcome="Error"><Exception>System.Exception: x</Exception></RunInfo>`)), "", "the run: System.Exception: x", "", false},
		{"warning of the run", run(result("a", "Passed", ""), said("Completed", `<RunInfo outcome="Warning"><Text>No test matches</Text></RunInfo>`)), "D.C › a=passed", "", "run_info note", true},
		{"an adapter repeats a failure", run(result("a", "Failed", info("m", "")), said("Failed", `<RunInfo outcome="Error"><Text>[xUnit.net 00:00:00.44]     D.C.a [FAIL]</Text></RunInfo>`)), "D.C › a=failed(m||:0)", "", "run_info note", false},
		{"and one that is not listed", run(result("a", "Passed", ""), said("Failed", `<RunInfo outcome="Error"><Text>D.C.b [FAIL]</Text></RunInfo>`)), "D.C › a=passed", "the run: D.C.b [FAIL]", "", false},
		{"more failures counted", run(result("a", "Passed", ""), `<ResultSummary outcome="Completed"><Counters total="1" passed="1" failed="1"/></ResultSummary>`), "D.C › a=passed", "", "claims_above_counts contradict", false},
		{"more tests counted", run(result("a", "Passed", ""), `<ResultSummary outcome="Completed"><Counters total="3" passed="1"/></ResultSummary>`), "D.C › a=passed", "", "tests_above_cases contradict", false},
	})
}
