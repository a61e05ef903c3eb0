package parsers

import (
	"fmt"
	"strings"

	"factgate/facts"
)

// goPackage is one package's test binary while it runs.
type goPackage struct {
	name  string
	tests map[string]*goTest // those that have not ended
	order []string           // their names, in order of their start; ended ones are left in until the package ends
	out   clip               // what it printed outside tests

	cases  []int // kept cases, as indices
	bad    int   // cases that failed or errored
	silent []int // kept cases that passed without the framework's line for them

	pass, fail bool // the framework's lines PASS and FAIL
	lost       bool // its closing event never came
	cached     bool
	none       bool   // [no tests to run]
	setup      bool   // [setup failed]
	without    bool   // has no test files
	signal     string // that ended the test binary, in the words of os/exec
}

// goTest is one test while it runs.
type goTest struct {
	parent   string
	children int
	bad      bool // a child failed
	last     int  // the kept case of the child that failed last, -1 for none
	out      *clip
	line     bool   // the framework's closing line was seen
	signal   string // the go command's line on the end of the binary was attributed to this test
}

func (g *goStream) packageOf(name string) *goPackage {
	if p, ok := g.packages[name]; ok {
		return p
	}
	p := &goPackage{name: name, tests: map[string]*goTest{}, out: clip{max: g.lim.text}}
	g.packages[name] = p
	g.order = append(g.order, p)
	g.started++
	return p
}

// run starts a test, as a child of the longest name before a slash that is running: subtests' names may hold slashes.
func (g *goStream) run(p *goPackage, name string) {
	t := &goTest{last: -1}
	for up := name; ; {
		i := strings.LastIndexByte(up, '/')
		if i < 0 {
			break
		}
		up = up[:i]
		if parent, ok := p.tests[up]; ok {
			parent.children++
			t.parent = up
			break
		}
	}
	if _, again := p.tests[name]; !again {
		p.order = append(p.order, name)
	}
	p.tests[name] = t
}

// ended is what the go command prints when a signal ended a test binary (os/exec's words).
func ended(line string) string {
	if s, ok := strings.CutPrefix(strings.TrimSpace(line), "signal: "); ok {
		return s
	}
	return ""
}

func (g *goStream) output(p *goPackage, e *goEvent) {
	if e.Test != "" {
		t, ok := p.tests[e.Test]
		if !ok {
			return // belongs to a test that has ended, or was never started
		}
		t.signal = ended(e.Output)
		trimmed := strings.TrimLeft(e.Output, " ")
		for _, word := range []string{"--- PASS: ", "--- FAIL: ", "--- SKIP: ", "--- BENCH: "} {
			if rest, ok := strings.CutPrefix(trimmed, word); ok && strings.HasPrefix(rest, e.Test+" (") {
				t.line = true
				return // says nothing that the closing event does not
			}
		}
		for _, word := range []string{"=== RUN ", "=== PAUSE ", "=== CONT ", "=== NAME ", "=== ATTR "} {
			if strings.HasPrefix(e.Output, word) {
				return
			}
		}
		if g.live > maxLive {
			g.note("texts_cut", 0, "the output of the tests that run at once is longer than %d bytes: it is left out", maxLive)
			return
		}
		if t.out == nil {
			t.out = &clip{max: g.lim.text}
		}
		before := len(t.out.head) + len(t.out.tail)
		t.out.Write([]byte(e.Output)) // never fails
		g.live += len(t.out.head) + len(t.out.tail) - before
		return
	}
	switch out := e.Output; {
	case out == "PASS\n":
		p.pass = true
	case out == "FAIL\n":
		p.fail = true
	case strings.HasPrefix(out, "ok  \t"+p.name+"\t"):
		p.cached = strings.Contains(out, "\t(cached)")
		p.none = strings.Contains(out, "[no tests to run]")
		return
	case strings.HasPrefix(out, "?   \t"+p.name+"\t"), strings.HasPrefix(out, "\t"+p.name+"\t\tcoverage: "):
		p.without = true // with -cover, a package without test files passes with this line
		return
	case strings.HasPrefix(out, "FAIL\t"+p.name):
		p.setup = strings.Contains(out, "[setup failed]")
		return
	}
	if s := ended(e.Output); s != "" {
		p.signal = s
	}
	p.out.Write([]byte(e.Output)) // never fails
}

