package parsers

import (
	"strings"
	"testing"
	"time"

	"factgate/facts"
)

// TestJUnitLoss: what could tell of an end and was not understood is listed, and blocks where it could hide a failure.
func TestJUnitLoss(t *testing.T) {
	for _, c := range []struct {
		name, body, code string
		weight           facts.Weight
		detail           string
	}{
		{"unknown child of a case", `<testcase name="a"><failur/><x/><x/></testcase>`, "not_understood", facts.Malformed, "failur (1), x (2)"},
		{"known children", `<testcase name="a"><properties><property name="x" value="failed"/><y/></properties><system-out>t</system-out><system-err/></testcase>`, "", 0, ""},
		{"unknown child of a suite", `<environment><x/></environment><testcase name="a"/>`, "not_understood", facts.Note, "environment (1)"},
		{"ominous child of a suite", `<test-failed/><testcase name="a"/>`, "not_understood", facts.Malformed, "test-failed (1)"},
		{"text in a case", `<testcase name="a">failure message="x"&gt;</testcase>`, "loose_text", facts.Malformed, "directly in cases"},
		{"CDATA in a case", `<testcase name="a"><![CDATA[x]]></testcase>`, "loose_text", facts.Malformed, "1 bytes"},
		{"text in a suite", `hello<testcase name="a"/>`, "loose_text", facts.Note, "5 bytes"},
		{"remains of a tag in a suite", `testcase name="b" status="failed"/><testcase name="a"/>`, "loose_text", facts.Malformed, "directly in suites"},
		{"failed by another attribute", `<testcase name="a" tatus="failed"/>`, "not_understood", facts.Malformed, `"tatus"`},
		{"failed by an attribute of an unknown element", `<tstcase name="a" outcome="Error"/>`, "not_understood", facts.Malformed, `"outcome"`},
		{"an attribute with another word", `<testcase name="a" assertions="0" owner="fay"/>`, "", 0, ""},
		{"a comment without its end", `<!-- x -- ><testcase name="b"><failure/></testcase><!-- y --><testcase name="a"/>`, "broken_comment", facts.Malformed, ""},
		{"a comment with dashes", `<!-- a -- b --><testcase name="a"/>`, "", 0, ""},
		{"CDATA without its end", `<testcase name="a"><system-out><![CDATA[x]]</system-out></testcase><testcase name="b"><failure/><system-out><![CDATA[]]></system-out></testcase>`, "broken_cdata", facts.Malformed, ""},
		{"CDATA with half its end", `<testcase name="a"><system-out><![CDATA[x]></system-out></testcase><testcase name="b"><failure/><system-out><![CDATA[]]></system-out></testcase>`, "broken_cdata", facts.Malformed, ""},
		{"a declaration without its end", `<?x y><testcase name="b"><failure/></testcase><?z?>`, "broken_declaration", facts.Malformed, ""},
		{"skipped and flaky", `<testcase name="a"><skipped/><flakyFailure/></testcase>`, "skipped_and_flaky", facts.Note, ""},
		{"a suite that says failed", `<testsuite name="x" status="failed"><testcase name="a"/></testsuite>`, "status_against_child", facts.Contradict, ""},
	} {
		r := parse(t, "junit", []byte(`<testsuites><testsuite name="s">`+c.body+`</testsuite></testsuites>`))
		found := false
		for _, p := range r.Problems {
			found = found || p.Code == c.code && p.Weight == c.weight && strings.Contains(p.Detail, c.detail)
		}
		if c.code == "" && len(r.Problems) > 0 || c.code != "" && !found {
			t.Errorf("%s: no %s of weight %s with %q: %v", c.name, c.code, c.weight, c.detail, r.Problems)
		}
	}
}

// TestJUnitParents: one writer counts either all that is below a suite or what stands directly in it, not both.
func TestJUnitParents(t *testing.T) {
	suite := func(claim string, children string, own ...string) string {
		s := `<testsuite name="p` + claim + `" tests="` + claim + `">` + children
		for _, name := range own {
			s += `<testcase name="` + name + `"/>`
		}
		return s + `</testsuite>`
	}
	child := suite("2", "", "x", "y")
	for _, c := range []struct {
		name, text string
		blocks     bool
	}{
		{"cumulative", suite("3", child, "a") + suite("4", child, "b", "c"), false},
		{"own only", suite("1", child, "a") + suite("2", child, "b", "c"), false},
		{"own only, and one with more than it lists", suite("1", child, "a") + suite("2", child, "b", "c") + suite("3", child, "d"), true},
		{"cumulative, and one with less", suite("3", child, "a") + suite("4", child, "b", "c") + suite("1", child, "d"), false},
	} {
		r := parse(t, "junit", []byte("<testsuites>"+c.text+"</testsuites>"))
		if green(r) == c.blocks {
			t.Errorf("%s: %v", c.name, r.Problems)
		}
	}
}

// TestJUnitCut: a cut says where, inside what, and how much the document claims to hold.
func TestJUnitCut(t *testing.T) {
	r := parse(t, "junit", []byte(`<testsuites><testsuite name="s" tests="14"><testcase name="a"/><testcase name="b"><failure>x`))
	if len(r.Problems) != 1 || r.Problems[0].Detail != "cut off at byte 92, inside element failure; it claims 14 tests, and 1 case ended before" || statuses(r) != "passed failed" {
		t.Errorf("%s %v", statuses(r), r.Problems)
	}
}

// TestJUnitCommas: what a comma in a time means is decided by the whole document.
func TestJUnitCommas(t *testing.T) {
	for _, c := range []struct {
		name, other string
		want        time.Duration
		note        bool
	}{
		{"nothing else", "3", 1234 * time.Millisecond, true},
		{"a dot", "0.5", 1234 * time.Second, false},
		{"both", "2,345.5", 1234 * time.Second, false},
		{"another comma that is decimal", "0,5", 1234 * time.Millisecond, false},
		{"both, the other way", "2.345,5", 1234 * time.Millisecond, false},
	} {
		for _, more := range []string{"", "<skipped/>"} {
			r := parse(t, "junit", []byte(`<testsuite><testcase name="a" time="1,234">`+more+`</testcase><testcase name="b" time="`+c.other+`"/></testsuite>`))
			_, noted := has(r, "doubtful_time")
			if r.Cases[0].Duration != c.want || noted != c.note {
				t.Errorf("%s: %v, %v", c.name, r.Cases[0].Duration, r.Problems)
			}
		}
	}
}

// TestJUnitCutTexts: what a cap cuts is said.
func TestJUnitCutTexts(t *testing.T) {
	long := strings.Repeat("x", 300)
	r, err := junit(strings.NewReader(`<testsuite><testcase name="a"><failure message="`+long+long+`">`+long+`</failure></testcase></testsuite>`), small())
	for _, code := range []string{"text_cut", "value_cut"} {
		if w, ok := has(r, code); !ok || w != facts.Note || err != nil {
			t.Errorf("no %s: %v %v", code, r.Problems, err)
		}
	}
	if f := r.Cases[0].Failures[0]; len(f.Text) > 300 || strings.Count(f.Text, "bytes left out") != 1 {
		t.Errorf("%q", f.Text)
	}
}
