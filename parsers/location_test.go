package parsers

import (
	"strconv"
	"testing"
)

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

func TestWrittenPlaces(t *testing.T) {
	for _, c := range []struct{ text, file, line string }{
		{"CHECK( 1 == 2 )\nat c.cc:9\n", "c.cc", "9"},
		{"/src/a_test.cc:12: Failure", "/src/a_test.cc", "12"},
		{"\tat org.junit.Assert.fail(Assert.java:86)\n\tat com.x.FooTest.bar(FooTest.java:33)\n\tat com.x.Other.baz(Other.java:1)", "com/x/FooTest.java", "33"},
		{"\tat java.base/java.lang.reflect.Method.invoke(Method.java:569)", "", "0"},
		{"at app//com.x.FooTest$Inner.bar(FooTest.java:33)", "com/x/FooTest.java", "33"},
		{"Failed asserting\n\n/srv/app/tests/FooTest.php:12", "/srv/app/tests/FooTest.php", "12"},
		{"Failure/Error: x\n# /usr/lib/ruby/gems/3.1/gems/rspec/a.rb:5:in `x'\n# ./spec/a_spec.rb:7:in `block'", "./spec/a_spec.rb", "7"},
		{"test_fails(Minitest::Result) [t.rb:6]:", "t.rb", "6"},
		{"(in test file nasty.bats, line 2)\n  `false' failed", "nasty.bats", "2"},
		{"expected 12:30 but was 12:31 at http://host.example:8080/x", "", "0"},
		{"", "", "0"},
	} {
		p := patterns().find(c.text)
		if p.file != c.file || strconv.Itoa(p.line) != c.line {
			t.Errorf("%q: %q %d", c.text, p.file, p.line)
		}
	}
}