func (t *goTest) text() []byte {
	if t.out == nil {
		return nil
	}
	return t.out.bytes()
}

// testEnded takes the closing event of a test.
func (g *goStream) testEnded(p *goPackage, e *goEvent) {
	t, ok := p.tests[e.Test]
	if !ok {
		t = &goTest{line: true, last: -1} // streams made from output without -v close tests that they never started
	}
	g.release(p, e.Test, t)
	if e.Action == "bench" {
		return
	}
	failed := e.Action == "fail"
	if t.children > 0 && (!failed || t.bad) {
		g.parentEnded(p, t)
		return
	}
	c := g.caseOf(p, e.Test)
	c.Duration = seconds(e.Elapsed)
	switch e.Action {
	case "pass":
		c.Status = facts.Passed
	case "skip":
		c.Status, c.Kind = facts.Skipped, "skip"
		c.Reason = g.skipReason(t.text())
	default:
		c.Status = facts.Failed
		g.explain(&c, t.text(), false)
		p.bad++
	}
	i := g.add(c)
	if i >= 0 {
		p.cases = append(p.cases, i)
		if c.Status == facts.Passed && !t.line {
			p.silent = append(p.silent, i)
		}
	}
	if failed {
		p.tell(t.parent, i)
	}
}

// tell lets a parent know that a child of it failed.
func (p *goPackage) tell(parent string, index int) {
	if up, ok := p.tests[parent]; ok && parent != "" {
		up.bad, up.last = true, index
	}
}

// parentEnded takes the end of a test that is no case, because its children are. A panic in a child is printed by the
// outermost parent, and belongs to the child.
func (g *goStream) parentEnded(p *goPackage, t *goTest) {
	if !t.bad {
		return
	}
	p.tell(t.parent, t.last)
	if out := t.text(); t.last >= 0 && panicLine(string(out)) != "" {
		if c := &g.res.Cases[t.last]; len(c.Failures) > 0 && c.Failures[0].Type != "panic" {
			g.explain(c, append([]byte(c.Failures[0].Text+"\n"), out...), true)
			c.Failures = g.fit(c.Failures)
		}
	}
}

// release forgets a test that has ended.
func (g *goStream) release(p *goPackage, name string, t *goTest) {
	if t.out != nil {
		g.live -= len(t.out.head) + len(t.out.tail)
	}
	delete(p.tests, name)
	if len(p.tests) == 0 {
		p.order = p.order[:0]
	}
}

func (g *goStream) skipReason(out []byte) string {
	_, reason := g.find.goSays(string(out))
	return g.prose([]byte(reason), g.lim.message)
}

// packageEnded takes the closing event of a package.
func (g *goStream) packageEnded(p *goPackage, e *goEvent, at int64) {
	delete(g.packages, p.name)
	for i := range g.order {
		if g.order[i] == p {
			g.order = append(g.order[:i], g.order[i+1:]...)
			break
		}
	}
	running := g.running(p, e.Action == "pass" && p.pass)
	if p.cached {
		for _, i := range p.cases {
			g.res.Cases[i].Cached = true
		}
	}
	switch e.Action {
	case "skip":
		p.without = true
	case "pass":
		switch {
		case p.without && len(p.cases) == 0 && running == 0:
		case p.fail:
			g.problem(facts.Contradict, "fail_line_in_pass", at, "package %s printed FAIL, and yet its test binary ended with status 0", p.name)
		case !p.pass:
			g.problem(facts.Incomplete, "no_pass_line", at, "package %s passed without the line PASS: TestMain did not call m.Run, or no test program was run", p.name)
		}
		if p.none {
			g.note("no_tests_to_run", at, "package %s has no tests to run", p.name)
		}
	case "fail":
		g.packageFailed(p, e, running)
	}
	if p.without {
		g.without++
	}
}

