package parsers

import "testing"

func TestSniff(t *testing.T) {
	for text, want := range map[string]string{
		"": "empty", " \n": "empty", "hello": "text", "{}": "json", `{"a":1}`: "json", "[1]": "json", "<a/>": "xml", `<?xml version="1.0"?><a/>`: "xml",
		"<html><body>": "html", "<!DOCTYPE html><p>": "html", `<?xml version="1.0"?><coverage a="1"><packages/>`: "coverage",
		"<failsafe-summary>": "failsafe-summary", "<testsuite/>": "junit", "x <j:TestSuites>": "junit", "\xef\xbb\xbf<testsuite>": "junit",
		"\xff\xfe<\x00t\x00e\x00s\x00t\x00s\x00u\x00i\x00t\x00e\x00>\x00": "junit", "<testsuitesomething>": "xml",
		`{"Action":"start","Package":"p"}` + "\n": "gotestjson", `{"e":"start","v":1}` + "\n{": "probe", `{"numFailedTestSuites":0,"numFail`: "jestjson",
		`<?xml version="1.0"?><!DOCTYPE coverage SYSTEM "x"><coverage line-rate="0.9" version="7">`:     "cobertura",
		`<coverage generated="1700000000" clover="3.2.0"><project>`:                                     "clover",
		`<?xml version="1.0"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD"><report name="a"><sessioninfo/>`: "jacoco",
		"<report><a/></report>": "xml", `<checkstyle version="8">`: "checkstyle", "TN:\nSF:a.c\nDA:1,1\n": "lcov", "SF:a.js\n": "lcov",
		`{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","runs":[]}`: "sarif", "a\x00b": "", "Grüße\xc3": "text",
		`<TestRun xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010">`: "trx", `<test-run id="2">`: "nunit", "<test-results>": "nunit",
		`<assemblies timestamp="x">`: "xunit", "<assembly name='a'>": "xunit", "ok 1 - <testcase>": "tap",
		"\x1f\x8bxx": "gzip", "<html><pre>&lt;testsuite&gt;": "html",
	} {
		if got := Sniff([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestDescribe: every name that Sniff gives and that is no format makes a sentence.
func TestDescribe(t *testing.T) {
	names := []string{"cobertura", "clover", "jacoco", "coverage", "lcov", "failsafe-summary", "checkstyle", "sarif", "html", "xml", "json", "text", "gzip", "empty"}
	for _, d := range documents() {
		names = append(names, d.name)
	}
	for _, name := range names {
		_, read := Lookup(name)
		if said := Describe(name); (said == "") != read {
			t.Errorf("%s: %q", name, said)
		}
	}
	if Describe("") != "" || Describe("nonsense") != "" {
		t.Error("what is not known is described")
	}
}
