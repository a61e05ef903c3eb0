package parsers

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"

	"factgate/facts"
)

// dialect is what a format makes of the elements of its documents. Names come in lower case, without a prefix.
type dialect interface {
	root(name string) bool                             // begins a document of the format
	begin(t *tag, parent string, at int64) (text bool) // an element began; with text, its own is kept for end
	end(e *xmlElement, text []byte)                    // it ended; text is good until the call returns
	last()                                             // the text is over: totals and what the whole shows
}

// xmlElement is an element whose end was not seen yet.
type xmlElement struct {
	name, parent string
	at           int64 // offset of its tag
	text         bool  // its text is kept
	broken       bool  // it ended without its own end tag
}

// walker reads XML whose shape is known, in one pass and a fixed window. It is as lenient as the reader of JUnit files:
// what is wrong with how a document is written is a problem, and what can be read is read.
type walker struct {
	*collector
	scan  *scanner
	exact bool // offsets are those of the file
	find  *finders
	by    dialect

	stack []xmlElement
	over  int // open elements beyond the depth cap
	text  clip

	roots    int
	declared bool   // a declaration was read, and no root behind it yet
	junk     int64  // bytes of text around the document
	first    string // name of the first element that begins no document of the format
	cut      string // where the text ended, when it did so too early
	cutAt    int64
	stopped  bool     // the document itself says that the run did not reach its end
	strange  []string // elements that were not understood, at most 20
	unread   int      // and how many there were
}

// walk reads a document. of is what makes a format of it, given the walker that it is to use.
func walk(r io.Reader, lim limits, of func(*walker) dialect) (facts.Results, error) {
	src := newSource(r, lim.input)
	c := newCollector(lim)
	text, exact := document(src, c)
	w := &walker{collector: c, scan: newScanner(text), exact: exact, find: patterns(), text: clip{max: lim.text}}
	w.by = of(w)
	w.read()
	if src.err != nil {
		return facts.Results{}, src.err
	}
	if src.over {
		w.problem(facts.Malformed, "too_large", 0, "the file is longer than %d bytes", lim.input)
	}
	return w.end(), nil
}

// read goes through the document once.
func (w *walker) read() {
	chars := sink(w.chars)
	for {
		more := w.scan.text(chars)
		at := w.scan.offset()
		if !more {
			break
		}
		w.scan.i++ // the '<'
		if !w.markup(at) {
			w.cut, w.cutAt = w.inside(), w.scan.offset()
			return
		}
	}
	if len(w.stack)+w.over > 0 {
		w.cut, w.cutAt = w.inside(), w.scan.offset()
	}
}

// inside names the place where the text ended.
func (w *walker) inside() string {
	if len(w.stack) == 0 {
		return "a tag outside any element"
	}
	return "element " + w.stack[len(w.stack)-1].name
}

// markup reads what follows a '<'. It is false when the text ended within it.
func (w *walker) markup(at int64) bool {
	s := w.scan
	switch p := s.peek(9); {
	case len(p) == 0:
		return false
	case bytes.HasPrefix(p, []byte("!--")):
		s.i += 3
		return s.until("-->", nil)
	case bytes.HasPrefix(p, []byte("![CDATA[")):
		s.i += 8
		return s.until("]]>", w.literal)
	case p[0] == '?':
		if len(w.stack) == 0 && len(p) > 3 && bytes.EqualFold(p[:4], []byte("?xml")) {
			w.declared = true
		}
		return s.until("?>", nil)
	case s.has("!doctype"):
		return s.doctype()
	case p[0] == '/' && len(p) > 1 && nameStart(p[1]):
		s.i++
		return w.closeTag(string(s.appendName(nil)), at)
	case nameStart(p[0]):
		return w.startTag(at)
	case len(p) < 9 && (p[0] == '!' || p[0] == '/'): // a cut may have left only this of a longer mark
		return s.until(">", nil)
	}
	w.stray([]byte("<"), at)
	return true
}

