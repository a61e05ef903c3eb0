// Package gen writes JUnit files of any size as pytest and Maven Surefire write them: the same size gives the same bytes.
package gen

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
)

// Write writes one document of about size bytes: a <testsuites> of suites as pytest and as Surefire write them, in turns.
// It returns the number of cases.
func Write(w io.Writer, size int64) (cases int, err error) {
	out := &counter{w: bufio.NewWriterSize(w, 1<<20)}
	g := &generator{rnd: rand.New(rand.NewPCG(1, 2))}
	out.write([]byte("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<testsuites>\n"))
	for suite := 0; out.n < size && out.err == nil; suite++ {
		g.buf.Reset()
		if suite%2 == 0 {
			g.pytest(suite)
		} else {
			g.surefire(suite)
		}
		out.write(g.buf.Bytes())
	}
	out.write([]byte("</testsuites>\n"))
	if out.err == nil {
		out.err = out.w.Flush()
	}
	return g.cases, out.err
}

type counter struct {
	w   *bufio.Writer
	n   int64
	err error
}

func (c *counter) write(b []byte) {
	if c.err == nil {
		_, c.err = c.w.Write(b)
		c.n += int64(len(b))
	}
}

type generator struct {
	rnd   *rand.Rand
	buf   bytes.Buffer // one suite
	cases int
}

var (
	things = []string{"order", "invoice", "shipment", "customer", "tariff", "payment", "warehouse", "session", "catalog", "voucher"}
	acts   = []string{"rejects_negative", "rounds_half_even", "is_idempotent", "keeps_order", "parses_iso_dates", "survives_restart",
		"returns_404", "locks_rows", "retries_twice", "emits_event"}
	javaActs = []string{"shouldRejectNegativeQuantity", "roundsHalfEven", "isIdempotent", "keepsInsertionOrder", "parsesIsoDates",
		"survivesRestart", "returnsNotFoundForUnknownId", "locksRowsForUpdate", "retriesTwice", "emitsEventOnce"}
	params = []string{"", "", "[EUR-2]", "[USD-2-half_even]", "[0]", "[-1-ValueError]", "[2026-02-29]", "[utf8-&#233;t&#233;]", "[a &lt; b]", "[None]"}
)

func (g *generator) pick(words []string) string { return words[g.rnd.IntN(len(words))] }

// pytest writes a suite of 40 to 400 cases: 2 of 100 fail, 4 are skipped, 3 have captured output.
func (g *generator) pytest(suite int) {
	var body bytes.Buffer
	n, failures, skips := 40+g.rnd.IntN(361), 0, 0
	for i := range n {
		if i%25 == 0 {
			suite++
		}
		thing := things[(suite*7+i/25)%len(things)]
		fmt.Fprintf(&body, "<testcase classname=\"tests.unit.%s.test_%s_%d.Test%s\" name=\"test_%s_%s_%d%s\" time=\"%.3f\"",
			thing, thing, suite%97, thing, thing, g.pick(acts), i, g.pick(params), g.rnd.ExpFloat64()/100)
		switch x := g.rnd.IntN(100); {
		case x < 2:
			failures++
			fmt.Fprintf(&body, "><failure message=\"AssertionError: assert %d == %d&#10; +  where %d = total()\">", i, i+1, i)
			for line := range 12 {
				fmt.Fprintf(&body, "    def test_%s_%d(self, client, %s):\n        response = client.post(&quot;/v1/%s&quot;, json={&quot;n&quot;: %d})\n", thing, line, thing, thing, line)
			}
			fmt.Fprintf(&body, "&gt;       assert response.status == 200\nE       assert %d == %d\n\ntests/unit/%s/test_%s.py:%d: AssertionError</failure></testcase>\n", i, i+1, thing, thing, i+10)
		case x < 6:
			skips++
			fmt.Fprintf(&body, "><skipped type=\"pytest.skip\" message=\"needs a database\">tests/unit/%s/test_%s.py:%d: needs a database</skipped></testcase>\n", thing, thing, i+10)
		case x < 9:
			body.WriteString("><system-out>")
			for line := range 6 {
				fmt.Fprintf(&body, "INFO     app.%s:store.py:%d opened connection &lt;%d&gt; in %d ms\n", thing, 40+line, i, line)
			}
			body.WriteString("</system-out></testcase>\n")
		default:
			body.WriteString(" />\n")
		}
	}
	g.cases += n
	fmt.Fprintf(&g.buf, "<testsuite name=\"pytest\" errors=\"0\" failures=\"%d\" skipped=\"%d\" tests=\"%d\" time=\"%.3f\" timestamp=\"2026-11-03T09:15:27.123456+00:00\" hostname=\"host\">\n",
		failures, skips, n, float64(n)/90)
	g.buf.Write(body.Bytes())
	g.buf.WriteString("</testsuite>\n")
}

// surefire writes a suite of 10 to 90 cases below its 30 properties: 1 of 100 fails, 5 have output.
func (g *generator) surefire(suite int) {
	var body bytes.Buffer
	n, failures := 10+g.rnd.IntN(81), 0
	thing := things[suite%len(things)]
	class := fmt.Sprintf("com.example.logistics.%s.internal.%sService%dTest", thing, thing, suite%89)
	for i := range n {
		fmt.Fprintf(&body, "  <testcase name=\"%s_%d\" classname=\"%s\" time=\"%.3f\"", g.pick(javaActs), i, class, g.rnd.ExpFloat64()/50)
		switch x := g.rnd.IntN(100); {
		case x < 1:
			failures++
			fmt.Fprintf(&body, ">\n    <failure message=\"expected: &lt;%d&gt; but was: &lt;%d&gt;\" type=\"org.opentest4j.AssertionFailedError\"><![CDATA[org.opentest4j.AssertionFailedError: expected: <%d> but was: <%d>\n", i, i+1, i, i+1)
			for line := range 24 {
				fmt.Fprintf(&body, "\tat org.junit.jupiter.api.AssertionUtils.fail%d(AssertionUtils.java:%d)\n", line, 39+line)
			}
			fmt.Fprintf(&body, "\tat %s.%s(%sService%dTest.java:%d)\n]]></failure>\n  </testcase>\n", class, g.pick(javaActs), thing, suite%89, i+20)
		case x < 6:
			body.WriteString(">\n    <system-out><![CDATA[")
			for line := range 8 {
				fmt.Fprintf(&body, "2026-11-03 09:15:27.%03d [main] INFO  c.e.l.%s.Store - row %d: List<String> of %d\n", line, thing, i, line)
			}
			body.WriteString("]]></system-out>\n  </testcase>\n")
		default:
			body.WriteString("/>\n")
		}
	}
	g.cases += n
	fmt.Fprintf(&g.buf, "<testsuite xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:noNamespaceSchemaLocation=\"https://maven.apache.org/surefire/maven-surefire-plugin/xsd/surefire-test-report-3.0.xsd\" version=\"3.0\" name=\"%s\" time=\"%.3f\" tests=\"%d\" errors=\"0\" skipped=\"0\" failures=\"%d\">\n  <properties>\n",
		class, float64(n)/40, n, failures)
	for i := range 30 {
		fmt.Fprintf(&g.buf, "    <property name=\"java.vm.setting.number%d\" value=\"/usr/lib/jvm/java-17/lib/option-%d\"/>\n", i, i*i)
	}
	g.buf.WriteString("  </properties>\n")
	g.buf.Write(body.Bytes())
	g.buf.WriteString("</testsuite>\n")
}
