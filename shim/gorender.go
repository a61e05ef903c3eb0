package shim

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"factgate/facts"
)

// Caps of what is held back for the screen, in bytes. The results file keeps everything.
const (
	maxLine = 1 << 20 // one event; test2json cuts output at 4 KiB
	maxHeld = 4 << 20 // of one package
)

const maxFailed = 1000 // packages whose folder is looked for

const capped = "(factgate: more output is in the results file)\n"

// goRender prints for a stream of go test -json what go test prints without it.
//
// Without -v a test's log shows only when it fails, nested below its parent as the testing package does it; what tests
// write to stdout themselves shows when their package fails, or when no package was named. Packages come in the order in
// which they started, each in one piece. What differs from go test: "=== NAME" lines, which -json leaves out, the log of a
// benchmark, and the "exit status" line of a test binary that ended without printing anything.
type goRender struct {
	out, err io.Writer
	args     goArgs
	line     []byte
	skip     bool // the rest of an overlong line
	pkgs     map[string]*goPackage
	order    []*goPackage // started and not printed to the end
	started  int

	failed                  []string // packages of failing tests
	testFailed, pkgFailed   bool
	buildFailed, loadFailed bool // of a package
	broken                  bool // some build, whoever needed it
}

type goPackage struct {
	name    string
	held    []byte // printed when its turn comes
	summary []byte // the last line that belongs to no test: ok, or no test files
	tests   map[string]*goCase
	logs    int // bytes in tests
	full    bool
	done    bool
}

type goCase struct {
	logs []byte
	mid  bool // the last output did not end its line
}

type goEvent struct {
	Action, Package, Test, Output, FailedBuild, ImportPath string
}

func newGoRender(out, err io.Writer, g goArgs) *goRender {
	if g.json {
		out, err = rawLines{out}, io.Discard // the user asked for the stream itself
	}
	return &goRender{out: out, err: err, args: g, pkgs: map[string]*goPackage{}}
}

// rawLines marks a destination that gets the stream as it is.
type rawLines struct{ io.Writer }

// Write takes the next bytes of the stream. It never fails: the screen is not a witness.
func (r *goRender) Write(b []byte) (int, error) {
	n := len(b)
	if raw, ok := r.out.(rawLines); ok {
		raw.Write(b)
	}
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		part := b
		if i >= 0 {
			part = b[:i+1]
		}
		b = b[len(part):]
		if len(r.line)+len(part) > maxLine {
			r.line, r.skip = r.line[:0], true
		}
		if !r.skip {
			r.line = append(r.line, part...)
		}
		if i >= 0 {
			if !r.skip {
				r.event(r.line)
			}
			r.line, r.skip = r.line[:0], false
		}
	}
	return n, nil
}

// finish prints what is still held, for a stream that was cut off.
func (r *goRender) finish() {
	if len(r.line) > 0 {
		r.event(r.line)
		r.line = nil
	}
	for _, p := range r.order {
		p.done = true
	}
	r.turn()
	if r.pkgFailed && !r.args.implicit {
		r.print([]byte("FAIL\n"))
	}
}

// meaning is what the exit status of go test says. It uses 1 for everything but a wrong flag.
func (r *goRender) meaning(end facts.Exit) facts.Meaning {
	switch {
	case end.Code == 0:
		return facts.Clean
	case end.Code == 2 && r.started == 0:
		return facts.Misused
	case end.Code != 1:
		return facts.Unknown
	case r.testFailed:
		return facts.TestsFailed
	case r.buildFailed, r.broken && !r.loadFailed:
		return facts.BuildFailed
	case r.loadFailed:
		return facts.CollectionFailed
	case r.started == 0:
		return facts.Misused // it did not get to a single package: no module, no such flag, nothing matched
	}
	return facts.NotClean
}

func (r *goRender) event(line []byte) {
	var e goEvent
	if line[0] != '{' || json.Unmarshal(line, &e) != nil {
		r.print(line) // cmd/go prints some lines as they are
		return
	}
	if e.Action == "build-output" {
		io.WriteString(r.err, e.Output)
		return
	}
	if e.Action == "build-fail" {
		r.broken = true
		return
	}
	p := r.pkg(e.Package)
	switch e.Action {
	case "output":
		r.output(p, e)
	case "fail":
		if e.Test != "" {
			r.testFailed = true
			if !slices.Contains(r.failed, e.Package) && len(r.failed) < maxFailed {
				r.failed = append(r.failed, e.Package)
			}
		} else {
			r.pkgFailed = true
			switch {
			case bytes.HasSuffix(bytes.TrimSpace(p.summary), []byte("[setup failed]")):
				r.loadFailed = true // an import that is not there, a file that does not parse
			case e.FailedBuild != "":
				r.buildFailed = true
			}
		}
		fallthrough
	case "pass", "skip", "bench":
		if e.Test == "" {
			r.close(p, e.Action == "fail")
		}
	}
}

