package parsers

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"factgate/facts"
)

// GoTestJSON reads the stream of `go test -json` (go doc cmd/test2json and cmd/go, "build -json"). go 1.20 and newer
// keep what a test prints apart from what the framework says, so nothing here is guessed from what a test printed.
//
// Leaves are cases; a parent is one only when it has no children, or failed while no child did. A package has reached
// its end when its closing event without a test is there and, for one that passed, the framework's own line PASS:
// without it m.Run was never called or the test program never started.
func GoTestJSON(r io.Reader) (facts.Results, error) { return goTestJSON(r, standard()) }

func goTestJSON(r io.Reader, lim limits) (facts.Results, error) {
	g := newGoStream(lim)
	if err := g.read(r); err != nil {
		return facts.Results{}, err
	}
	return g.end(), nil
}

func newGoStream(lim limits) *goStream {
	return &goStream{
		collector: newCollector(lim), packages: map[string]*goPackage{}, builds: map[string]*clip{}, failed: map[string]bool{},
		find: patterns(),
	}
}

// read takes all lines of a stream.
func (g *goStream) read(r io.Reader) error {
	src := newSource(r, g.lim.input)
	l := newLines(plainText(src, g.collector), g.lim)
	for {
		line, ok := l.next()
		if !ok {
			break
		}
		g.line(line, l)
	}
	if src.over {
		g.problem(facts.Malformed, "too_large", 0, "the file is longer than %d bytes", g.lim.input)
	}
	if l.r.cut > 0 {
		g.note("texts_cut", 0, "%d output lines were longer than %d bytes and were cut", l.r.cut, g.lim.value)
	}
	return src.err
}

// goStream is the stream while it is read.
type goStream struct {
	*collector
	decoder  goDecoder
	packages map[string]*goPackage // those that have not ended
	last     *goPackage            // of the event before, while it has not ended
	order    []*goPackage          // in order of their start; those that ended are left in until they are many
	builds   map[string]*clip      // compiler output by import path
	failed   map[string]bool       // builds that failed; true once a package was told so
	broken   []string              // keys of failed, in order
	find     *finders

	lines   int // that are not blank
	started int // packages
	without int // of them without tests
	live    int // bytes of output held for what has not ended
	held    int // bytes of its names, with what is kept beside each
	cut     bool

	clips []*clip   // to be used again
	spare []*goTest // the same
	id    []byte    // scratch
}

// maxBuilds bounds how many failed builds are kept with their text.
const maxBuilds = 1000

func (g *goStream) line(line []byte, l *lines) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	g.lines++
	if line[0] != '{' {
		g.plain(line, l)
		return
	}
	if l.long {
		g.problem(facts.Malformed, "line_too_long", l.at, "an event is longer than %d bytes without its output", g.lim.line)
		return
	}
	e, err := g.decoder.decode(line)
	if err != nil {
		if !l.whole {
			g.cut = true
			g.problem(facts.Truncated, "truncated", l.at, "cut off inside the line that begins at byte %d", l.at)
			return
		}
		g.problem(facts.Malformed, "broken_line", l.at, "a line is not an event: %v", err)
		return
	}
	g.event(e, l.at)
}

// plain takes a line that is no event: go before 1.24 printed what failed to build so.
func (g *goStream) plain(line []byte, l *lines) {
	text := g.prose(line, g.lim.message)
	if fields := strings.Fields(text); len(fields) > 1 && fields[0] == "FAIL" {
		g.outside(facts.Outside{Kind: facts.Build, Where: fields[1], Message: text})
		return
	}
	if eventLike(line) {
		g.problem(facts.Malformed, "broken_line", l.at, "what looks like an event does not begin as one: %q", firstLine(text, 200))
		return
	}
	g.note("text_in_stream", l.at, "a line is not JSON: %q", firstLine(text, 200))
}

func (g *goStream) event(e *goEvent, at int64) {
	switch string(e.Action) {
	case "build-output":
		g.build(e.ImportPath).Write(e.Output) // never fails
		return
	case "build-fail":
		g.buildFailed(e.ImportPath)
		return
	}
	if len(e.Package) == 0 {
		g.problem(facts.Malformed, "unknown_event", at, "an event %q names no package", clean64(e.Action))
		return
	}
	p := g.packageOf(e.Package, at)
	if p == nil {
		return
	}
	switch string(e.Action) {
	case "start", "pause", "cont", "attr", "artifacts":
	case "run":
		g.run(p, e.Test, at)
	case "output":
		if len(e.Test) > 0 {
			g.testOutput(p, e)
			return
		}
		g.packageOutput(p, e.Output)
	case "pass", "fail", "skip", "bench":
		if len(e.Test) > 0 {
			g.testEnded(p, e)
			return
		}
		g.packageEnded(p, e, at)
	default:
		g.problem(facts.Malformed, "unknown_event", at, "an event %q is not known", clean64(e.Action))
	}
}

