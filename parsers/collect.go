package parsers

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"factgate/facts"
)

// collector gathers the results of one file under the caps.
type collector struct {
	res facts.Results
	lim limits

	inexact bool // offsets in the text that is read are not offsets in the file

	dropped   facts.Counts // cases that were counted and not kept
	passes    int          // and more that passed, which dropped does not hold yet
	turned    int          // those of them for which there was no room
	good      int          // kept cases that passed or were skipped
	bad       int          // kept cases of any other status
	identity  int          // bytes of identities kept
	textBytes int          // of texts kept
	replaced  int          // characters that were replaced in what was kept
	silent    int          // files that node lists as a case, as it saw no test in them

	brief list[brief]        // the kept cases of a reader that keeps nearly all of them briefly; res.Cases is made of it at the end
	names []*strings.Builder // their ids
	full  list[facts.Case]   // those of them with more to tell
	slow  int64              // by how much the doubtful durations among them are to be multiplied, 0 when by nothing

	seed   maphash.Seed
	prints list[uint64]        // hashes of the identities of all cases, in order
	times  map[problemKind]int // how often each kind of problem was met
	words  map[string]wordID
	known  []string // by wordID; the first is ""
}

func newCollector(lim limits) *collector {
	return &collector{
		lim: lim, seed: maphash.MakeSeed(),
		times: map[problemKind]int{}, words: map[string]wordID{}, known: []string{""},
	}
}

// problemKind is what makes problems of one kind.
type problemKind struct {
	code   string
	weight facts.Weight
}

// problem notes something wrong. Of each kind the first is kept with its detail and the others are counted. offset is
// the byte it was met at, 0 when that means nothing.
func (c *collector) problem(w facts.Weight, code string, offset int64, format string, args ...any) {
	if c.met(w, code) || (len(c.res.Problems) >= c.lim.problems && !w.Blocking()) {
		return
	}
	if c.inexact {
		offset = 0
	}
	c.res.Problems = append(c.res.Problems, facts.Problem{
		Code: code, Detail: strings.ToValidUTF8(fmt.Sprintf(format, args...), "\ufffd"), Weight: w, Offset: offset,
	})
}

// met counts a problem and reports whether one of its kind was met before.
func (c *collector) met(w facts.Weight, code string) bool {
	kind := problemKind{code, w}
	c.times[kind]++
	return c.times[kind] > 1
}

func (c *collector) note(code string, offset int64, format string, args ...any) {
	c.problem(facts.Note, code, offset, format, args...)
}

// noTestSeen is why node's case of a file is no passed test.
const noTestSeen = "node ran the file and saw no test in it"

// withoutTests notes such files.
func (c *collector) withoutTests() {
	if c.silent > 0 {
		c.note("file_without_tests", 0, "node saw no test in %s, and lists each as one that passed", plural(c.silent, "file"))
	}
}

// add keeps one case, or counts it where there is no room, and says so. It returns the index of the case in
// res.Cases, -1 when it was not kept.
func (c *collector) add(k facts.Case) int {
	c.identify(k.ID)
	return c.keep(k)
}

// keep is add for a case whose identity is not known yet: whoever gives it one says so to identify.
func (c *collector) keep(k facts.Case) int {
	if !c.room(k.Status, len(k.ID)+len(k.Reason)) {
		c.dropped.Add(&k)
		return -1
	}
	k.Failures = c.fit(k.Failures)
	if n := len(c.res.Cases); n == cap(c.res.Cases) {
		c.res.Cases = slices.Grow(c.res.Cases, max(n, 64)) // by less each time, cases are copied often
	}
	c.res.Cases = append(c.res.Cases, k)
	return len(c.res.Cases) - 1
}

// room takes the room for one more case, and says so where there is none.
func (c *collector) room(s facts.Status, size int) bool {
	if c.lim.counts {
		return false
	}
	good := s == facts.Passed || s == facts.Skipped
	room := c.bad < c.lim.bad
	if good {
		room = c.good < c.lim.cases && c.identity+size <= c.lim.identity
	}
	switch {
	case !room:
		if c.turned++; c.turned == 1 { // there may be millions
			c.problem(facts.Malformed, "too_large", 0, "there are more cases than can be kept (%d cases, %d of them not passed, %d bytes of names): the rest is only counted",
				c.good+c.bad, c.bad, c.identity)
		}
		return false
	case good:
		c.good++
	default:
		c.bad++
	}
	c.identity += size
	return true
}

