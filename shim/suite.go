package shim

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"factgate/facts"
)

var (
	errUsage     = errors.New("started by hand; cargo starts it")
	errByHand    = errors.New("started by hand; factgate starts it")
	errNoRustdoc = errors.New("no rustdoc on PATH")
)

// suite is one test binary, or the doctests of one package.
type suite struct {
	c    *Call
	pkg  string
	name string // package and target
	id   string // what its cases' ids begin with
	file string // root source file

	crate, root string // of doctests: the name of the crate as code spells it, and its root source file
}

// newSuite names a binary by package and target. A lib and a bin of one name differ in their root file, which cargo's
// dep-info file beside the binary names.
func newSuite(c *Call, bin string) suite {
	s := suite{c: c, pkg: get(c.Env, "CARGO_PKG_NAME"), file: rootSource(bin)}
	target, _ := withoutHash(stem(bin))
	slash := filepath.ToSlash(s.file)
	if strings.HasSuffix("/"+slash, "/src/main.rs") || strings.Contains("/"+slash, "/src/bin/") {
		target = "bin/" + target
	}
	s.name, s.id = s.pkg+"/"+target, s.pkg+" "+target+"::"
	s.file = c.locate(s.file)
	return s
}

// rootSource reads the first prerequisite from the dep-info file of a binary; empty when there is none.
func rootSource(bin string) string {
	data, ok := readSmall(strings.TrimSuffix(bin, exeSuffix) + ".d")
	if !ok {
		return ""
	}
	line, _, _ := strings.Cut(string(data), "\n")
	_, sources, ok := strings.Cut(line, ".d: ")
	if !ok {
		return ""
	}
	first, _, _ := strings.Cut(strings.ReplaceAll(sources, `\ `, "\x00"), " ")
	return strings.ReplaceAll(first, "\x00", " ")
}

// locate finds a source file as rustc names it: relative to the workspace, which lies at or above the package.
func (c *Call) locate(file string) string {
	if file == "" || filepath.IsAbs(file) {
		return file
	}
	for dir := c.Dir; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
			full := filepath.Join(dir, file)
			if rel, err := filepath.Rel(c.Dir, full); err == nil && filepath.IsLocal(rel) {
				return rel
			}
			return full
		}
		if dir == filepath.Dir(dir) {
			return file
		}
	}
}

// report writes what a test binary showed.
func (t suite) report(s *stream, log string, text *libtestText, end facts.Exit) {
	n, err := t.cases(s, log, text)
	if err != nil && text.done {
		s.problem("log_unreadable", facts.Incomplete, "%s: read the log of libtest: %v", t.name, err)
	}
	if text.running >= 0 {
		s.planned(text.running)
	}
	t.finish(s, n, text, end)
}

// cases turns the log into case events and counts them.
func (t suite) cases(s *stream, log string, text *libtestText) (n tally, err error) {
	f, err := os.Open(log)
	if err != nil {
		return n, err
	}
	defer f.Close()
	r := newLogReader(bufio.NewReader(f))
	for {
		e, err := r.next()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		n.add(e.status)
		t.write(s, e, text)
	}
}

func (t suite) write(s *stream, e logEntry, text *libtestText) {
	out := caseEvent{E: "case", ID: t.id + e.name, Name: e.name, Suite: t.name, File: t.file, Status: e.status}
	switch e.status {
	case facts.Skipped:
		out.Kind, out.Reason = "ignored", e.message
	case facts.Failed:
		f := parseBlock(text.blocks[e.name], e.message)
		if text.doctests {
			t.placeDoctest(&f, e.name)
		}
		f.File = t.c.locate(f.File)
		out.Failures = []failureEvent{f}
	case facts.StatusUnknown:
		out.Reason = e.message
	}
	s.write(out)
}

// finish holds the log against what was printed, and ends the stream where the end of the tests was seen.
func (t suite) finish(s *stream, n tally, text *libtestText, end facts.Exit) {
	if text.done {
		c := text.claims
		s.write(claimsEvent{E: "claims", Tests: c.total(), Passed: c.passed, Failures: c.failed, Skipped: c.ignored})
		if c != n {
			s.problem("claims_differ", facts.Contradict, "%s: libtest says %s, its own record says %s", t.name, c, n)
		}
		if text.running >= 0 && text.running != n.total() {
			s.problem("count_differs", facts.Contradict, "%s: %d tests were to run, %d ended", t.name, text.running, n.total())
		}
	}
	if !text.done && end.Signal == "" {
		t.unfinished(s, n, text, end)
		s.close()
		return
	}
	what := t.name
	if end.Signal != "" && text.current != "" {
		what = t.id + text.current
	}
	s.end(what, end, libtestMeaning(end))
}

// unfinished says how far a binary came that ended by itself and without a result line: a test called exit.
func (t suite) unfinished(s *stream, n tally, text *libtestText, end facts.Exit) {
	where := t.name
	if text.current != "" {
		where = t.id + text.current
	}
	during := ""
	if text.current != "" {
		during = ", in " + text.current
	}
	s.problem("no_result_line", facts.Incomplete, "%s ended with status %d without a result line, after %d of %s tests%s", t.name, end.Code,
		n.total(), count(text.running), during)
	switch {
	case end.Code != 0 && text.running < 0 && n.total() == 0:
		s.outside(facts.OutsideTests, where, "%s ended with status %d before its first test", t.name, end.Code)
	case end.Code != 0:
		s.outside(facts.OutsideTests, where, "%s ended with status %d in the middle of its tests", t.name, end.Code)
	}
}

func count(n int) string {
	if n < 0 {
		return "an unknown number of"
	}
	return fmt.Sprint(n)
}
