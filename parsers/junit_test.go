package parsers

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"factgate/facts"
)

// statuses gives the case statuses in order, as words.
func statuses(r facts.Results) string {
	var words []string
	for _, c := range r.Cases {
		words = append(words, c.Status.String())
	}
	return strings.Join(words, " ")
}

// TestJUnitOutcomes: the worst of what stands in or on a case decides.
func TestJUnitOutcomes(t *testing.T) {
	for _, c := range []struct{ name, body, want, code string }{
		{"plain", `<testcase name="a"/>`, "passed", ""},
		{"failure", `<testcase name="a"><failure/></testcase>`, "failed", ""},
		{"error", `<testcase name="a"><error/></testcase>`, "errored", ""},
		{"failure then skipped", `<testcase name="a"><failure/><skipped/></testcase>`, "failed", "skipped_and_failed"},
		{"skipped then failure", `<testcase name="a"><skipped type="todo"/><failure/></testcase>`, "failed", "skipped_and_failed"},
		{"error then failure", `<testcase name="a"><error/><failure/></testcase>`, "errored", ""},
		{"deep failure", `<testcase name="a"><x><y><failure/></y></x></testcase>`, "failed", "not_understood"},
		{"upper case", `<TestCase NAME="a"><FAILURE/></TestCase>`, "failed", ""},
		{"namespaced", `<j:testcase name="a"><j:failure/></j:testcase>`, "failed", ""},
		{"flaky", `<testcase name="a"><flakyFailure/></testcase>`, "passed", ""},
		{"flaky error", `<testcase name="a"><flakyError/></testcase>`, "passed", ""},
		{"rerun and failed", `<testcase name="a"><failure/><rerunFailure/></testcase>`, "failed", ""},
		{"rerun only", `<testcase name="a"><rerunFailure/></testcase>`, "passed", "rerun_passed"},
		{"status run", `<testcase name="a" status="run" result="completed"/>`, "passed", ""},
		{"status failed", `<testcase name="a" status="Failed"/>`, "failed", ""},
		{"status error", `<testcase name="a" status="error"/>`, "errored", ""},
		{"status not run", `<testcase name="a" status="notrun" result="suppressed"/>`, "skipped", ""},
		{"status unknown", `<testcase name="a" status="wobbly"/>`, "unknown", "unknown_status"},
		{"status unknown, failed", `<testcase name="a" status="wobbly"><failure/></testcase>`, "failed", ""},
		{"disabled with a failure", `<testcase name="a" status="disabled"><failure/></testcase>`, "failed", "skipped_and_failed"},
		{"result against status", `<testcase name="a" status="passed" result="failed"/>`, "failed", ""},
		{"status failed, child skipped", `<testcase name="a" status="failed"><skipped/></testcase>`, "skipped", "status_against_child"},
		{"status twice", `<testcase name="a" status="failed" status="passed"/>`, "failed", "duplicate_attribute"},
		{"disabled element", `<testcase name="a"><disabled/></testcase>`, "skipped", ""},
		{"ignored element", `<testcase name="a"><ignored/></testcase>`, "skipped", ""},
		{"ignored, failed", `<testcase name="a"><ignored/><failure/></testcase>`, "failed", "skipped_and_failed"},
		{"suite failure", `<failure>x</failure><testcase name="a"/>`, "passed failed", ""},
		{"suite error", `<error>x</error>`, "errored", ""},
		{"nested suites", `<testsuite><testsuite><testcase name="a"/></testsuite><testcase name="b"><failure/></testcase></testsuite>`, "passed failed", ""},
		{"no end tag", `<testcase name="a">`, "unknown", "unclosed_tag"},
		{"no end tag, failed", `<testcase name="a"><failure/>`, "failed", "unclosed_tag"},
		{"swallowed by a quote", `<testcase name="a><failure message="x"/></testcase><testcase name="b"/>`, "passed passed", "broken_tag"},
		{"no space between attributes", `<testcase name="a"time="1"/>`, "passed", "broken_tag"},
		{"no quotes", `<testcase name=a/>`, "unknown", "broken_tag"},
		{"case in case", `<testcase name="a"><testcase name="b"><failure/></testcase></testcase>`, "failed passed", ""},
		{"two of one name", `<testcase name="a"/><testcase name="a"><failure/></testcase>`, "passed failed", "duplicate_id"},
		{"commented out", `<!-- <testcase name="a"><failure/></testcase> --><testcase name="b"/>`, "passed", ""},
		{"in CDATA", `<testcase name="a"><system-out><![CDATA[<failure/></testcase>]]></system-out></testcase>`, "passed", ""},
		{"a retry around a failed case", `<flakyFailure>x<testcase name="a"><failure/></testcase></flakyFailure>`, "failed", "suite_skipped"},
		{"a retry in a failure", `<testcase name="a"><failure message="m">x<flakyError>y</flakyError>z</failure></testcase>`, "failed", ""},
		{"tags in text", `<testcase name="a"><failure>List<String> a < b && c</failure></testcase>`, "failed", "unclosed_tag"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := parse(t, "junit", []byte(`<testsuites><testsuite name="s">`+c.body+`</testsuite></testsuites>`))
			if got := statuses(r); got != c.want || !r.Complete {
				t.Errorf("%s, complete %v, want %s", got, r.Complete, c.want)
			}
			if _, ok := has(r, c.code); c.code != "" && !ok {
				t.Errorf("no problem %s: %v", c.code, r.Problems)
			}
			if c.code == "" && len(r.Problems) > 0 {
				t.Errorf("problems: %v", r.Problems)
			}
		})
	}
}

