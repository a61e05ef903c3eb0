package parsers

import (
	"bytes"
	"io"
	"strings"

	"factgate/facts"
)

// TAP reads the Test Anything Protocol, versions 12 to 14 (testanything.org), with subtests as TAP 14, node:test,
// node-tap and Test::More write them: four blanks deeper, before the point of their parent, or within braces behind it.
//
// Leaves are cases; a parent is one only when it has no children, or failed while no child did. A todo is a skip
// of that kind, whether it is ok or not; a skip that is not ok failed. Its proof of completeness is the plan:
// each stream and each announced subtest has one, and it says how many points there are. Lines that are no TAP
// are noise, which a program under test may print; those behind a point that failed are its text.
//
// tape and others write no tests, only assertions: each is a case. node:test lists a file in which it saw no test as one
// that passed; it is taken as a skip.
func TAP(r io.Reader) (facts.Results, error) { return tap(r, standard()) }

func tap(r io.Reader, lim limits) (facts.Results, error) {
	t := &tapStream{collector: newCollector(lim), find: patterns(), syntax: tapWords(), stack: []*tapLevel{{plan: -1}}, totals: map[string]int{}}
	src := newSource(r, lim.input)
	l := newLines(plainText(src, t.collector), lim)
	for {
		line, ok := l.next()
		if !ok {
			break
		}
		t.line(line, l)
	}
	if src.err != nil {
		return facts.Results{}, src.err
	}
	if src.over {
		t.problem(facts.Malformed, "too_large", 0, "the file is longer than %d bytes", lim.input)
	}
	if l.r.cut > 0 {
		t.note("texts_cut", 0, "%d texts were longer than %d bytes and were cut", l.r.cut, lim.value)
	}
	return t.end(), nil
}

// tapStream is the stream while it is read.
type tapStream struct {
	*collector
	find   *finders
	syntax *tapSyntax
	stack  []*tapLevel // the stream and the subtests that are open
	yaml   *tapYAML    // the block that is open

	lines, noise, taps int // that are not blank
	version            string
	announced          bool           // subtests are, so that no other comment is a heading
	heading            string         // of tape: the comment above its assertions
	totals             map[string]int // that the writer states in comments
	bailed             bool
}

// tapLevel is a stream of points: the whole, or a subtest.
type tapLevel struct {
	indent    int
	name      string
	announced bool // by a comment or a brace
	first     int  // index of the first case within it

	plan    int // -1 when there is none yet
	skipAll bool
	seen    int       // points
	number  int       // of the last one
	point   *tapPoint // the last one, whose diagnostics may follow

	next    string // what the comment "Subtest:" calls the next point
	waiting bool   // children stand before the point that is theirs
	kids    int    // cases among them
	kidsBad bool
	kidsAt  int // index of the first

	cases int // within it
	bad   bool
}

func (t *tapStream) top() *tapLevel { return t.stack[len(t.stack)-1] }

// line reads one line.
func (t *tapStream) line(line []byte, l *lines) {
	text := bytes.TrimLeft(line, " ")
	indent := len(line) - len(text)
	text = bytes.TrimRight(text, " \t")
	if len(text) == 0 {
		return
	}
	t.lines++
	if t.yaml != nil && !t.inYAML(indent, text, l.at) {
		return
	}
	if p := t.top().point; p != nil && string(text) == "---" && indent >= t.top().indent+2 {
		t.yaml, p.told = &tapYAML{indent: indent, base: -1, point: p}, true
		return
	}
	if string(text) == "}" && t.brace(indent) {
		return
	}
	if m := t.syntax.asPoint(text); m != nil {
		if !l.whole {
			t.problem(facts.Truncated, "truncated", l.at, "the last line is a test point without its end")
		}
		if l.long { // a directive may stand behind
			t.problem(facts.Malformed, "line_too_long", l.at, "a test point is longer than %d bytes", t.lim.line)
		}
		if t.enter(indent, true) {
			t.newPoint(m, l.at)
			return
		}
		t.note("not_understood", l.at, "a line looks like a test point, and stands at a depth of %d where none is open", indent)
	} else if m := t.syntax.asPlan(text); m != nil {
		if t.enter(indent, true) {
			t.newPlan(m, l.at)
			return
		}
	} else if t.keyword(indent, text, l.at) {
		return
	}
	t.diagnostic(line, text)
}

