package parsers

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"factgate/facts"
)

// goPackage is one package's test binary while it runs.
type goPackage struct {
	name  string
	suite string             // the same, as it is kept
	tests map[string]*goTest // those that have not ended
	last  *goTest            // that was met last, while it has not ended
	order []*goTest          // in order of their start; those that ended are left in until they are many
	out   clip               // what it printed outside tests
	ended bool

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

// heldPackage is about what is kept for a running package beside its name and its tests, in bytes.
const heldPackage = 1024

// packageOf gives the package of that name, which starts here unless it is running; nil when there is no room for one
// more.
func (g *goStream) packageOf(name []byte, at int64) *goPackage {
	if p := g.last; p != nil && p.name == string(name) {
		return p
	}
	p, ok := g.packages[string(name)]
	if !ok {
		size := len(name) + heldPackage
		if g.held+size > g.lim.running {
			g.problem(facts.Malformed, "too_large", at, "more packages run at once than can be followed: those whose names do not fit into %d bytes are left out", g.lim.running)
			return nil
		}
		g.held += size
		p = &goPackage{name: string(name), suite: g.word(g.label(name)), tests: map[string]*goTest{}, out: clip{max: g.lim.text}}
		g.packages[p.name] = p
		if len(g.order) >= 2*len(g.packages)+64 {
			g.order = slices.DeleteFunc(g.order, func(p *goPackage) bool { return p.ended })
		}
		g.order = append(g.order, p)
		g.started++
	}
	g.last = p
	return p
}

// packageOutput takes what a package printed outside its tests.
func (g *goStream) packageOutput(p *goPackage, out []byte) {
	switch {
	case string(out) == "PASS\n":
		p.pass = true
	case string(out) == "FAIL\n":
		p.fail = true
	case says(out, "ok  \t", p.name, "\t"):
		p.cached = bytes.Contains(out, []byte("\t(cached)"))
		p.none = bytes.Contains(out, []byte("[no tests to run]"))
		return
	case says(out, "?   \t", p.name, "\t"), says(out, "\t", p.name, "\t\tcoverage: "):
		p.without = true // with -cover, a package without test files passes with this line
		return
	case says(out, "FAIL\t", p.name, ""):
		p.setup = bytes.Contains(out, []byte("[setup failed]"))
		return
	}
	if s := ended(out); s != "" {
		p.signal = s
	}
	g.hold(&p.out, out)
}

// says reports whether a line begins with these words.
func says(line []byte, words ...string) bool {
	for _, w := range words {
		if len(line) < len(w) || string(line[:len(w)]) != w {
			return false
		}
		line = line[len(w):]
	}
	return true
}

// packageEnded takes the closing event of a package.
func (g *goStream) packageEnded(p *goPackage, e *goEvent, at int64) {
	g.packageForgotten(p)
	running := g.running(p, p.pass && string(e.Action) == "pass" || p.fail && string(e.Action) == "fail")
	if p.cached {
		for _, i := range p.cases {
			g.res.Cases[i].Cached = true
		}
	}
	switch string(e.Action) {
	case "skip":
		p.without = true
	case "pass":
		switch {
		case p.without && len(p.cases) == 0 && running == 0:
		case p.fail:
			g.problem(facts.Contradict, "fail_line_in_pass", at, "package %s printed FAIL, and yet its test binary ended with status 0", p.suite)
		case !p.pass:
			g.problem(facts.Incomplete, "no_pass_line", at, "package %s passed without the line PASS: TestMain did not call m.Run, or no test program was run", p.suite)
		}
		if p.none {
			g.note("no_tests_to_run", at, "package %s has no tests to run", p.suite)
		}
	case "fail":
		g.packageFailed(p, e, running)
	}
	if p.without {
		g.without++
	}
}

// packageForgotten takes a package that has ended off the list.
func (g *goStream) packageForgotten(p *goPackage) {
	p.ended = true
	delete(g.packages, p.name)
	g.held -= len(p.name) + heldPackage
	g.live -= held(&p.out)
	if g.last == p {
		g.last = nil
	}
}

// running closes the tests of a package that have not ended: the binary did, with them. A benchmark has no closing
// event of its own unless it failed, and is no case; through says that the binary reached its end.
func (g *goStream) running(p *goPackage, through bool) (n int) {
	open := running(p.order)
	for _, t := range open {
		t.tell(-1) // a child that was running speaks for its parent
	}
	for _, t := range open {
		if t.children > 0 && t.bad {
			continue
		}
		if through && strings.HasPrefix(t.name, "Benchmark") {
			g.note("benchmark", 0, "benchmarks are no cases: %s", clean64([]byte(t.name)))
			continue
		}
		n++
		p.bad++
		if t.signal != "" {
			p.signal = t.signal
		}
		if i := g.add(g.interrupted(p, t, "was running when the test binary ended")); i >= 0 {
			p.cases = append(p.cases, i)
		}
	}
	for _, t := range open {
		g.forget(p, t)
		g.recycle(t)
	}
	return n
}

// packageFailed says why a package failed, where its cases do not.
func (g *goStream) packageFailed(p *goPackage, e *goEvent, running int) {
	if len(e.FailedBuild) > 0 || p.setup {
		o := g.buildFailure(p.name, string(e.FailedBuild))
		if _, known := g.failed[string(e.FailedBuild)]; known || len(e.FailedBuild) > 0 && len(g.failed) < 2*maxBuilds {
			g.failed[string(e.FailedBuild)] = true
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
		g.outside(facts.Outside{Kind: facts.Crash, Where: p.suite, Message: fmt.Sprintf("the test binary of %s was ended by a signal: %s", p.suite, p.signal), Text: text})
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
	o := facts.Outside{Kind: facts.OutsideTests, Where: p.suite, Message: firstLine("failed outside its tests: "+message, g.lim.message), Text: text}
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
	g.problem(facts.Incomplete, "package_not_ended", 0, "package %s has no closing event: its test binary ended early, or the stream was cut", p.suite)
	for _, i := range p.silent {
		c := &g.res.Cases[i]
		c.Status = facts.Errored
		c.Failures = []facts.Failure{{Message: "the test binary ended while this test was running", Error: true}}
	}
	p.lost = true
	g.running(p, false)
}