func TestJUnitFlaky(t *testing.T) {
	r := parse(t, "junit", []byte(`<testsuite><testcase name="a"><flakyFailure message="one"/><flakyError message="two"/></testcase>`+
		`<testcase name="b"><rerunFailure message="first"/><failure message="last"/></testcase></testsuite>`))
	a, b := r.Cases[0], r.Cases[1]
	if !a.Flaky || a.Attempts != 3 || len(a.Failures) != 2 || r.Counts.Flaky != 1 {
		t.Errorf("%+v", a)
	}
	if b.Flaky || b.Attempts != 2 || b.Status != facts.Failed || len(b.Failures) != 2 {
		t.Errorf("%+v", b)
	}
}

// TestJUnitClaims: a claim of more than is listed contradicts, a claim of less is a note.
func TestJUnitClaims(t *testing.T) {
	const pass, fail, skip = `<testcase name="a"/>`, `<testcase name="f"><failure/></testcase>`, `<testcase name="s"><skipped/></testcase>`
	for _, c := range []struct {
		name, text, code string
		weight           facts.Weight
	}{
		{"equal", `<testsuite tests="3" failures="1" skipped="1">` + pass + fail + skip + `</testsuite>`, "", 0},
		{"failures above", `<testsuite tests="1" failures="1">` + pass + `</testsuite>`, "claims_above_counts", facts.Contradict},
		{"errors above", `<testsuite tests="1" errors="1">` + pass + `</testsuite>`, "claims_above_counts", facts.Contradict},
		{"root above", `<testsuites failures="2"><testsuite>` + fail + `</testsuite></testsuites>`, "claims_above_counts", facts.Contradict},
		{"given twice", `<testsuite failures="1" failures="0">` + pass + `</testsuite>`, "claims_above_counts", facts.Contradict},
		{"errors for failures", `<testsuite tests="1" failures="0" errors="1">` + fail + `</testsuite>`, "", 0},
		{"failures below", `<testsuite tests="1" failures="0">` + fail + `</testsuite>`, "claims_below_counts", facts.Note},
		{"tests without cases", `<testsuite tests="6"></testsuite>`, "tests_without_cases", facts.Contradict},
		{"tests in one empty suite", `<testsuites><testsuite tests="6"/><testsuite tests="1">` + pass + `</testsuite></testsuites>`, "tests_without_cases", facts.Contradict},
		{"tests above", `<testsuite tests="9">` + pass + `</testsuite>`, "tests_above_cases", facts.Contradict},
		{"tests below", `<testsuite tests="1">` + pass + skip + `</testsuite>`, "claims_below_counts", facts.Note},
		{"skipped are not listed", `<testsuite tests="3" skipped="2">` + pass + `</testsuite>`, "", 0},
		{"all skipped, none listed", `<testsuite tests="2" skipped="2"></testsuite>`, "", 0},
		{"failing teardown counts", `<testsuite tests="2" errors="1"><testcase name="a"><error/></testcase></testsuite>`, "", 0},
		{"every failure counts", `<testsuite failures="2"><testcase name="a"><failure/><failure/></testcase></testsuite>`, "", 0},
		{"retries count", `<testsuite failures="1"><testcase name="a"><flakyFailure/></testcase></testsuite>`, "claims_count_retries", facts.Note},
		{"cumulative parents", `<testsuite tests="2" failures="1"><testsuite tests="2" failures="1">` + pass + fail + `</testsuite></testsuite>`, "", 0},
		{"own-only parents", `<testsuite tests="1"><testsuite tests="1">` + pass + `</testsuite>` + pass + `</testsuite>`, "duplicate_id", facts.Note},
		{"no numbers", `<testsuite tests="many" failures="-1">` + pass + `</testsuite>`, "odd_total", facts.Note},
		{"comments above", "<testsuites>" + pass + "<!-- tests 1 -->\n<!-- fail 1 --></testsuites>", "claims_above_counts", facts.Contradict},
		{"comments equal", "<testsuites>" + fail + "<!-- tests 1 -->\n<!-- fail 1 --></testsuites>", "", 0},
	} {
		r := parse(t, "junit", []byte(c.text))
		switch w, ok := has(r, c.code); {
		case c.code == "" && len(r.Problems) > 0:
			t.Errorf("%s: %v", c.name, r.Problems)
		case c.code != "" && (!ok || w != c.weight):
			t.Errorf("%s: no %s of weight %s: %v", c.name, c.code, c.weight, r.Problems)
		}
	}
}