// keyword reads a line that begins with a word or a # of its own meaning.
func (t *tapStream) keyword(indent int, text []byte, at int64) bool {
	s := string(text)
	switch {
	case strings.HasPrefix(s, "TAP version "):
		if !t.enter(indent, true) {
			return false
		}
		if top := t.top(); len(t.stack) == 1 && (top.seen > 0 || top.plan >= 0) {
			t.closeAll(false) // another stream begins behind the first
			t.stack = []*tapLevel{{plan: -1}}
		}
		t.version, t.heading = strings.TrimPrefix(s, "TAP version "), ""
		t.taps++
	case strings.HasPrefix(s, "Bail out!"):
		t.flush(t.top())
		if !t.bailed {
			message := t.prose(text, t.lim.message)
			t.outside(facts.Outside{Where: "Bail out!", Message: message})
			t.problem(facts.Incomplete, "bail_out", at, "the run was given up: %s", firstLine(message, 200))
		}
		t.bailed = true
	case strings.HasPrefix(s, "pragma "):
	case strings.HasPrefix(s, "# Subtest: "), s == "# Subtest:":
		if !t.enter(indent, false) {
			return false
		}
		name := strings.TrimPrefix(strings.TrimPrefix(s, "# Subtest:"), " ")
		t.announced, t.heading = true, ""
		if top := t.top(); indent > top.indent {
			if top.next == "" && !top.braced() { // Test::More before 1.3 announces it from within
				top.next = name
				name = ""
			}
			t.push(indent)
		}
		t.flush(t.top())
		t.top().next = name
	default:
		return false
	}
	return true
}

// enter closes what is deeper than indent, and opens a subtest where a line stands deeper. It is false for a line that
// only looks like TAP.
func (t *tapStream) enter(indent int, open bool) bool {
	for len(t.stack) > 1 && indent < t.top().indent {
		t.pop()
	}
	top := t.top()
	switch {
	case indent == top.indent:
		return true
	case indent < top.indent+4:
		return false
	case indent == top.indent+4 && open:
		t.push(indent)
		return true
	}
	return indent == top.indent+4
}

// braced reports whether the last point may be the parent of what stands deeper behind it.
func (l *tapLevel) braced() bool { return l.point != nil && l.point.brace }

// push opens a subtest.
func (t *tapStream) push(indent int) {
	top := t.top()
	next := &tapLevel{indent: indent, plan: -1, first: len(t.res.Cases), name: t.label([]byte(top.next)), announced: top.next != ""}
	if top.braced() {
		top.point.open = true
		next.name, next.announced = t.label([]byte(top.point.description)), true
	} else {
		t.flush(top)
	}
	if len(t.stack) > t.lim.depth {
		t.problem(facts.Malformed, "too_deep", 0, "subtests are nested more than %d deep", t.lim.depth)
		next.indent = indent
	}
	t.stack = append(t.stack, next)
}

// pop closes the innermost subtest, whose cases are those of the point that follows.
func (t *tapStream) pop() {
	level := t.top()
	t.flush(level)
	t.judge(level)
	t.stack = t.stack[:len(t.stack)-1]
	top := t.top()
	if p := top.point; p != nil && p.open { // the parent came first
		p.kids, p.kidsBad = p.kids+level.cases, p.kidsBad || level.bad
		top.cases += level.cases
		top.bad = top.bad || level.bad
		return
	}
	if !top.waiting {
		top.waiting, top.kids, top.kidsBad, top.kidsAt = true, 0, false, level.first
	}
	if !level.announced {
		top.kidsAt = level.first
	} else {
		top.kidsAt = len(t.res.Cases)
	}
	top.kids += level.cases
	top.kidsBad = top.kidsBad || level.bad
	top.cases += level.cases
	top.bad = top.bad || level.bad
}

