package parsers

import (
	"io"
	"path"
	"strconv"
	"strings"

	"factgate/facts"
)

// TRX reads the results of Visual Studio, `dotnet test --logger trx` and what imitates them. The outcomes and what they
// mean are those of TestOutcome in microsoft/vstest (src/Microsoft.TestPlatform.Extensions.TrxLogger/ObjectModel), the
// schema is vstst.xsd (http://microsoft.com/schemas/VisualStudio/TeamTest/2010).
//
// A result with InnerResults is a group (data rows, an ordered test): its leaves are the cases, and it is one itself only
// where it failed and none of them did. An id is the class, which the test's definition names, and the test's name.
func TRX(r io.Reader) (facts.Results, error) { return trx(r, standard()) }

func trx(r io.Reader, lim limits) (facts.Results, error) {
	return walk(r, lim, func(w *walker) dialect {
		return &trxRun{walker: w, tests: map[string]trxTest{}, claims: noClaims()}
	})
}

// trxRun is a TestRun while it is read.
type trxRun struct {
	*walker
	open    []*trxResult       // results whose end was not seen, the outermost first
	tests   map[string]trxTest // definitions by the id of their test
	test    string             // the id of the one that is open
	joins   []trxJoin
	all     tally // groups included, as the counters of vstest do
	info    trxInfo
	infos   []trxInfo
	claims  claimed
	summary []string // outcomes of ResultSummary elements
}

// trxTest is what a definition says of a test.
type trxTest struct{ class, file string }

// trxJoin is a kept case that waits for its definition, which may stand behind it.
type trxJoin struct {
	index int
	test  string
}

// trxResult is a UnitTestResult or its like.
type trxResult struct {
	c              facts.Case
	test           string
	outcome        string
	said           told
	inner, failing int // results directly in it, and those of them that did not pass
}

// trxInfo is a message about the run as a whole.
type trxInfo struct{ outcome, text, exception string }

func (d *trxRun) root(name string) bool { return name == "testrun" }

func (d *trxRun) begin(t *tag, parent string, at int64) bool {
	switch {
	case parent == "results" || parent == "innerresults":
		if !isResult(t.name) {
			d.unknown(t.name, parent)
			return false
		}
		r := &trxResult{test: clean64(t.get("testid")), outcome: clean64(t.get("outcome"))}
		r.c.Name = d.label(t.get("testname"))
		d.elapsed(&r.c, t, at, "duration")
		d.open = append(d.open, r)
	case parent == "output" || isResult(parent):
		switch t.name {
		case "output", "innerresults", "resultfiles", "collectordataentries", "stdout", "stderr", "debugtrace", "traceinfo", "errorinfo", "textmessages":
		default:
			d.unknown(t.name, parent)
		}
	case parent == "testrun":
		switch t.name {
		case "resultsummary":
			d.summary = append(d.summary, clean64(t.get("outcome")))
		case "times", "testsettings", "testrunconfiguration", "build", "results", "testdefinitions", "testentries", "testlists":
		default:
			d.unknown(t.name, parent)
		}
	case parent == "testdefinitions":
		d.test = clean64(t.get("id"))
	case t.name == "testmethod":
		d.define(t)
	case t.name == "counters" && parent == "resultsummary":
		d.count(t, at)
	case t.name == "runinfo":
		d.info = trxInfo{outcome: clean64(t.get("outcome"))}
	case parent == "errorinfo" || parent == "runinfo":
		switch t.name {
		case "message", "stacktrace", "text", "exception":
			return true
		}
		d.unknown(t.name, parent)
	}
	return false
}

// isResult reports whether an element is a UnitTestResult or one of its relatives.
func isResult(name string) bool {
	return strings.HasSuffix(name, "result") || name == "testresultaggregation"
}

