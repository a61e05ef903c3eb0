package parsers

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"factgate/facts"
)

// tapSyntax are the expressions for lines of TAP and what stands in them.
type tapSyntax struct {
	first     *regexp.Regexp // the beginning of a stream, behind comments
	point     *regexp.Regexp // not, the number, the rest
	plan      *regexp.Regexp // the number, what stands behind a #
	directive *regexp.Regexp // in the rest of a point: what stands before it, its word, its reason
	time      *regexp.Regexp // of node-tap: what stands before it, the number, its unit
	place     *regexp.Regexp // where Test::More and bats say that it failed
	key       *regexp.Regexp // of a block of diagnostics, with its value
	location  *regexp.Regexp // a place with its column
	script    *regexp.Regexp // the absolute path of a file in JavaScript or TypeScript
}

var tapWords = sync.OnceValue(func() *tapSyntax {
	return &tapSyntax{
		first:     regexp.MustCompile(`(?m)\A(?:#.*\n|\s*\n)*(?:TAP version \d+|1\.\.\d+|(?:not )?ok\b)`),
		point:     regexp.MustCompile(`^(not )?ok(?:\s+(\d+))?(?:\s+(.*))?$`),
		plan:      regexp.MustCompile(`^1\.\.(\d+)(?:\s*#\s*(.*))?$`),
		directive: regexp.MustCompile(`(?i)^(|.*?\s)#\s*(skip\S*|todo)(?:[\s:](.*))?$`),
		time:      regexp.MustCompile(`^(.*?)\s*#\s*time=(\d+(?:\.\d+)?)(ms|s)$`),
		place:     regexp.MustCompile(`(?:\bat |in test file |in file )(\S[^\n]*?),? line (\d+)\b`),
		key:       regexp.MustCompile(`^(\w+):(?:\s+(.*))?$`),
		location:  regexp.MustCompile(`^(.+):(\d+):\d+$`),
		script:    regexp.MustCompile(`^(?:/|[A-Za-z]:[/\\]).*\.[cm]?[jt]sx?$`),
	}
})

// asPoint gives the parts of a point, nil for any other line. Few lines are worth an expression.
func (x *tapSyntax) asPoint(text []byte) [][]byte {
	if !bytes.HasPrefix(text, []byte("ok")) && !bytes.HasPrefix(text, []byte("not ok")) {
		return nil
	}
	return x.point.FindSubmatch(text)
}

func (x *tapSyntax) asPlan(text []byte) [][]byte {
	if !bytes.HasPrefix(text, []byte("1..")) {
		return nil
	}
	return x.plan.FindSubmatch(text)
}

// tapPoint is a test point, until what follows it shows that it is whole.
type tapPoint struct {
	ok          bool
	number      int
	description string
	heading     string
	directive   string // skip, todo, or none
	reason      string
	ms          float64
	brace       bool // a subtest may follow in braces
	open        bool // and does
	kids        int  // cases within it
	kidsBad     bool

	told    bool // by a block of diagnostics
	diag    clip // what stands behind it
	first   string
	message string
	kind    string
	file    string
	line    int
	place   place // of a frame
}

// matched applies an expression to a text that holds a word of it.
func matched(x *regexp.Regexp, s, word string) []string {
	if !strings.Contains(s, word) {
		return nil
	}
	return x.FindStringSubmatch(s)
}

// newPoint takes a point: m is its line, with not, the number and the rest.
func (t *tapStream) newPoint(m [][]byte, at int64) {
	top := t.top()
	t.flush(top)
	t.taps++
	top.seen++
	p := &tapPoint{ok: len(m[1]) == 0, number: top.number + 1, heading: t.heading, diag: clip{max: t.lim.text}}
	if len(m[2]) > 0 {
		if n := digits(m[2]); n != p.number {
			t.note("point_number", at, "point %d follows point %d", n, top.number)
			p.number = n
		}
	}
	top.number = p.number
	p.describe(string(m[3]), t.syntax)
	if top.next != "" {
		if p.description == "" {
			p.description = top.next
		}
		top.next = ""
	}
	if top.waiting {
		p.kids, p.kidsBad = top.kids, top.kidsBad
		top.waiting = false
		t.rename(top.kidsAt, p.description)
	}
	top.point = p
	clear(t.totals) // they stand behind all points; what stands before is a comment
}