// running closes the tests of a package that have not ended: the binary did, with them. A benchmark has no closing
// event of its own and is no case; passed says that the binary reached its end.
func (g *goStream) running(p *goPackage, passed bool) (n int) {
	for _, name := range p.order {
		if t, ok := p.tests[name]; ok {
			p.tell(t.parent, -1) // a child that was running speaks for its parent
		}
	}
	for _, name := range p.order {
		t, ok := p.tests[name]
		if !ok || t.children > 0 && t.bad {
			continue
		}
		if passed && strings.HasPrefix(name, "Benchmark") {
			g.note("benchmark", 0, "benchmarks are no cases: %s", clean64([]byte(name)))
			continue
		}
		n++
		p.bad++
		if t.signal != "" {
			p.signal = t.signal
		}
		if i := g.add(g.interrupted(p, name, t)); i >= 0 {
			p.cases = append(p.cases, i)
		}
	}
	for name, t := range p.tests {
		g.release(p, name, t)
	}
	return n
}

// interrupted is the case of a test that had not ended when its binary did.
func (g *goStream) interrupted(p *goPackage, name string, t *goTest) facts.Case {
	c := g.caseOf(p, name)
	c.Status = facts.Errored
	if p.lost {
		c.Status = facts.StatusUnknown
	}
	g.explain(&c, t.text(), true)
	f := &c.Failures[0]
	why := "was running when the test binary ended"
	if t.signal != "" {
		why += ": signal: " + t.signal
	} else if m := panicLine(f.Text); m != "" {
		why += ": " + m
	}
	f.Message = firstLine(why, g.lim.message)
	return c
}

// packageFailed says why a package failed, where its cases do not.
func (g *goStream) packageFailed(p *goPackage, e *goEvent, running int) {
	if e.FailedBuild != "" || p.setup {
		o := g.buildFailure(p.name, e.FailedBuild)
		if e.FailedBuild != "" {
			g.failed[e.FailedBuild] = true
		}
		if p.setup {
			o.Kind = facts.Collection
		}
		if o.Text == "" {
			o.Text = g.prose(p.out.bytes(), g.lim.text)
		}
		g.outside(o)
		return
	}
	text := g.prose(p.out.bytes(), g.lim.text)
	if p.signal != "" {
		g.outside(facts.Outside{Kind: facts.Crash, Where: p.name, Message: fmt.Sprintf("the test binary of %s was ended by a signal: %s", p.name, p.signal), Text: text})
		return
	}
	if p.bad > 0 {
		return
	}
	message := panicLine(text)
	if message == "" {
		message = unknownFlag(text)
	}
	if message == "" {
		message = lastLine(text)
	}
	o := facts.Outside{Kind: facts.OutsideTests, Where: p.name, Message: firstLine("failed outside its tests: "+message, g.lim.message), Text: text}
	if message == "" {
		o.Message = "failed, and no test of it did (TestMain, os.Exit or a crash)"
	}
	if m := g.find.frame.FindStringSubmatch(text); m != nil {
		where := at(m)
		o.File, o.Line = where.file, where.line
	}
	g.outside(o)
}

// unknownFlag is the first line of a test binary that does not know a flag; its usage follows.
func unknownFlag(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if strings.HasPrefix(line, "flag provided but not defined: ") {
		return line
	}
	return ""
}

func lastLine(s string) string {
	last := ""
	for line := range strings.SplitSeq(s, "\n") {
		if line = strings.TrimSpace(line); line != "" && line != "PASS" && line != "FAIL" {
			last = line
		}
	}
	return last
}

// lost takes a package whose closing event is not there: the stream was cut, or the binary ended with a clean status in
// the middle of a test, which test2json then reports as passed.
func (g *goStream) lost(p *goPackage) {
	g.problem(facts.Incomplete, "package_not_ended", 0, "package %s has no closing event: its test binary ended early, or the stream was cut", p.name)
	for _, i := range p.silent {
		c := &g.res.Cases[i]
		c.Status = facts.Errored
		c.Failures = []facts.Failure{{Message: "the test binary ended while this test was running", Error: true}}
	}
	p.lost = true
	g.running(p, false)
}