// define keeps what a definition says of where its test stands. A code base that is no assembly is a test file.
func (d *trxRun) define(t *tag) {
	if len(d.tests) > d.lim.cases+d.lim.bad {
		return
	}
	class, _, _ := strings.Cut(string(t.get("classname")), ",") // mstest.exe adds the assembly
	if class == "none" {                                        // mocha-trx-reporter
		class = ""
	}
	def := trxTest{class: d.word(d.label([]byte(class)))}
	if file := string(t.get("codebase")); file != "" {
		switch path.Ext(file) {
		case ".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx":
			def.file = d.word(d.label([]byte(file)))
		}
	}
	d.tests[d.test] = def
}

func (d *trxRun) count(t *tag, at int64) {
	n := func(name string) int { return d.amount(t, name, at) }
	d.claims = d.claims.plus(claimed{
		tests: n("total"), passed: n("passed"), failures: n("failed"),
		errors:  total(n("error"), n("timeout"), n("aborted"), n("disconnected"), n("notrunnable")),
		skipped: total(n("notexecuted"), n("inconclusive"), n("pending")),
	})
}

func (d *trxRun) end(e *xmlElement, text []byte) {
	switch {
	case e.parent == "results" || e.parent == "innerresults":
		if n := len(d.open); n > 0 && isResult(e.name) {
			d.result(d.open[n-1], e)
		}
	case e.name == "runinfo":
		if len(d.infos) < d.lim.outside {
			d.infos = append(d.infos, d.info)
		} else if d.serious(d.info.outcome) {
			d.outside(facts.Outside{Message: d.info.text}) // says that there are too many
		}
	case e.parent == "runinfo" && e.name == "text":
		d.info.text = d.prose(text, d.lim.text)
	case e.parent == "runinfo" && e.name == "exception":
		d.info.exception = d.prose(text, d.lim.text)
	case e.parent == "errorinfo" && len(d.open) > 0:
		said := &d.open[len(d.open)-1].said
		if e.name == "message" {
			said.message = d.prose(text, d.lim.text)
		} else {
			said.stack = d.prose(text, d.lim.text)
		}
	}
}

// result concludes how a result ended, at its end, and keeps it where it is a case.
func (d *trxRun) result(r *trxResult, e *xmlElement) {
	d.open = d.open[:len(d.open)-1]
	d.conclude(r, e.broken)
	bad := r.c.Status != facts.Passed && r.c.Status != facts.Skipped
	if n := len(d.open); n > 0 {
		d.open[n-1].inner++
		if bad || r.failing > 0 {
			d.open[n-1].failing++
		}
	}
	t := tally{cases: 1}
	switch {
	case bad:
		t.bad = 1
	case r.c.Status == facts.Passed:
		t.passed = 1
	default:
		t.skipped = 1
	}
	d.all.plus(t)
	if r.inner > 0 && (r.failing > 0 || !bad) {
		if r.failing > 0 && !bad {
			d.note("group_passed", 0, "%q is said to have ended as %q, and a result within it did not pass", r.c.Name, r.outcome)
		}
		return
	}
	r.c.ID = r.c.Name
	if i := d.keep(r.c); i >= 0 {
		d.joins = append(d.joins, trxJoin{i, r.test})
	}
}