// TestJUnitAround: text and further documents around the first.
func TestJUnitAround(t *testing.T) {
	const ok, bad = `<testsuite><testcase name="a"/></testsuite>`, `<testsuite><testcase name="b"><failure/></testcase></testsuite>`
	for _, c := range []struct {
		name, text, code string
		weight           facts.Weight
		failed           int
	}{
		{"before", "collecting <Foo object at 0x7f> it's 1 < 2\n" + ok, "text_around", facts.Note, 0},
		{"after", ok + "\nDone in 3 s, it's fine", "text_around", facts.Note, 0},
		{"markup after", ok + "<oops>", "markup_after_end", facts.Malformed, 0},
		{"end tag after", ok + "</testsuites>", "markup_after_end", facts.Malformed, 0},
		{"second root red", ok + bad, "several_roots", facts.Note, 1},
		{"first root red", bad + "\n" + ok, "several_roots", facts.Note, 1},
		{"second root cut", ok + "<testsuite><testcase name='b'", "truncated", facts.Truncated, 0},
		{"second root only declared", ok + `<?xml version="1.0"?>`, "truncated", facts.Truncated, 0},
		{"comment cut", ok + "<!-- ", "truncated", facts.Truncated, 0},
		{"bare case", `<testcase name="a"/>`, "", 0, 0},
		{"failure without a suite", "<failure>x</failure>" + ok, "stray_failure", facts.Malformed, 0},
		{"xml 1.1", `<?xml version="1.1"?>` + ok, "", 0, 0},
		{"doctype", `<!DOCTYPE testsuite [ <!-- don't --> <!ENTITY a "]><testsuite>"> <!ENTITY % x SYSTEM "file:///etc/passwd"> ]>` + ok, "", 0, 0},
	} {
		r := parse(t, "junit", []byte(c.text))
		w, found := has(r, c.code)
		if c.code != "" && (!found || w != c.weight) || c.code == "" && len(r.Problems) > 0 || r.Counts.Failed != c.failed {
			t.Errorf("%s: %d failed, %v", c.name, r.Counts.Failed, r.Problems)
		}
		if green(r) != (c.failed == 0 && (c.code == "" || c.weight == facts.Note)) {
			t.Errorf("%s: green is %v: %v", c.name, green(r), r.Problems)
		}
	}
}

