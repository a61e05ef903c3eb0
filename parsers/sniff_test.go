package parsers

import "testing"

func TestSniff(t *testing.T) {
	for text, want := range map[string]string{
		"": "empty", " \n": "empty", "hello": "", "{}": "json", `{"a":1}`: "json", "[1]": "", "<a/>": "", `<?xml version="1.0"?><a/>`: "xml",
		"<html><body>": "html", "<!DOCTYPE html><p>": "html", `<?xml version="1.0"?><coverage a="1"><packages/>`: "coverage-xml",
		"<failsafe-summary>": "failsafe-summary", "<testsuite/>": "junit", "x <j:TestSuites>": "junit", "\xef\xbb\xbf<testsuite>": "junit",
		"\xff\xfe<\x00t\x00e\x00s\x00t\x00s\x00u\x00i\x00t\x00e\x00>\x00": "junit", "<testsuitesomething>": "",
		`{"Action":"start","Package":"p"}` + "\n": "gotestjson", `{"e":"start","v":1}` + "\n{": "probe", `{"numFailedTestSuites":0,"numFail`: "jestjson",
		"\x1f\x8bxx": "gzip", "<html><pre>&lt;testsuite&gt;": "html",
	} {
		if got := Sniff([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