// counting reports whether no case is kept from here on, however it ended.
func (c *collector) counting() bool {
	return c.lim.counts || c.good >= c.lim.cases && c.bad >= c.lim.bad
}

// identify takes the identity of the next case.
func (c *collector) identify(id string) { c.print(maphash.String(c.seed, id)) }

// print takes the identity of the next case, as a hash. Of a file of unusual size only those at its beginning matter.
func (c *collector) print(h uint64) {
	if c.prints.n < c.lim.prints {
		c.prints.push(h)
	}
}

// repeats notes identities that more than one case has. All those cases stay.
func (c *collector) repeats() {
	n, first := repeated(&c.prints)
	switch {
	case n == 0:
		return
	case first < len(c.res.Cases) && c.dropped.Cases == 0:
		c.note("duplicate_id", 0, "more than one case is called %q; each is counted", c.res.Cases[first].ID)
	default:
		c.note("duplicate_id", 0, "more than one case has the name of another; each is counted")
	}
	c.times[problemKind{"duplicate_id", facts.Note}] = n
}

// fit keeps the texts of failures while there is room for them.
func (c *collector) fit(fs []facts.Failure) []facts.Failure {
	for i := range fs {
		size := len(fs[i].Message) + len(fs[i].Text)
		if c.textBytes+size > c.lim.texts {
			fs[i].Message, fs[i].Text = firstLine(fs[i].Message, 200), ""
			c.note("texts_cut", 0, "the failure texts are longer than %d bytes together: later ones are left out", c.lim.texts)
			continue
		}
		c.textBytes += size
	}
	return fs
}

// outside keeps a failure that belongs to no case.
func (c *collector) outside(o facts.Outside) {
	if len(c.res.Outside) >= c.lim.outside {
		c.problem(facts.Malformed, "too_many_outside", 0, "more than %d failures outside cases: the rest is left out", c.lim.outside)
		return
	}
	c.res.Outside = append(c.res.Outside, o)
}

// wordID is a string that many cases carry: its place in the list of a collector.
type wordID uint32

// word gives one shared copy of a string that many cases carry.
func (c *collector) word(s string) string {
	if w := c.wordID(s); w > 0 {
		return c.known[w]
	}
	return s
}

// wordID gives the place of that copy, 0 where there is no room for it.
func (c *collector) wordID(s string) wordID {
	if s == "" {
		return 0
	}
	if w, ok := c.words[s]; ok {
		return w
	}
	switch {
	case c.lim.counts && len(c.known) > 1<<10:
		return 0
	case c.identity+len(s) > c.lim.identity:
		c.note("words_cut", 0, "the names are longer than %d bytes together: later cases are listed without their suites and files", c.lim.identity)
		return 0
	}
	w := wordID(len(c.known))
	if len(c.words) < 1<<14 {
		c.words[s] = w
	}
	c.known = append(c.known, s)
	c.identity += len(s)
	return w
}

// finish counts the cases and says how often each problem was met.
func (c *collector) finish(complete bool) facts.Results {
	if c.replaced > 0 {
		c.note("replaced_bytes", 0, "%d characters that are not allowed or not valid were replaced in what was kept", c.replaced)
	}
	if c.turned > 1 {
		c.times[problemKind{"too_large", facts.Malformed}] += c.turned - 1
	}
	c.dropped.Cases += c.passes
	c.dropped.Executed += c.passes
	c.dropped.Passed += c.passes
	c.expand()
	c.repeats()
	r := facts.Results{Counts: facts.Count(c.res.Cases), Complete: true}
	r.Merge(facts.Results{Counts: c.dropped, Complete: true})
	c.res.Counts = r.Counts
	c.res.Complete = complete
	for i := range c.res.Problems {
		p := &c.res.Problems[i]
		if n := c.times[problemKind{p.Code, p.Weight}]; n > 1 {
			p.Detail += fmt.Sprintf(" (%d times)", n)
		}
	}
	return c.res
}