// TestJUnitEncodings: every way to write the same document.
func TestJUnitEncodings(t *testing.T) {
	const body = `<testsuite name="größe"><testcase name="ü €"><failure message="ä"/></testcase></testsuite>`
	declared := func(name string) string { return `<?xml version="1.0" encoding="` + name + `"?>` + body }
	latin := strings.ReplaceAll(declared("ISO-8859-1"), "€", "E")
	encode := func(b []byte, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	le, be := unicode.LittleEndian, unicode.BigEndian
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(declared("UTF-8")))
	z.Close()
	for _, c := range []struct {
		name string
		text []byte
		want string
	}{
		{"plain", []byte(body), "größe › ü €"},
		{"utf-8", []byte(declared("utf-8")), "größe › ü €"},
		{"byte order mark", []byte("\xef\xbb\xbf" + declared("iso-8859-1")), "größe › ü €"},
		{"utf-16 le", encode(unicode.UTF16(le, unicode.UseBOM).NewEncoder().Bytes([]byte(declared("utf-16")))), "größe › ü €"},
		{"utf-16 be", encode(unicode.UTF16(be, unicode.UseBOM).NewEncoder().Bytes([]byte(declared("utf-16")))), "größe › ü €"},
		{"utf-16 without mark", encode(unicode.UTF16(le, unicode.IgnoreBOM).NewEncoder().Bytes([]byte(declared("utf-16")))), "größe › ü €"},
		{"utf-16 be without mark", encode(unicode.UTF16(be, unicode.IgnoreBOM).NewEncoder().Bytes([]byte(body))), "größe › ü €"},
		{"latin1", encode(charmap.ISO8859_1.NewEncoder().Bytes([]byte(latin))), "größe › ü E"},
		{"cp1252", encode(charmap.Windows1252.NewEncoder().Bytes([]byte(declared("windows-1252")))), "größe › ü €"},
		{"says utf-16, is not", []byte(declared("utf-16")), "größe › ü €"},
		{"unknown charset", []byte(declared("x-klingon")), "größe › ü €"},
		{"gzip", packed.Bytes(), "größe › ü €"},
		{"bad utf-8", []byte(strings.Replace(body, "ü", "\xfc", 1)), "größe › \ufffd €"},
		{"escape and U+FFFE", []byte(strings.Replace(body, "ü", "\x1b&#27;&#x1b;\ufffe\x00", 1)), "größe › \ufffd\ufffd\ufffd\ufffd\ufffd €"},
		{"references", []byte(strings.Replace(body, "ü", "&#252;&lt;&gt;&amp;&quot;&apos;&nbsp;&x;&", 1)), "größe › ü<>&\"'&nbsp;&x;& €"},
	} {
		r := parse(t, "junit", c.text)
		if len(r.Cases) != 1 || r.Cases[0].ID != c.want || r.Cases[0].Status != facts.Failed || !r.Complete {
			t.Errorf("%s: %+v %v", c.name, r.Cases, r.Problems)
		}
	}
	for n := range packed.Len() {
		if r := parse(t, "junit", packed.Bytes()[:n]); r.Complete && green(r) {
			t.Errorf("gzip cut at %d: complete and green", n)
		}
	}
}

