package parsers

import "testing"

// TestNUnit3: the shapes of https://docs.nunit.org/articles/nunit/technical-notes/usage/Test-Result-XML-Format.html
func TestNUnit3(t *testing.T) {
	checkXML(t, "nunit", []xmlCase{
		{"results", `<test-run total="9" passed="2" failed="4" warnings="1" inconclusive="1" skipped="2" result="Failed"><command-line><![CDATA[nunit3-console]]></command-line>
			<test-suite type="Assembly" name="a.dll" result="Failed" site="Child" total="9"><failure><message><![CDATA[One or more child tests had errors]]></message></failure>
			<test-case name="Ok" fullname="D.C.Ok" classname="D.C" result="Passed" duration="0.1" asserts="1"><properties><property name="a" value="b"/></properties><output>x</output></test-case>
			<test-case name="Bad" fullname="D.C.Bad" classname="D.C" result="Failed"><failure><message>  Expected: 3
  But was:  2</message><stack-trace>   at D.C.Bad() in C:\s\C.cs:line 12</stack-trace></failure><assertions><assertion result="Failed"><message>  Expected: 3</message><stack-trace>y</stack-trace></assertion></assertions></test-case>
			<test-case name="Throws" fullname="D.C.Throws" result="Failed" label="Error"><failure><message>System.Exception : boom</message></failure></test-case>
			<test-case name="Invalid" fullname="D.C.Invalid" result="Failed" label="Invalid"><reason><message>no arguments</message></reason></test-case>
			<test-case name="Cancelled" fullname="D.C.Cancelled" result="Failed" label="Cancelled"/>
			<test-case name="Unsure" fullname="D.C.Unsure" result="Inconclusive"><reason><message>cannot tell</message></reason></test-case>
			<test-case name="Off" fullname="D.C.Off" result="Skipped" label="Ignored"/>
			<test-case name="Manual" fullname="D.C.Manual" result="Skipped" label="Explicit"/>
			<test-case name="Warns" fullname="D.C.Warns" result="Warning"><assertions><assertion result="Warning"><message>w</message></assertion></assertions></test-case>
			</test-suite></test-run>`,
			`D.C.Ok=passed; D.C.Bad=failed(Expected: 3||C:\s\C.cs:12); D.C.Throws=errored(boom|System.Exception|:0); D.C.Invalid=errored(no arguments||:0); D.C.Cancelled=errored(result "failed cancelled", and no message||:0); D.C.Unsure=skipped:skip; D.C.Off=skipped:ignored; D.C.Manual=skipped:skip; D.C.Warns=passed`,
			"", "inconclusive note; warning note", false},
		{"several assertions", `<test-run><test-case fullname="a" result="Failed"><failure><message>Multiple failures</message></failure><assertions><assertion result="Failed"><message>one</message></assertion><assertion result="Error"><message>two</message></assertion></assertions></test-case></test-run>`,
			"a=failed(one||:0)(two||:0)", "", "", false},
		{"set-up of a fixture", `<test-run result="Failed"><test-suite name="C" result="Failed" label="Error" site="SetUp"><failure><message>OneTimeSetUp: no database</message></failure>
			<test-case fullname="C.a" result="Failed" label="Error" site="Parent"><failure><message>OneTimeSetUp: no database</message></failure></test-case></test-suite></test-run>`,
			"C.a=errored(OneTimeSetUp: no database||:0)", "C: OneTimeSetUp: no database", "", false},
		{"tear-down of a fixture", `<test-run result="Failed"><test-suite name="A" result="Failed" site="Child"><test-suite name="C" result="Failed" label="Error" site="TearDown"><failure><message>m</message></failure><test-case fullname="C.a" result="Passed"/></test-suite></test-suite></test-run>`,
			"C.a=passed", "C: m", "", false},
		{"tear-down without words", `<test-run><test-suite name="C" result="Failed" site="TearDown"><test-case fullname="C.a" result="Passed"/></test-suite></test-run>`,
			"C.a=passed", `C: result "failed teardown", and no message`, "", false},
		{"an assembly that does not load", `<test-run result="Failed"><test-suite type="Assembly" name="a.dll" runstate="NotRunnable" result="Failed" label="Invalid"><reason><message>File not found</message></reason></test-suite></test-run>`,
			"", "a.dll: File not found", "", false},
		{"a child that is not there", `<test-run><test-suite name="C" result="Failed" site="Child"><failure><message>One or more child tests had errors</message></failure><test-case fullname="a" result="Passed"/></test-suite></test-run>`,
			"a=passed", "C: the suite is said to have failed, and no case in it did: its tear-down may have", "", false},
		{"the root failed", `<test-run result="Failed"><test-case fullname="a" result="Passed"/></test-run>`, "a=passed", "", "failed_without_failure contradict", false},
		{"empty failure in a pass", `<test-run><test-case fullname="a" result="Passed"><failure><message></message><stack-trace>None</stack-trace></failure></test-case></test-run>`, "a=passed", "", "", true},
		{"failure in a pass", `<test-run><test-case fullname="a" result="Passed"><failure><message>m</message></failure></test-case></test-run>`, "a=failed(m||:0)", "", "status_against_child contradict", false},
		{"failed assertion in a pass", `<test-run><test-case fullname="a" result="Passed"><assertions><assertion result="Failed"><message>m</message></assertion></assertions></test-case></test-run>`,
			`a=failed(result "passed", and no message||:0)`, "", "status_against_child contradict", false},
		{"unknown result", `<test-run><test-suite result="Odd"><test-case fullname="a" result="Fine"/></test-suite></test-run>`, "a=unknown", "", "unknown_status malformed", false},
		{"no result", `<test-run><test-case fullname="a"/></test-run>`, "a=unknown", "", "unknown_status malformed", false},
		{"Warning:Ignored of 3.0", `<test-run><test-case fullname="a" result="Warning" label="Ignored"/></test-run>`, "a=skipped:ignored", "", "", true},
		{"invalid", `<test-run><test-case fullname="a" result="Skipped" label="Invalid"><reason><message>no arguments</message></reason></test-case></test-run>`, "a=errored(no arguments||:0)", "", "", false},
		{"more failures claimed", `<test-run total="1" passed="1" failed="1"><test-case fullname="a" result="Passed"/></test-run>`, "a=passed", "", "claims_above_counts contradict", false},
		{"as many as there are numbers", `<test-run total="9223372036854775807" failed="9223372036854775807" skipped="9223372036854775807" inconclusive="9223372036854775807"><test-case fullname="a" result="Passed"/></test-run>`, "a=passed", "", "claims_above_counts contradict", false},
		{"a suite claims more", `<test-run><test-suite name="C" total="5"><test-case fullname="a" result="Passed"/></test-suite></test-run>`, "a=passed", "", "tests_above_cases contradict", false},
		{"a case within a case", `<test-run><test-case fullname="a" result="Passed"><test-case fullname="b" result="Failed"/></test-case></test-run>`, "a=passed", "", "not_understood malformed", false},
	})
}

