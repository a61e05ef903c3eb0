package parsers

import "testing"

// A frame's path may hold spaces and brackets, and is a URL in a module; frames of others are passed over.
func TestJavaScriptPlaces(t *testing.T) {
	for text, want := range map[string]place{
		"    at f (/w/pro ject é/a.test.js:3:5)":                                            {"/w/pro ject é/a.test.js", 3},
		"    at /w/pro (old)/a.test.js:3:5":                                                 {"/w/pro (old)/a.test.js", 3},
		"    at Foo.bar [as baz] (/w/pro (old)/a.test.tsx:3:5)":                             {"/w/pro (old)/a.test.tsx", 3},
		"    at async /w/a.mjs:3:5":                                                         {"/w/a.mjs", 3},
		"    at file:///w/pro%20ject/a.mjs:3:5":                                             {"/w/pro ject/a.mjs", 3},
		`    at f (C:\w\a b\a.cjs:3:5)`:                                                     {`C:\w\a b\a.cjs`, 3},
		"    at f (/w/node_modules/x/i.js:1:2)\n    at node:fs:1:2\n    at g (/w/a.js:3:5)": {"/w/a.js", 3},
		"    at new Promise (<anonymous>)\n    at f (native)":                               {},
	} {
		if got := patterns().find(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}
