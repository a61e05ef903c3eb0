package parsers

import (
	"fmt"
	"strings"
	"testing"

	"factgate/facts"
)

// xmlCase is a small document and what is to be read in it: how each case ended, in order, the failures outside, the
// problems with their weight, and whether nothing forbids a pass.
type xmlCase struct {
	name, text string
	cases      string // id=status, in order, separated by "; "
	outside    string // messages, likewise
	problems   string // "code weight", likewise
	green      bool
}

func checkXML(t *testing.T, format string, all []xmlCase) {
	t.Helper()
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			r := parse(t, format, []byte(c.text))
			var cases, outside, problems []string
			for _, k := range r.Cases {
				said := k.ID + "=" + k.Status.String()
				if k.Kind != "" {
					said += ":" + k.Kind
				}
				for _, f := range k.Failures {
					said += fmt.Sprintf("(%s|%s|%s:%d)", f.Message, f.Type, f.File, f.Line)
				}
				cases = append(cases, said)
			}
			for _, o := range r.Outside {
				outside = append(outside, o.Where+": "+o.Message)
			}
			for _, p := range r.Problems {
				problems = append(problems, p.Code+" "+p.Weight.String())
				if r.Complete && (p.Weight == facts.Incomplete || p.Weight == facts.Truncated) {
					t.Errorf("complete, and %+v", p)
				}
			}
			for _, x := range []struct{ what, want, got string }{
				{"cases", c.cases, strings.Join(cases, "; ")}, {"outside", c.outside, strings.Join(outside, "; ")}, {"problems", c.problems, strings.Join(problems, "; ")},
			} {
				if x.got != x.want {
					t.Errorf("%s:\ngot  %s\nwant %s", x.what, x.got, x.want)
				}
			}
			if green(r) != c.green {
				t.Errorf("green is %v: %+v", green(r), r.Problems)
			}
			if n := facts.Count(r.Cases); n != r.Counts {
				t.Errorf("counts %+v, cases %+v", r.Counts, n)
			}
		})
	}
}

// TestWalker: what is wrong with how a document is written is never silent.
func TestWalker(t *testing.T) {
	pass := `<test name="a" result="Pass"/>`
	checkXML(t, "xunit", []xmlCase{
		{"plain", `<assembly>` + pass + `</assembly>`, "a=passed", "", "", true},
		{"prefix and case", `<x:Assembly xmlns:x="u"><x:TEST Name="a" RESULT="pass"/></x:Assembly>`, "a=passed", "", "", true},
		{"text around", "building...\n<assembly>" + pass + "</assembly>\ndone", "a=passed", "", "text_around note", true},
		{"two documents", `<assembly>` + pass + `</assembly><assembly><test name="b" result="Pass"/></assembly>`, "a=passed; b=passed", "", "several_roots note", true},
		{"second declaration", `<?xml version="1.0"?><assembly>` + pass + `</assembly><?xml version="1.0"?>`, "a=passed", "", "truncated truncated", false},
		{"markup behind", `<assembly>` + pass + `</assembly></collection>`, "a=passed", "", "markup_after_end malformed; text_around note", false},
		{"cut", `<assembly>` + pass + `<test name="b" result="Pass">`, "a=passed; b=unknown", "", "truncated truncated; unfinished_case malformed", false},
		{"cut in a failure", `<assembly><test name="b" result="Fail"><failure><message>m`, "b=failed(m||:0)", "", "truncated truncated", false},
		{"cut in a tag", `<assembly>` + pass + `<test name="b" res`, "a=passed", "", "truncated truncated", false},
		{"unclosed", `<assembly><collection>` + pass + `</assembly>`, "a=passed", "", "unclosed_tag malformed", false},
		{"closes nothing", `<assembly>` + pass + `</collection></assembly>`, "a=passed", "", "unmatched_tag malformed", false},
		{"twice", `<assembly><test name="a" result="Pass" result="Fail"/></assembly>`, "a=passed", "", "duplicate_attribute contradict", false},
		{"broken tag", `<assembly><test name="a" result=Pass/></assembly>`, "a=unknown", "", "broken_tag malformed; unclosed_tag malformed; unfinished_case malformed", false},
		{"strange element", `<assembly><failures/>` + pass + `</assembly>`, "a=passed", "", "not_understood malformed", false},
		{"harmless element", `<assembly><colour/>` + pass + `</assembly>`, "a=passed", "", "not_understood note", true},
		{"same id", `<assembly>` + pass + pass + `</assembly>`, "a=passed; a=passed", "", "duplicate_id note", true},
		{"entity", `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><assembly><test name="&b;" result="Pass"/></assembly>`, "&b;=passed", "", "", true},
		{"controls", "<assembly><test name='a\x01' result='Fail'><failure><message>\x1b[31mred\x1b[0m &amp; <![CDATA[<b>]]></message></failure></test></assembly>", "a\ufffd=failed(red & <b>||:0)", "", "replaced_bytes note", false},
	})
}
