package parsers

import (
	"bytes"

	"factgate/facts"
)

// goTest is one test while it runs.
type goTest struct {
	name     string
	parent   *goTest
	children int
	bad      bool // a child failed
	last     int  // the kept case of the child that failed last, -1 for none
	out      *clip
	line     bool   // the framework's closing line was seen
	crashed  bool   // and behind it a panic: that of a goroutine, which ended the binary
	signal   string // the go command's line on the end of the binary was attributed to this test
	ended    bool
	off      bool // ended, and so did all that started behind it: nothing refers to it
}

// heldTest is about what is kept for a running test beside its name, in bytes.
const heldTest = 256

// test gives a test that is running, nil when none is called so.
func (p *goPackage) test(name []byte) *goTest {
	if t := p.last; t != nil && t.name == string(name) {
		return t
	}
	t := p.tests[string(name)]
	if t != nil {
		p.last = t
	}
	return t
}

// run starts a test, as a child of the longest name before a slash that is running: subtests' names may hold slashes.
func (g *goStream) run(p *goPackage, name []byte, at int64) {
	if t := p.test(name); t != nil {
		g.problem(facts.Incomplete, "started_again", at, "test %q of %s started again before it ended", clean64(name), p.suite)
		g.add(g.interrupted(p, t, "did not end before it started again"))
		p.bad++
		g.forget(p, t)
		g.recycle(t)
	}
	size := len(name) + heldTest
	if g.held+size > g.lim.running {
		g.problem(facts.Malformed, "too_large", at, "more tests run at once than can be followed: those whose names do not fit into %d bytes are left out", g.lim.running)
		return
	}
	g.held += size
	t := g.spareTest()
	t.name = string(name)
	if up := p.parent(name, g.lim.depth); up != nil {
		up.children++
		t.parent = up
	}
	p.tests[t.name] = t
	p.last = t
	if len(p.order) >= 2*len(p.tests)+64 {
		p.order = running(p.order)
	}
	p.order = append(p.order, t)
}

// parent gives the running test that a test of that name is a child of. Names of more slashes than depth are looked up
// from their end only, so that the work on one name is bounded.
func (p *goPackage) parent(name []byte, depth int) *goTest {
	for ; depth > 0; depth-- {
		i := bytes.LastIndexByte(name, '/')
		if i < 0 {
			return nil
		}
		name = name[:i]
		if t, ok := p.tests[string(name)]; ok {
			return t
		}
	}
	return nil
}

// running keeps the tests that have not ended.
func running(tests []*goTest) []*goTest {
	kept := tests[:0]
	for _, t := range tests {
		if !t.ended {
			kept = append(kept, t)
		}
	}
	clear(tests[len(kept):])
	return kept
}

// ended is what the go command prints when a signal ended a test binary (os/exec's words).
func ended(line []byte) string {
	if s, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("signal: ")); ok {
		return clean64(s)
	}
	return ""
}

func (g *goStream) testOutput(p *goPackage, e *goEvent) {
	t := p.test(e.Test)
	if t == nil {
		return // belongs to a test that has ended, or was never started
	}
	t.signal = ended(e.Output)
	if closes(e.Output, t.name) {
		t.line = true
		return // says nothing that the closing event does not
	}
	if frames(e.Output) {
		return
	}
	t.crashed = t.crashed || t.line && bytes.HasPrefix(e.Output, []byte("panic: "))
	g.keep(t, e.Output)
}

// keep adds to the output of a test.
func (g *goStream) keep(t *goTest, out []byte) {
	if t.out == nil {
		t.out = g.clip()
	}
	g.hold(t.out, out)
}

// closes reports whether a line is the framework's on the end of a test.
func closes(line []byte, name string) bool {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " "), []byte("--- "))
	if !ok {
		return false
	}
	for _, word := range []string{"PASS: ", "FAIL: ", "SKIP: ", "BENCH: "} {
		if len(rest) > len(word)+len(name) && string(rest[:len(word)]) == word {
			rest = rest[len(word):]
			return string(rest[:len(name)]) == name && bytes.HasPrefix(rest[len(name):], []byte(" ("))
		}
	}
	return false
}

// frames reports whether a line is another one of the framework's.
func frames(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("=== "))
	if !ok {
		return false
	}
	for _, word := range []string{"RUN ", "PAUSE ", "CONT ", "NAME ", "ATTR ", "ARTIFACTS "} {
		if len(rest) >= len(word) && string(rest[:len(word)]) == word {
			return true
		}
	}
	return false
}

