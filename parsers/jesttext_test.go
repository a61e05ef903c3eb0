package parsers

import "testing"

func TestFramesOfPackages(t *testing.T) {
	f := patterns()
	for text, want := range map[string]string{
		"E: m\n    at inc (/w/node_modules/semver/inc.js:1:2)\n    at Object.<anonymous> (/w/a.test.js:3:4)\n    at f (/w/node_modules/expect/x.js:1:1)": "E: m\n    at Object.<anonymous> (/w/a.test.js:3:4)",
		"E: m\n    at inc (/w/node_modules/semver/inc.js:1:2)": "E: m\n    at inc (/w/node_modules/semver/inc.js:1:2)",
		"E: look at /node_modules/x\n    at f (/w/a.js:1:1)":   "E: look at /node_modules/x\n    at f (/w/a.js:1:1)",
	} {
		if got := f.withoutJest(text); got != want {
			t.Errorf("%q", got)
		}
	}
}