// conclude reads the outcome. What TRX says of a test that was not run, or of one that ended without saying how, is never
// a pass.
func (d *trxRun) conclude(r *trxResult, broken bool) {
	c := &r.c
	word := strings.ToLower(strings.TrimSpace(r.outcome))
	switch word {
	case "failed":
		c.Status = facts.Failed
	case "error", "timeout", "aborted", "disconnected", "notrunnable":
		c.Status = facts.Errored
	case "passed", "warning", "passedbutrunaborted":
		c.Status = facts.Passed
	case "notexecuted", "pending", "inconclusive":
		c.Status, c.Kind = facts.Skipped, "skip"
		c.Reason = firstLine(r.said.message, d.lim.message)
	}
	if c.Status == facts.Passed && r.said.stack != "" {
		c.Status = facts.Failed
		d.problem(facts.Contradict, "status_against_child", 0, "%q is said to have passed, and has the stack of a failure", c.Name)
	}
	bad := c.Status == facts.Failed || c.Status == facts.Errored
	switch {
	case bad:
		if r.said.empty() {
			r.said.message = "outcome " + strconv.Quote(r.outcome)
		}
		f := d.failure(r.said, c.Status == facts.Errored)
		c.Failures = []facts.Failure{f}
	case broken:
		c.Status = facts.StatusUnknown
		d.problem(facts.Malformed, "unfinished_case", 0, "%q was not closed: how it ended is not known", c.Name)
	case word == "completed" || word == "inprogress":
		d.problem(facts.Malformed, "unknown_status", 0, "%q has the outcome %q, which does not say whether it passed", c.Name, r.outcome)
	case c.Status == facts.StatusUnknown:
		d.problem(facts.Malformed, "unknown_status", 0, "%q has the outcome %q, which is not known", c.Name, r.outcome)
	case word == "passedbutrunaborted":
		d.stopped = true
		d.problem(facts.Incomplete, "run_not_completed", 0, "%q passed, and the run was aborted", c.Name)
	case word != "passed" && word != "notexecuted":
		d.note(word, 0, "%q has the outcome %q: read as %s", c.Name, r.outcome, c.Status)
	}
}

// serious reports whether a message about the run is more than a remark.
func (d *trxRun) serious(outcome string) bool {
	switch strings.ToLower(outcome) {
	case "warning", "passed", "completed":
		return false
	}
	return true
}

func (d *trxRun) last() {
	for _, j := range d.joins {
		c := &d.res.Cases[j.index]
		def, ok := d.tests[j.test]
		if !ok {
			d.note("no_definition", 0, "%q has no definition in the file, so its class is not known", c.Name)
		}
		c.Suite, c.File = def.class, def.file
		c.ID = d.label([]byte(join(def.file, def.class, c.Name)))
		if strings.HasPrefix(c.Name, def.class) { // it begins with the class
			c.ID = d.label([]byte(join(def.file, "", c.Name)))
		}
		d.identity += len(c.ID)
		d.identify(c.ID)
	}
	for _, i := range d.infos {
		d.tell(i)
	}
	if d.cut != "" {
		return
	}
	d.res.Claims = d.claims.facts()
	d.reconcile("the summary", d.claims, d.all, d.all, 0)
	if d.roots > 0 && len(d.summary) == 0 {
		d.stopped = true
		d.problem(facts.Incomplete, "no_summary", 0, "there is no ResultSummary, which says that the run reached its end")
	}
	for _, outcome := range d.summary {
		d.ended(outcome)
	}
}

// ended reads the outcome of the run as a whole.
func (d *trxRun) ended(outcome string) {
	switch strings.ToLower(outcome) {
	case "passed", "completed", "warning":
	case "failed":
		if d.all.bad == 0 && len(d.res.Outside) == 0 {
			d.problem(facts.Contradict, "failed_without_failure", 0, "the summary says that the run failed, and no failure is listed")
		}
	default:
		d.stopped = true
		d.problem(facts.Incomplete, "run_not_completed", 0, "the summary says that the run ended as %q", outcome)
	}
}

// tell takes a message about the run as a whole. Adapters also write there what a failing test says itself.
func (d *trxRun) tell(i trxInfo) {
	message := firstLine(i.text, d.lim.message)
	if message == "" {
		message = firstLine(i.exception, d.lim.message)
	}
	if !d.serious(i.outcome) || d.all.bad > 0 && strings.HasSuffix(message, "[FAIL]") {
		d.note("run_info", 0, "the run says: %s", message)
		return
	}
	d.outside(facts.Outside{Where: "the run", Message: message, Text: strings.TrimSpace(i.text + "\n" + i.exception)})
}