// startTag reads a start tag. Outside any element only a root is one: the text around a document is whatever the
// program printed.
func (w *walker) startTag(at int64) bool {
	s := w.scan
	t := tag{name: string(s.appendName(nil)), every: true}
	if len(w.stack) == 0 && !w.by.root(t.name) {
		if len(s.peek(1)) == 0 {
			return false
		}
		if w.first == "" {
			w.first = t.name
		}
		w.stray([]byte("<"+t.name), at)
		return true
	}
	if !s.tag(&t, w.lim) {
		return false
	}
	if t.bad != "" {
		w.problem(facts.Malformed, "broken_tag", w.place(at), "<%s>: %s", t.name, t.bad)
	}
	if t.twice != "" {
		w.problem(facts.Contradict, "duplicate_attribute", w.place(at), "<%s> gives attribute %s twice", t.name, t.twice)
	}
	if t.many {
		w.problem(facts.Malformed, "too_many_attributes", w.place(at), "<%s> has more than %d attributes", t.name, w.lim.attrs)
	}
	if len(w.stack) >= w.lim.depth {
		w.problem(facts.Malformed, "too_deep", w.place(at), "elements are nested more than %d deep", w.lim.depth)
		if !t.empty {
			w.over++
		}
		return true
	}
	e := xmlElement{name: t.name, at: at}
	if len(w.stack) == 0 {
		w.roots++
		w.declared = false
	} else {
		e.parent = w.stack[len(w.stack)-1].name
	}
	if e.text = w.by.begin(&t, e.parent, w.place(at)); e.text {
		w.text.reset()
	}
	w.stack = append(w.stack, e)
	if t.empty {
		w.finishTop(false)
	}
	return true
}

// closeTag reads an end tag behind its name, and closes what was left open within its element.
func (w *walker) closeTag(name string, at int64) bool {
	b, ok := w.scan.skipSpace()
	if !ok {
		return false
	}
	if b == '>' {
		w.scan.i++
	} else if len(w.stack) > 0 {
		w.problem(facts.Malformed, "broken_tag", w.place(at), "</%s> is not closed", name)
	}
	if w.over > 0 {
		w.over--
		return true
	}
	i := len(w.stack) - 1
	for i >= 0 && w.stack[i].name != name {
		i--
	}
	switch {
	case i < 0 && len(w.stack) == 0:
		w.stray([]byte("</"+name), at)
	case i < 0:
		w.problem(facts.Malformed, "unmatched_tag", w.place(at), "</%s> closes nothing", name)
	default:
		for len(w.stack)-1 > i {
			w.problem(facts.Malformed, "unclosed_tag", w.place(at), "<%s> was not closed before </%s>", w.stack[len(w.stack)-1].name, name)
			w.finishTop(true)
		}
		w.finishTop(false)
	}
	return true
}

// finishTop closes the innermost element.
func (w *walker) finishTop(broken bool) {
	top := w.stack[len(w.stack)-1]
	w.stack = w.stack[:len(w.stack)-1]
	top.broken = broken
	var text []byte
	if top.text {
		text = w.text.bytes()
		w.text.reset()
	}
	w.by.end(&top, text)
}

// collecting reports whether text that stands here is kept.
func (w *walker) collecting() bool { return len(w.stack) > 0 && w.stack[len(w.stack)-1].text }

// chars takes text between tags.
func (w *walker) chars(b []byte) {
	if len(w.stack) == 0 {
		w.stray(b, w.scan.offset())
	} else if w.collecting() {
		if bytes.IndexByte(b, '&') >= 0 {
			b = unescape(make([]byte, 0, len(b)), b, false)
		}
		w.text.Write(b) // never fails
	}
}

// literal takes the text of a CDATA section.
func (w *walker) literal(b []byte) {
	if len(w.stack) == 0 {
		w.stray(b, w.scan.offset())
	} else if w.collecting() {
		w.text.Write(b) // never fails
	}
}

// stray takes text outside any element. Plain text there is the output of the program; markup behind the document is
// the remains of something that was to be read.
func (w *walker) stray(b []byte, at int64) {
	if len(w.stack) > 0 {
		w.chars(b)
		return
	}
	for _, x := range b {
		if !space(x) {
			w.junk++
		}
	}
	if w.roots > 0 && len(b) > 0 && b[0] == '<' {
		w.problem(facts.Malformed, "markup_after_end", w.place(at), "markup stands behind the end of the document")
	}
}

// place gives an offset for a problem, 0 where it would not be one in the file.
func (w *walker) place(offset int64) int64 {
	if !w.exact {
		return 0
	}
	return offset
}