// clip gives an empty one for the output of a test.
func (g *goStream) clip() *clip {
	if n := len(g.clips); n > 0 {
		c := g.clips[n-1]
		g.clips = g.clips[:n-1]
		return c
	}
	return &clip{max: g.lim.text}
}

// hold keeps output of what has not ended, while there is room for it.
func (g *goStream) hold(c *clip, out []byte) {
	if g.live > g.lim.live {
		g.note("texts_cut", 0, "the output of the tests that run at once is longer than %d bytes: it is left out", g.lim.live)
		return
	}
	before := held(c)
	c.Write(out) // never fails
	g.live += held(c) - before
}

// held is how many bytes a clip keeps.
func held(c *clip) int { return len(c.head) + len(c.tail) }

func (t *goTest) text() []byte {
	if t.out == nil {
		return nil
	}
	return t.out.bytes()
}

// testEnded takes the closing event of a test.
func (g *goStream) testEnded(p *goPackage, e *goEvent) {
	t := p.test(e.Test)
	if t == nil {
		t = &goTest{line: true, last: -1} // streams made from output without -v close tests that they never started
	} else {
		g.forget(p, t)
		defer g.recycle(t)
	}
	if string(e.Action) == "bench" {
		return
	}
	failed := string(e.Action) == "fail"
	if t.crashed && !failed {
		g.crashed(p, t)
	}
	if t.children > 0 && (!failed || t.bad) {
		g.parentEnded(t)
		return
	}
	c := g.caseOf(p, e.Test)
	c.Duration = seconds(e.Elapsed)
	switch string(e.Action) {
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
		t.tell(i)
	}
}

// crashed hands the output of a test that had ended when a goroutine panicked to what was still running, since its own
// closing event says that it passed.
func (g *goStream) crashed(p *goPackage, t *goTest) {
	if up := t.parent; up != nil && !up.ended {
		g.keep(up, t.text())
		return
	}
	g.hold(&p.out, t.text())
}

// tell lets a parent that is running know that a child of it failed.
func (t *goTest) tell(index int) {
	if up := t.parent; up != nil && !up.ended {
		up.bad, up.last = true, index
	}
}

// parentEnded takes the end of a test that is no case, because its children are. A panic in a child is printed by the
// outermost parent, and belongs to the child.
func (g *goStream) parentEnded(t *goTest) {
	if !t.bad {
		return
	}
	t.tell(t.last)
	if out := t.text(); t.last >= 0 && panicLine(string(out)) != "" {
		if c := &g.res.Cases[t.last]; len(c.Failures) > 0 && c.Failures[0].Type != "panic" {
			g.explain(c, append([]byte(c.Failures[0].Text+"\n"), out...), true)
			c.Failures = g.fit(c.Failures)
		}
	}
}

// forget takes a test that has ended off the list.
func (g *goStream) forget(p *goPackage, t *goTest) {
	t.ended = true
	g.held -= len(t.name) + heldTest
	delete(p.tests, t.name)
	if p.last == t {
		p.last = nil
	}
	if n := len(p.order) - 1; n >= 0 && p.order[n] == t {
		p.order = p.order[:n]
		t.off = true
	}
}

// maxSpare bounds how many tests and clips wait to be used again.
const maxSpare = 64

// recycle drops a test that has ended, and its output, when nobody asks for them any more.
func (g *goStream) recycle(t *goTest) {
	if t.out != nil {
		g.live -= held(t.out)
		if len(g.clips) < maxSpare {
			t.out.reset()
			g.clips = append(g.clips, t.out)
		}
		t.out = nil
	}
	if t.off && len(g.spare) < maxSpare {
		g.spare = append(g.spare, t)
	}
}

// spareTest gives one that has not started.
func (g *goStream) spareTest() *goTest {
	n := len(g.spare) - 1
	if n < 0 {
		return &goTest{last: -1}
	}
	t := g.spare[n]
	g.spare = g.spare[:n]
	*t = goTest{last: -1}
	return t
}

func (g *goStream) skipReason(out []byte) string {
	_, reason := g.find.goSays(string(out))
	return g.prose([]byte(reason), g.lim.message)
}

// interrupted is the case of a test that had not ended when its binary did. why says how that is known.
func (g *goStream) interrupted(p *goPackage, t *goTest, why string) facts.Case {
	c := g.caseOf(p, []byte(t.name))
	c.Status = facts.Errored
	if p.lost {
		c.Status = facts.StatusUnknown
	}
	g.explain(&c, t.text(), true)
	f := &c.Failures[0]
	if t.signal != "" {
		why += ": signal: " + t.signal
	} else if m := panicLine(f.Text); m != "" {
		why += ": " + m
	}
	f.Message = firstLine(why, g.lim.message)
	return c
}