// describe reads what stands behind the number.
func (p *tapPoint) describe(s string, syntax *tapSyntax) {
	s = strings.TrimSpace(s)
	if rest, ok := strings.CutSuffix(s, "{"); ok && (rest == "" || strings.HasSuffix(rest, " ")) {
		p.brace, s = true, strings.TrimSpace(rest)
	}
	if m := matched(syntax.directive, s, "#"); m != nil {
		s, p.directive, p.reason = m[1], strings.ToLower(m[2]), strings.Trim(m[3], " -:")
	}
	if m := matched(syntax.time, s, "time="); m != nil {
		p.ms, _ = strconv.ParseFloat(m[2], 64) // digits and a dot
		if m[3] == "s" {
			p.ms *= 1000
		}
		s = m[1]
	}
	s = strings.TrimSpace(s)
	if s == "-" {
		s = ""
	}
	s = strings.TrimPrefix(s, "- ")
	if p.description = s; strings.Contains(s, `\`) {
		p.description = strings.NewReplacer(`\#`, "#", `\\`, `\`).Replace(s)
	}
}

// rename puts the name of a parent into the cases of a subtest that was not announced.
func (t *tapStream) rename(from int, name string) {
	path := strings.Join(t.above(), separator)
	if path != "" {
		path += separator
	}
	for i := from; i < len(t.res.Cases); i++ {
		c := &t.res.Cases[i]
		under := func(s string) string {
			switch rest, ok := strings.CutPrefix(s, path); {
			case s == "" || s+separator == path: // a suite that ends here
				return path + name
			case ok:
				return path + name + separator + rest
			}
			return s
		}
		c.ID = t.label([]byte(under(c.ID)))
		c.Suite = t.word(t.label([]byte(under(c.Suite))))
	}
}

// diagnostic takes a comment, or a line that is no TAP.
func (t *tapStream) diagnostic(line, text []byte) {
	top := t.top()
	comment := text[0] == '#'
	if comment && len(t.stack) == 1 {
		if t.total(string(text)) {
			return
		}
	}
	if !comment {
		t.noise++
	}
	p := top.point
	if p == nil || p.ok || p.open || p.told {
		if comment && t.version == "13" && !t.announced && len(t.stack) == 1 && bytes.HasPrefix(line, []byte("# ")) && len(text) > 2 {
			t.heading = string(text[2:])
		}
		return
	}
	said := line
	if comment {
		said = bytes.TrimPrefix(text[1:], []byte(" "))
	}
	p.say(said)
}

// total reads a comment in which a writer states a total: node:test, tape, mocha; node-tap in braces.
func (t *tapStream) total(s string) bool {
	s = strings.TrimSpace(strings.TrimPrefix(s, "#"))
	words := map[string]string{"tests": "tests", "total": "tests", "pass": "pass", "fail": "fail", "failed": "fail", "cancelled": "cancelled", "skipped": "skipped", "skip": "skipped", "todo": "todo"}
	if inner, ok := strings.CutPrefix(s, "{"); ok {
		found := false
		for part := range strings.SplitSeq(strings.TrimSuffix(inner, "}"), ",") {
			key, value, _ := strings.Cut(part, ":")
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if word := words[strings.TrimSpace(key)]; word != "" && err == nil {
				t.totals[word], found = n, true
			}
		}
		return found
	}
	f := strings.Fields(s)
	if len(f) != 2 || words[f[0]] == "" {
		return false
	}
	n, err := strconv.Atoi(f[1])
	if err != nil {
		return false
	}
	t.totals[words[f[0]]] = n
	return true
}

func (p *tapPoint) say(line []byte) {
	p.diag.Write(line)
	p.diag.Write([]byte{'\n'}) // never fails
	if s := strings.TrimSpace(string(line[:min(len(line), 500)])); p.first == "" && !p.told && !strings.HasPrefix(s, "(") {
		p.first = s
	}
}

// flush keeps the last point of a level as a case, where it is one.
func (t *tapStream) flush(level *tapLevel) {
	p := level.point
	if p == nil || p.open {
		return
	}
	level.point = nil
	if p.kids > 0 && (p.ok || p.kidsBad) {
		return
	}
	name := p.description
	if name == "" {
		name = fmt.Sprintf("#%d", p.number)
	}
	above := t.above()
	c := t.named("", above, name)
	if len(above) == 0 && p.heading != "" {
		c.Suite = t.word(t.label([]byte(p.heading)))
	}
	c.Duration = ms(p.ms)
	c.Reason = firstLine(t.prose([]byte(p.reason), t.lim.message), t.lim.message)
	switch {
	case strings.HasPrefix(p.directive, "todo"):
		c.Status, c.Kind = facts.Skipped, "todo"
	case !p.ok:
		c.Status, c.Reason = facts.Failed, ""
		c.Failures = []facts.Failure{t.explain(p)}
		explained(&c, "the stream")
	case strings.HasPrefix(p.directive, "skip"):
		c.Status, c.Kind = facts.Skipped, "skip"
	case len(above) == 0 && p.kids == 0 && t.syntax.script.MatchString(name):
		c.Status, c.Kind, c.Reason = facts.Skipped, "skip", noTestSeen
		t.silent++
	default:
		c.Status = facts.Passed
	}
	level.cases++
	level.bad = level.bad || c.Status == facts.Failed
	t.add(c)
}

