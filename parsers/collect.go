package parsers

import (
	"fmt"
	"hash/maphash"
	"strings"

	"factgate/facts"
)

// collector gathers the results of one file under the caps.
type collector struct {
	res facts.Results
	lim limits

	dropped   facts.Counts // cases that were counted and not kept
	good      int          // kept cases that passed or were skipped
	bad       int          // kept cases of any other status
	identity  int          // bytes of identities kept
	textBytes int          // of texts kept
	replaced  int          // characters that were replaced in what was kept

	seed  maphash.Seed
	seen  map[uint64]struct{}
	times map[string]int // how often each kind of problem was met
	words map[string]string
}

func newCollector(lim limits) *collector {
	return &collector{
		lim: lim, seed: maphash.MakeSeed(),
		seen: map[uint64]struct{}{}, times: map[string]int{}, words: map[string]string{},
	}
}

// problem notes something wrong. Of each kind the first is kept with its detail and the others are counted. offset is
// the byte it was met at, 0 when that means nothing.
func (c *collector) problem(w facts.Weight, code string, offset int64, format string, args ...any) {
	kind := code + " " + w.String()
	c.times[kind]++
	if c.times[kind] > 1 || (len(c.res.Problems) >= c.lim.problems && !w.Blocking()) {
		return
	}
	c.res.Problems = append(c.res.Problems, facts.Problem{
		Code: code, Detail: strings.ToValidUTF8(fmt.Sprintf(format, args...), "\ufffd"), Weight: w, Offset: offset,
	})
}

func (c *collector) note(code string, offset int64, format string, args ...any) {
	c.problem(facts.Note, code, offset, format, args...)
}

// add keeps one case, or counts it where there is no room, and says so. It returns the index of the case in
// res.Cases, -1 when it was not kept.
func (c *collector) add(k facts.Case) int {
	c.identify(k.ID)
	return c.keep(k)
}

// keep is add for a case whose identity is not known yet: whoever gives it one says so to identify.
func (c *collector) keep(k facts.Case) int {
	good := k.Status == facts.Passed || k.Status == facts.Skipped
	size := len(k.ID) + len(k.Reason)
	room := c.bad < c.lim.bad
	if good {
		room = c.good < c.lim.cases && c.identity+size <= c.lim.identity
	}
	if !room {
		c.dropped.Add(&k)
		c.problem(facts.Malformed, "too_large", 0, "there are more cases than can be kept (%d cases, %d of them not passed, %d bytes of names): the rest is only counted",
			c.good+c.bad, c.bad, c.identity)
		return -1
	}
	if good {
		c.good++
	} else {
		c.bad++
	}
	c.identity += size
	k.Failures = c.fit(k.Failures)
	c.res.Cases = append(c.res.Cases, k)
	return len(c.res.Cases) - 1
}

// identify notes an identity that was met before. Both cases stay.
func (c *collector) identify(id string) {
	if len(c.seen) > c.lim.cases+c.lim.bad {
		return
	}
	h := maphash.String(c.seed, id)
	if _, again := c.seen[h]; again {
		c.note("duplicate_id", 0, "more than one case is called %q; each is counted", id)
		return
	}
	c.seen[h] = struct{}{}
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

// word gives one shared copy of a string that many cases carry.
func (c *collector) word(s string) string {
	if s == "" {
		return ""
	}
	if w, ok := c.words[s]; ok {
		return w
	}
	if len(c.words) < 1<<14 {
		c.words[s] = s
	}
	c.identity += len(s)
	return s
}

// finish counts the cases and says how often each problem was met.
func (c *collector) finish(complete bool) facts.Results {
	if c.replaced > 0 {
		c.note("replaced_bytes", 0, "%d characters that are not allowed or not valid were replaced in what was kept", c.replaced)
	}
	r := facts.Results{Counts: facts.Count(c.res.Cases), Complete: true}
	r.Merge(facts.Results{Counts: c.dropped, Complete: true})
	c.res.Counts = r.Counts
	c.res.Complete = complete
	for i := range c.res.Problems {
		p := &c.res.Problems[i]
		if n := c.times[p.Code+" "+p.Weight.String()]; n > 1 {
			p.Detail += fmt.Sprintf(" (%d times)", n)
		}
	}
	return c.res
}
