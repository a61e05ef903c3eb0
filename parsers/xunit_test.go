package parsers

import "testing"

// TestXUnit: the shapes of https://xunit.net/docs/format-xml-v2 and -v1.
func TestXUnit(t *testing.T) {
	checkXML(t, "xunit", []xmlCase{
		{"results", `<assemblies><assembly name="/x/a.dll" total="4" passed="1" failed="1" skipped="1" not-run="1" errors="0"><errors/>
			<collection name="Test collection for D.C" total="4" passed="1" failed="1" skipped="1" not-run="1">
			<test name="D.C.Ok(n: 1)" type="D.C" method="Ok" result="Pass" time="0.01"/>
			<test name="D.C.Bad" type="D.C" method="Bad" result="Fail" source-file="/s/C.cs" source-line="9"><failure exception-type="Xunit.Sdk.EqualException"><message><![CDATA[Assert.Equal() Failure
Expected: 3]]></message><stack-trace>   at Xunit.Assert.Equal()
   at D.C.Bad() in /s/C.cs:line 12</stack-trace></failure><output>printed</output><traits><trait name="a" value="b"/></traits></test>
			<test name="D.C.Off" type="D.C" result="Skip"><reason><![CDATA[later]]></reason></test>
			<test name="D.C.Explicit" type="D.C" result="NotRun"/>
			</collection></assembly></assemblies>`,
			"D.C.Ok(n: 1)=passed; D.C.Bad=failed(Assert.Equal() Failure|Xunit.Sdk.EqualException|/s/C.cs:12); D.C.Off=skipped:skip; D.C.Explicit=skipped:skip", "", "", false},
		{"an error of a fixture", `<assemblies><assembly total="1" passed="1" failed="0" errors="1"><errors><error type="assembly-cleanup" name="a.dll"><failure exception-type="E"><message>cannot close</message></failure></error></errors>
			<collection total="1" passed="1"><test name="a" result="Pass"/></collection></assembly></assemblies>`, "a=passed", "a.dll: cannot close", "", false},
		{"an error that is only counted", `<assemblies><assembly total="1" passed="1" failed="0" errors="1"><errors/><collection><test name="a" result="Pass"/></collection></assembly></assemblies>`,
			"a=passed", "", "claims_above_counts contradict", false},
		{"an error without a failure", `<assembly><errors><error name="e"/></errors></assembly>`, "", "e: an error without a message", "", false},
		{"version 1", `<assembly name="a.dll" total="1" passed="1" failed="0" skipped="0"><class name="D.C" total="1" passed="1"><failure exception-type="E"><message>fixture</message></failure><test name="D.C.a" type="D.C" method="a" result="Pass"/></class></assembly>`,
			"D.C.a=passed", "D.C: fixture", "claims_below_counts note", false},
		{"a failure in a pass", `<assembly><test name="a" result="Pass"><failure><message>m</message></failure></test></assembly>`, "a=failed(m||:0)", "", "status_against_child contradict", false},
		{"a failure without a result", `<assembly><test name="a"><failure/></test></assembly>`, `a=failed(result "", and no message||:0)`, "", "", false},
		{"no result", `<assembly><test name="a"/></assembly>`, "a=unknown", "", "unknown_status malformed", false},
		{"more failures claimed", `<assembly total="1" failed="2"><test name="a" result="Fail"/></assembly>`, `a=failed(result "Fail", and no message||:0)`, "", "claims_above_counts contradict", false},
		{"tests without cases", `<assembly total="3" passed="3"/>`, "", "", "claims_above_counts contradict; tests_without_cases contradict", false},
		{"a test within a test", `<assembly><test name="a" result="Pass"><test name="b" result="Fail"/></test></assembly>`, "a=passed", "", "not_understood malformed", false},
		{"nothing", `<assemblies/>`, "", "", "", true},
	})
}