// explain makes a failure of the diagnostics behind a point.
func (t *tapStream) explain(p *tapPoint) facts.Failure {
	said := p.message
	for _, other := range []string{p.first, p.description} {
		if said == "" {
			said = other
		}
	}
	f := t.failure(t.find, said, p.kind, string(p.diag.bytes()))
	for _, where := range []place{p.place, {f.File, f.Line}, t.syntax.says(f.Text), {p.file, p.line}} {
		if where.file != "" {
			f.File, f.Line = t.word(t.label([]byte(where.file))), where.line
			break
		}
	}
	return f
}

// tapSays gives the place that Test::More and bats write into a comment.
func (x *tapSyntax) says(text string) place {
	if m := matched(x.place, text, " line "); m != nil {
		return at(m)
	}
	return place{}
}

// tapYAML is a block of diagnostics that is open.
type tapYAML struct {
	indent, base int    // of its first line, and of its keys
	key          string // the one that lines belong to
	lines        int
	points       int // lines that look like points
	point        *tapPoint
}

// inYAML takes a line of the open block. It is true when the block has ended and the line stands behind it.
func (t *tapStream) inYAML(indent int, text []byte, at int64) bool {
	y := t.yaml
	if string(text) == "..." && indent == y.indent {
		t.yaml = nil
		return false
	}
	if indent < y.indent {
		t.closeYAML(false)
		return true
	}
	y.lines++
	if t.syntax.asPoint(text) != nil || t.syntax.asPlan(text) != nil {
		y.points++
	}
	p := y.point
	if !p.ok {
		p.say(append(bytes.Repeat([]byte(" "), indent-y.indent), text...))
	}
	if y.base < 0 {
		y.base = indent
	}
	m := matched(t.syntax.key, string(text[:min(len(text), t.lim.message)]), ":")
	if m != nil && (indent == y.base || (y.key == "at" || y.key == "error") && indent > y.base) {
		if indent == y.base {
			y.key = m[1]
		}
		p.field(m[1], strings.Trim(m[2], `'"`), t)
		return false
	}
	p.more(y.key, string(text), t.find)
	return false
}

// closeYAML ends a block that has no end of its own: it may have swallowed points.
func (t *tapStream) closeYAML(cut bool) {
	y := t.yaml
	t.yaml = nil
	switch {
	case cut:
		t.problem(facts.Truncated, "truncated", 0, "cut off inside a block of diagnostics")
	case y.points > 0:
		t.problem(facts.Malformed, "not_understood", 0, "a block of diagnostics has no end, and %d of its lines look like TAP", y.points)
	default:
		t.note("diagnostics", 0, "a block of diagnostics has no end")
	}
}

// field takes one key of a block.
func (p *tapPoint) field(key, value string, t *tapStream) {
	inline := value != "" && !strings.HasPrefix(value, "|") && !strings.HasPrefix(value, ">")
	if !inline {
		return
	}
	switch key {
	case "message", "error":
		if p.message == "" {
			p.message = value
		}
	case "name":
		p.kind = value
	case "file", "fileName":
		p.file = value
	case "line", "lineNumber":
		p.line, _ = strconv.Atoi(value) // 0 when it is none
	case "duration_ms":
		p.ms, _ = strconv.ParseFloat(value, 64) // 0 when it is none
	case "location":
		if m := t.syntax.location.FindStringSubmatch(value); m != nil {
			where := at(m)
			p.file, p.line = where.file, where.line
		}
	case "at":
		p.frame(value, t.find)
	}
}

// more takes a further line of a key.
func (p *tapPoint) more(key, text string, find *finders) {
	switch {
	case (key == "message" || key == "error") && p.message == "":
		p.message = strings.TrimSpace(text)
	case key == "stack" && p.place.file == "":
		p.frame(strings.TrimPrefix(text, "at "), find)
	}
}

func (p *tapPoint) frame(text string, find *finders) {
	if m := find.js.FindStringSubmatch("at " + text); m != nil && p.place.file == "" {
		p.place = jsPlace(m)
	}
}