func (r *goRender) pkg(name string) *goPackage {
	p := r.pkgs[name]
	if p == nil {
		p = &goPackage{name: name, tests: map[string]*goCase{}}
		r.pkgs[name] = p
		r.order = append(r.order, p)
		r.started++
	}
	return p
}

func (r *goRender) output(p *goPackage, e goEvent) {
	if e.Test == "" {
		p.summary = append(p.summary[:0], e.Output...)
		r.hold(p, e.Output)
	} else if r.args.verbose {
		r.hold(p, e.Output)
	} else {
		r.quiet(p, e)
	}
	if len(r.order) > 0 && r.order[0] == p && (r.args.verbose || r.args.stream || r.args.implicit) {
		r.print(p.held)
		p.held = p.held[:0]
	}
}

// quiet takes one piece of a test's output where go test runs without -v.
func (r *goRender) quiet(p *goPackage, e goEvent) {
	t := p.tests[e.Test]
	if t == nil {
		t = &goCase{}
		p.tests[e.Test] = t
	}
	fresh := !t.mid
	t.mid = !strings.HasSuffix(e.Output, "\n")
	switch {
	case fresh && strings.HasPrefix(e.Output, "=== "):
	case fresh && e.Output == e.Test+"\n": // the title of a benchmark
	case fresh && isReport(e.Output, e.Test):
		r.report(p, t, e)
	case fresh && strings.HasPrefix(e.Output, "    "):
		r.log(p, t, e.Output)
	case !fresh && len(t.logs) > 0 && t.logs[len(t.logs)-1] != '\n':
		r.log(p, t, e.Output)
	default:
		r.hold(p, e.Output) // written to stdout by the test itself, or a panic
	}
}

// report takes the line that says how a test ended: a failure goes into its parent's log, with its own log below it.
func (r *goRender) report(p *goPackage, t *goCase, e goEvent) {
	p.logs -= len(t.logs)
	delete(p.tests, e.Test)
	if !strings.HasPrefix(e.Output, "--- FAIL: ") {
		return
	}
	text := e.Output + string(t.logs)
	i := strings.LastIndexByte(e.Test, '/')
	if i < 0 {
		r.hold(p, text)
		return
	}
	parent := p.tests[e.Test[:i]]
	if parent == nil { // a name with a slash of its own
		r.hold(p, text)
		return
	}
	for line := range strings.Lines(text) {
		r.log(p, parent, "    "+line)
	}
}

func (r *goRender) log(p *goPackage, t *goCase, s string) {
	if p.logs+len(s) > maxHeld {
		if !p.full {
			p.full = true
			t.logs = append(t.logs, capped...)
		}
		return
	}
	p.logs += len(s)
	t.logs = append(t.logs, s...)
}

func (r *goRender) hold(p *goPackage, s string) {
	if len(p.held)+len(s) > maxHeld {
		p.held = append(p.held[:0], capped...)
	}
	p.held = append(p.held, s...)
}

func (r *goRender) close(p *goPackage, failed bool) {
	if !failed && !r.args.verbose && !r.args.stream && !r.args.implicit {
		p.held = append(p.held[:0], p.summary...)
	}
	p.done = true
	p.tests = nil
	r.turn()
}

// turn prints the packages that are at the front and finished.
func (r *goRender) turn() {
	for len(r.order) > 0 && r.order[0].done {
		r.print(r.order[0].held)
		delete(r.pkgs, r.order[0].name)
		r.order = r.order[1:]
	}
}

func (r *goRender) print(b []byte) {
	if _, raw := r.out.(rawLines); !raw && len(b) > 0 {
		r.out.Write(b)
	}
}

func isReport(line, test string) bool {
	for _, head := range []string{"--- FAIL: ", "--- PASS: ", "--- SKIP: "} {
		if rest, ok := strings.CutPrefix(line, head); ok {
			return strings.HasPrefix(rest, test+" (")
		}
	}
	return false
}