// unknown notes an element that the format does not have where it stands.
func (w *walker) unknown(name, parent string) {
	w.unread++
	if said := parent + "/" + name; len(w.strange) < 20 && !slices.Contains(w.strange, said) {
		w.strange = append(w.strange, strings.ToValidUTF8(said, "\ufffd"))
	}
}

// end closes what is still open and says what the document as a whole shows.
func (w *walker) end() facts.Results {
	if w.cut != "" {
		w.problem(facts.Truncated, "truncated", w.place(w.cutAt), "cut off at byte %d, inside %s", w.cutAt, w.cut)
		for len(w.stack) > 0 {
			w.finishTop(true)
		}
	}
	if w.declared && w.roots > 0 && w.cut == "" {
		w.cut = "a second document"
		w.problem(facts.Truncated, "truncated", w.place(w.scan.offset()), "cut off at byte %d, before the root of a second document", w.scan.offset())
	}
	switch {
	case w.roots == 0 && w.junk == 0 && w.cut == "":
		w.problem(facts.Malformed, "empty", 0, "there is nothing in the file")
	case w.roots == 0 && w.first != "":
		w.problem(facts.Malformed, "foreign", 0, "not a document of this format: %s", foreign(w.first))
	case w.roots == 0:
		w.problem(facts.Malformed, "foreign", 0, "not a document of this format: there is no element in it that begins one")
	case w.junk > 0:
		w.note("text_around", 0, "%d bytes of other text stand around the document", w.junk)
	}
	if w.roots > 1 {
		w.note("several_roots", 0, "%d documents stand in one file; all were read", w.roots)
	}
	w.by.last()
	if w.unread > 0 {
		weight := facts.Note
		if slices.ContainsFunc(w.strange, couldFail) || len(w.strange) == 20 {
			weight = facts.Malformed
		}
		w.problem(weight, "not_understood", 0, "%d elements were not understood: %s", w.unread, strings.Join(w.strange, ", "))
	}
	return w.finish(w.roots > 0 && w.cut == "" && !w.stopped)
}

// couldFail reports whether an element that was not understood may be about a failure, by its name or because only
// results stand there.
func couldFail(said string) bool {
	parent, said, _ := strings.Cut(said, "/")
	if parent == "results" || parent == "innerresults" {
		return true
	}
	for _, word := range []string{"fail", "error", "exception", "result", "test", "case", "suite", "abort", "crash"} {
		if strings.Contains(said, word) {
			return true
		}
	}
	return false
}

// amount reads a total, -1 when it is not given or is none.
func (w *walker) amount(t *tag, name string, at int64) int {
	v := t.get(name)
	if len(v) == 0 {
		return -1
	}
	n, err := strconv.Atoi(strings.TrimSpace(clean64(v)))
	if err != nil || n < 0 {
		w.note("odd_total", at, "%s=%q is not a number of tests", name, clean64(v))
		return -1
	}
	return min(n, 1<<40) // totals are added
}

// elapsed reads the first of some attributes that is given as a time.
func (w *walker) elapsed(c *facts.Case, t *tag, at int64, names ...string) {
	for _, name := range names {
		if v := t.get(name); len(v) > 0 {
			var odd bool
			if c.Duration, odd = duration(string(v)); odd {
				w.note("odd_time", at, "a time could not be read, or is none: %q", clean64(v))
			}
			return
		}
	}
}

// total adds totals of which some may not be given (-1); it is -1 when none is.
func total(totals ...int) int {
	all := -1
	for _, n := range totals {
		if n >= 0 {
			all = max(all, 0) + n
		}
	}
	return all
}

// told is what .NET writers say of a failure: a message, and apart from it the stack.
type told struct{ message, stack, kind string }

func (t told) empty() bool { return t.message == "" && (t.stack == "" || t.stack == "None") }

// failure makes a failure of it. The message's first line stands for it, the rest goes with the stack.
func (w *walker) failure(t told, isError bool) facts.Failure {
	f := facts.Failure{Message: firstLine(t.message, w.lim.message), Type: t.kind, Error: isError, Text: t.stack}
	if strings.TrimSpace(t.message) != f.Message {
		f.Text = strings.TrimSpace(t.message + "\n" + t.stack)
	}
	if f.Message == "" {
		f.Message = firstLine(f.Text, w.lim.message)
	}
	w.find.locate(&f)
	return f
}