// TestNUnit2: what nunit-console 2.6.4 writes is in the captured files; this is what it cannot be made to write at will.
func TestNUnit2(t *testing.T) {
	checkXML(t, "nunit", []xmlCase{
		{"before 2.5", `<test-results total="2" failures="1" not-run="1"><test-suite name="C" success="False"><results><test-case name="C.a" executed="True" success="True"/><test-case name="C.b" executed="True" success="False"><failure><message>m</message></failure></test-case><test-case name="C.c" executed="False"><reason><message>later</message></reason></test-case></results></test-suite></test-results>`,
			"C.a=passed; C.b=failed(m||:0); C.c=skipped:ignored", "", "", false},
		{"success against result", `<test-results><test-case name="a" result="Success" success="False"/></test-results>`, `a=failed(result "success", and no message||:0)`, "", "status_against_child contradict", false},
		{"executed against result", `<test-results><test-case name="a" result="Success" executed="False"/></test-results>`, "a=unknown", "", "status_against_child contradict; unknown_status malformed", false},
		{"cancelled", `<test-results><test-case name="a" result="Cancelled"/></test-results>`, `a=errored(result "cancelled", and no message||:0)`, "", "", false},
		{"invalid is claimed", `<test-results total="1" invalid="1" not-run="0"><test-case name="a" result="Success"/></test-results>`, "a=passed", "", "claims_above_counts contradict", false},
	})
}