// brace ends a subtest that stands behind its parent.
func (t *tapStream) brace(indent int) bool {
	for i := len(t.stack) - 2; i >= 0; i-- {
		if level := t.stack[i]; level.indent == indent && level.point != nil && level.point.open {
			for len(t.stack) > i+1 {
				t.pop()
			}
			level.point.open = false
			t.flush(level)
			return true
		}
	}
	return false
}

// above are the names of the subtests that are open.
func (t *tapStream) above() []string {
	var names []string
	for _, level := range t.stack[1:] {
		if level.name != "" {
			names = append(names, level.name)
		}
	}
	return names
}

func (t *tapStream) newPlan(m [][]byte, at int64) {
	top := t.top()
	t.flush(top)
	t.taps++
	n := digits(m[1])
	if top.plan >= 0 {
		t.problem(facts.Malformed, "second_plan", at, "a second plan, 1..%d, follows the first, 1..%d: two streams stand in one", n, top.plan)
		n += top.plan
	}
	top.plan = n
	if word := strings.ToLower(string(m[2])); strings.HasPrefix(word, "skip") {
		top.skipAll = true
		if len(t.stack) == 1 {
			t.note("skip_all", at, "the whole stream is skipped: %s", firstLine(t.prose(m[2], t.lim.message), 200))
		}
	}
}

// digits reads a number; what is beyond reason is a large one.
func digits(b []byte) int {
	n := 0
	for _, c := range b {
		if n = n*10 + int(c-'0'); n > 1e9 {
			return 1e9
		}
	}
	return n
}

// judge holds the plan of a level against its points.
func (t *tapStream) judge(level *tapLevel) {
	what := "the stream"
	if len(t.stack) > 1 {
		what = "subtest " + t.label([]byte(strings.Join(t.above(), separator)))
	}
	if level.waiting {
		t.note("subtest_without_point", 0, "%s ends with a subtest that no point follows", what)
	}
	switch {
	case t.bailed:
	case level.plan < 0 && (len(t.stack) == 1 || level.announced):
		t.problem(facts.Incomplete, "no_plan", 0, "%s has no plan: its end is not there", what)
	case level.plan < 0:
		t.note("subtest_without_plan", 0, "%d points stand deeper than others and have no plan", level.seen)
	case level.plan > level.seen:
		t.problem(facts.Incomplete, "plan_above_points", 0, "the plan of %s is 1..%d, and %d points are there", what, level.plan, level.seen)
	case level.plan < level.seen:
		t.problem(facts.Contradict, "points_above_plan", 0, "the plan of %s is 1..%d, and %d points are there", what, level.plan, level.seen)
	}
}

// closeAll closes what is open at the end of a stream. A closing line that was never reached leaves a block open.
func (t *tapStream) closeAll(cut bool) {
	if t.yaml != nil {
		t.closeYAML(cut)
	}
	for len(t.stack) > 1 {
		t.pop()
		if p := t.top().point; p != nil {
			p.open = false
		}
	}
	if top := t.top(); top.braced() {
		t.problem(facts.Truncated, "truncated", 0, "cut off inside a subtest in braces")
		top.point.open = false
	}
	t.flush(t.top())
	if t.taps > 0 {
		t.judge(t.top())
	}
}

func (t *tapStream) end() facts.Results {
	t.closeAll(true)
	switch {
	case t.lines == 0:
		t.problem(facts.Malformed, "empty", 0, "there is nothing in the file")
	case t.taps == 0:
		t.problem(facts.Malformed, "no_tap", 0, "there is no line of TAP in the file")
	}
	if t.noise > 0 {
		t.note("noise", 0, "%d of %d lines are no TAP", t.noise, t.lines)
	}
	t.withoutTests()
	claims := noClaims()
	if top := t.top(); top.plan >= 0 {
		claims.tests = top.plan
	}
	fail, stated := t.totals["fail"]
	if stated {
		claims.failures = fail + t.totals["cancelled"]
		if claims.failures > 0 && t.tally().bad == 0 {
			t.problem(facts.Contradict, "claims_above_counts", 0, "the totals name %d failures, and none is listed", claims.failures)
		}
	}
	t.res.Claims = claims.facts()
	return t.finish(t.sound())
}