func (g *goStream) build(path []byte) *clip {
	if b, ok := g.builds[string(path)]; ok {
		return b
	}
	b := &clip{max: g.lim.text}
	if len(g.builds) < maxBuilds {
		g.builds[string(path)] = b
	}
	return b
}

func (g *goStream) buildFailed(path []byte) {
	if _, known := g.failed[string(path)]; known {
		return
	}
	if len(g.broken) >= maxBuilds {
		g.problem(facts.Malformed, "too_many_outside", 0, "more than %d builds failed: the rest is left out", maxBuilds)
		return
	}
	name := string(path)
	g.failed[name] = false
	g.broken = append(g.broken, name)
}

// end closes what has not ended and says what the stream as a whole shows.
func (g *goStream) end() facts.Results {
	for _, p := range g.order {
		if !p.ended {
			g.lost(p)
		}
	}
	for _, path := range g.broken {
		if !g.failed[path] { // go vet and go build say so too
			g.outside(g.buildFailure(path, path))
		}
	}
	switch {
	case g.lines == 0:
		g.problem(facts.Malformed, "empty", 0, "there is nothing in the file")
	case g.started == 0 && len(g.broken) == 0 && len(g.res.Outside) == 0 && !g.cut:
		g.problem(facts.Malformed, "no_go_event", 0, "there is no event of go test -json in the file")
	}
	if g.without > 0 {
		g.note("no_test_files", 0, "%d of %d packages have no test files", g.without, g.started)
	}
	complete := g.started > 0
	for _, p := range g.res.Problems {
		complete = complete && p.Weight != facts.Truncated && p.Weight != facts.Incomplete && p.Weight != facts.Malformed
	}
	return g.finish(complete)
}

// buildFailure is the failure of a build, as met by a package.
func (g *goStream) buildFailure(where, path string) facts.Outside {
	o := facts.Outside{Kind: facts.Build, Where: g.label([]byte(where)), Message: "build failed"}
	b := g.builds[path]
	if b == nil {
		return o
	}
	o.Text = g.prose(b.bytes(), g.lim.text)
	if m := g.find.compiler.FindStringSubmatch(o.Text); m != nil {
		p := at(m)
		o.File, o.Line, o.Message = p.file, p.line, m[3]
	} else if lines := slices.DeleteFunc(strings.Split(o.Text, "\n"), func(s string) bool { return strings.HasPrefix(s, "# ") }); len(lines) > 0 {
		o.Message = firstLine(strings.Join(lines, "\n"), g.lim.message)
	}
	return o
}

func seconds(s float64) time.Duration {
	if !(s > 0 && s < 1e9) {
		return 0
	}
	return time.Duration(s * float64(time.Second))
}

// caseOf is the case of a test. Its name is the end of its id, and shares its memory.
func (g *goStream) caseOf(p *goPackage, name []byte) facts.Case {
	g.id = append(append(append(g.id[:0], p.name...), '.'), name...)
	id := g.label(g.id)
	c := facts.Case{ID: id, Suite: p.suite}
	if id == string(g.id) {
		c.Name = id[len(p.name)+1:]
	} else if c.Name = g.label(name); strings.HasSuffix(id, c.Name) {
		c.Name = id[len(id)-len(c.Name):]
	}
	return c
}

// explain makes the failure of a test from what it printed itself.
func (g *goStream) explain(c *facts.Case, out []byte, isError bool) {
	f := facts.Failure{Text: g.prose(out, g.lim.text), Error: isError}
	p, said := g.find.goSays(f.Text)
	f.File, f.Line = p.file, p.line
	switch {
	case panicLine(f.Text) != "":
		f.Message, f.Type, f.Error = panicLine(f.Text), "panic", true
		if m := g.find.frame.FindStringSubmatch(f.Text); m != nil {
			where := at(m)
			f.File, f.Line = where.file, where.line
		}
	case strings.Contains(f.Text, "WARNING: DATA RACE"):
		f.Message, f.Type = "data race", "race"
	case said != "":
		f.Message = said
	default:
		f.Message = f.Text
	}
	if f.Message = firstLine(f.Message, g.lim.message); f.Message == "" {
		f.Message = fmt.Sprintf("%s failed and printed nothing", c.Name)
	}
	c.File = f.File
	c.Failures = []facts.Failure{f}
}