func TestJUnitIdentity(t *testing.T) {
	for _, c := range []struct{ name, suite, attrs, want string }{
		{"class", "com.x.FooTest", `classname="com.x.FooTest" name="bar"`, "com.x.FooTest › bar"},
		{"other class", "s", `classname="c" name="bar"`, "s › c › bar"},
		{"no class", "s", `name="bar"`, "s › bar"},
		{"file", "s", `classname="c" name="bar" file="a/b.rb"`, "a/b.rb › c › bar"},
		{"pytest with file", "pytest", `classname="tests.test_a.TestX" name="test_b[1.5]" file="tests/test_a.py" line="4"`, "tests/test_a.py::TestX::test_b[1.5]"},
		{"pytest on windows", "pytest", `classname="tests.test_a" name="t" file="tests\test_a.py" line="0"`, `tests\test_a.py::t`},
		{"pytest without file", "pytest", `classname="tests.test_a.TestX" name="test_b"`, "tests.test_a.TestX::test_b"},
		{"pytest, inherited from elsewhere", "pytest", `classname="tests.test_a.TestX" name="test_b" file="lib/base.py" line="4"`, "tests.test_a.TestX::test_b"},
		{"pytest, file does not load", "pytest", `classname="" name="tests.test_a" file="tests/test_a.py"`, "tests/test_a.py"},
		{"nameless", "", ``, ""},
	} {
		r := parse(t, "junit", []byte(`<testsuites name="all"><testsuite name="`+c.suite+`"><testcase `+c.attrs+`/></testsuite></testsuites>`))
		if len(r.Cases) != 1 || r.Cases[0].ID != c.want {
			t.Errorf("%s: %+v", c.name, r.Cases)
		}
	}
	long := strings.Repeat("x", 100_000)
	r := parse(t, "junit", []byte(`<testsuite><testcase name="`+long+`a"/><testcase name="`+long+`b"/></testsuite>`))
	if len(r.Cases[0].ID) > 1200 || r.Cases[0].ID == r.Cases[1].ID || !green(r) {
		t.Errorf("long names: %d bytes, %v", len(r.Cases[0].ID), r.Problems)
	}
}

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		text string
		want time.Duration
		odd  bool
	}{
		{"", 0, false}, {"0.123", 123 * time.Millisecond, false}, {"0.", 0, false}, {"1e-05", 10 * time.Microsecond, false}, {"12ms", 12 * time.Millisecond, false},
		{"1.5s", 1500 * time.Millisecond, false}, {"0:00:01.5", 1500 * time.Millisecond, false}, {"1:02:03", time.Hour + 2*time.Minute + 3*time.Second, false},
		{"1,234.56", 1234560 * time.Millisecond, false}, {"1.234,56", 1234560 * time.Millisecond, false}, {"0,123", 123 * time.Millisecond, false},
		{"1 234,5", 1234500 * time.Millisecond, false}, {"1,234,567.5", 1234567500 * time.Millisecond, false},
		{"-1", 0, true}, {"NaN", 0, true}, {"Infinity", 0, true}, {"x.x.x.x", 0, true}, {"1e19", 0, true}, {"1:2:3:4", 0, true},
	} {
		if got, odd := duration(c.text); got != c.want || odd != c.odd {
			t.Errorf("%q: %v %v", c.text, got, odd)
		}
	}
}

// TestJUnitWindow: nothing depends on where the reader's window ends.
func TestJUnitWindow(t *testing.T) {
	for pad := range 40 {
		text := `<testsuite name="s"><!--` + strings.Repeat("x", 64<<10-60-pad) + `--><testcase name="a&amp;b"><failure message="m&#252;">t<![CDATA[<x>]]>&lt;&amp;</failure></testcase></testsuite>`
		r := parse(t, "junit", []byte(text))
		if len(r.Cases) != 1 || r.Cases[0].ID != "s › a&b" || r.Cases[0].Failures[0].Message != "mü" || r.Cases[0].Failures[0].Text != "t<x><&" || len(r.Problems) > 0 {
			t.Fatalf("padding %d: %+v %v", pad, r.Cases, r.Problems)
		}
	}
}
