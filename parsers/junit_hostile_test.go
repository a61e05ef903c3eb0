package parsers

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"factgate/facts"
)

// repeat is a text of any length that nobody holds.
type repeat struct {
	head, body, tail string
	left             int64 // bytes of body
	at               int
}

func (r *repeat) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		switch {
		case r.head != "":
			k := copy(p[n:], r.head)
			r.head = r.head[k:]
			n += k
		case r.left > 0:
			k := copy(p[n:], r.body[r.at:])
			r.left -= int64(k)
			r.at = (r.at + k) % len(r.body)
			n += k
		case r.tail != "":
			k := copy(p[n:], r.tail)
			r.tail = r.tail[k:]
			n += k
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
	return n, nil
}

// TestJUnitHuge: a document with something endless in it takes a fixed amount of memory, and what stands behind it counts.
func TestJUnitHuge(t *testing.T) {
	size := int64(6 << 20)
	switch {
	case *every:
		size = 1 << 30
	case testing.Short() || racing:
		size = 2 << 20
	}
	const fails = `<testcase name="f"><failure message="m"/></testcase></testsuite>`
	for _, c := range []struct{ name, head, body, tail string }{
		{"message", `<testsuite><testcase name="a"><failure message="`, "x", `"/></testcase>` + fails},
		{"unknown attribute", `<testsuite><testcase odd="`, "x", `" name="a"/>` + fails},
		{"failure text", `<testsuite><testcase name="a"><failure>`, "line &lt; 3\n", `</failure></testcase>` + fails},
		{"CDATA", `<testsuite><testcase name="a"><system-out><![CDATA[`, "]] > x", `]]></system-out></testcase>` + fails},
		{"comment", `<testsuite><!-- `, "x- ", `-->` + fails},
		{"name of an element", `<testsuite><x`, "x", `/>` + fails},
		{"name of an attribute", `<testsuite><testcase x`, "x", `="1" name="a"/>` + fails},
		{"attributes", `<testsuite><testcase name="a"`, ` a="1"`, `/>` + fails},
		{"space in a tag", `<testsuite><testcase name="a"`, " \n", `/>` + fails},
		{"text before", ``, "collecting\n", `<testsuite>` + fails},
		{"text between", `<testsuite>`, "some text ", fails},
		{"NULs", `<testsuite><testcase name="a"><system-out>`, "\x00", `</system-out></testcase>` + fails},
		{"references", `<testsuite><testcase name="a"><failure>`, "&", `</failure></testcase>` + fails},
		{"opening marks", `<testsuite><testcase name="a"><failure>`, "< ", `</failure></testcase>` + fails},
		{"elements", `<testsuite><testcase name="a"><failure>`, "<b/>", `</failure></testcase>` + fails},
		{"names", `<testsuite>`, "<testsuite name='" + strings.Repeat("n", 200) + "'></testsuite>", fails},
		{"doctype", `<!DOCTYPE a [`, "<!ENTITY a 'b'>", `]><testsuite>` + fails},
	} {
		before, begun := heap(), time.Now()
		var peak uint64
		watch := &watched{r: &repeat{head: c.head, body: c.body, tail: c.tail, left: size / int64(len(c.body)) * int64(len(c.body))}, see: func() {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse)
		}}
		r, err := JUnit(watch)
		if err != nil || r.Counts.Failed == 0 || r.Cases[len(r.Cases)-1].Name != "f" {
			t.Errorf("%s: %+v %v %v", c.name, r.Counts, r.Problems, err)
		}
		t.Logf("%s: %d MB of heap, %v", c.name, peak>>20, time.Since(begun).Round(time.Millisecond))
		if peak > before+24<<20 {
			t.Errorf("%s: %d MB of heap", c.name, (peak-before)>>20)
		}
	}
}

// watched calls see at every 64th reading.
type watched struct {
	r   io.Reader
	n   int
	see func()
}

func (w *watched) Read(p []byte) (int, error) {
	if w.n++; w.n%64 == 0 {
		w.see()
	}
	return w.r.Read(p)
}

// TestJUnitHostile: what is written to break readers.
func TestJUnitHostile(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString(`<!DOCTYPE lolz [<!ENTITY lol0 "lol">`)
	for i := range 9 {
		fmt.Fprintf(&laughs, `<!ENTITY lol%d "%s">`, i+1, strings.Repeat(fmt.Sprintf("&lol%d;", i), 10))
	}
	laughs.WriteString(`]><testsuite><testcase name="&lol9;"><failure message="&lol9;">&lol9;</failure></testcase></testsuite>`)
	r := parse(t, "junit", []byte(laughs.String()))
	if len(r.Cases) != 1 || r.Cases[0].Name != "&lol9;" || r.Cases[0].Failures[0].Text != "&lol9;" || r.Counts.Failed != 1 {
		t.Errorf("billion laughs: %+v %v", r.Cases, r.Problems)
	}
	for _, name := range []string{"testsuite", "testcase name='a'", "failure", "x", "properties"} {
		const levels = 100_000
		word, _, _ := strings.Cut(name, " ")
		text := "<testsuite>" + strings.Repeat("<"+name+">", levels) + strings.Repeat("</"+word+">", levels) + "</testsuite>"
		for _, cut := range []int{len(text), len(text) / 3} {
			r := parse(t, "junit", []byte(text[:cut]))
			if w, ok := has(r, "too_deep"); !ok || !w.Blocking() || green(r) {
				t.Errorf("%d levels of %s: %v", levels, word, r.Problems)
			}
		}
	}
	for _, text := range []string{
		strings.Repeat("\x00", 1000), "<testsuite\x00><testcase name='a'/></testsuite>", "<testsuite><testcase name='a'>\x00</testcase></testsuite>",
		"<testsuite><test\x00case name='a'/></testsuite>", "<testsuite><testcase name='a'\x00/></testsuite>",
	} {
		if r := parse(t, "junit", []byte(text)); green(r) {
			t.Errorf("%q: passed: %v", text, r.Problems)
		}
	}
	r = parse(t, "junit", []byte("<testsuite><testcase name='a\x00b'><failure>\x00</failure></testcase></testsuite>"))
	if r.Cases[0].Status != facts.Failed || r.Cases[0].Name != "a\ufffdb" {
		t.Errorf("NULs: %+v", r.Cases)
	}
}
