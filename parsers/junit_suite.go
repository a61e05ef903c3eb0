package parsers

import (
	"cmp"
	"hash/maphash"
	"strconv"
	"strings"

	"factgate/facts"
)

// junitSuite is a testsuite or testsuites element while it is read.
type junitSuite struct {
	kind     kind
	name     string
	file     string
	at       int64
	claims   claimed
	comments claimed // node's, of the root
	below    claimed // of the suites in it
	own, all tally   // own: what stands directly in it; all: the suites in it too, their numbers at their end
	children int
	path     string     // names of the suites down to it, the root's own left out
	failed   *junitCase // a failure that stands in the suite itself
	said     string     // a status= or result= of its own that is a word for failure
}

func (d *junitDoc) newSuite(t *tag, k kind, at int64) *junitSuite {
	s := d.unused
	if d.unused = nil; s == nil {
		s = new(junitSuite)
	}
	d.group.known = false // it may be of the suite that s was before
	*s = junitSuite{
		kind: k, name: d.word(d.label(or(t.get("name"), t.get("package")))), file: d.word(d.label(or(t.get("file"), t.get("filepath")))), at: at,
		claims: noClaims(), comments: noClaims(), below: noClaims(),
	}
	if p := d.owner(); p != nil {
		s.path = p.path
	}
	if k == suite && s.name != "" {
		if s.path != "" {
			s.path += separator
		}
		s.path = d.word(d.label([]byte(s.path + s.name)))
	}
	for i := range t.attrs {
		switch a := &t.attrs[i]; a.id {
		case aTests:
			s.claims.tests = max(s.claims.tests, d.claim(t, a, at))
		case aFailures:
			s.claims.failures = max(s.claims.failures, d.claim(t, a, at))
		case aErrors:
			s.claims.errors = max(s.claims.errors, d.claim(t, a, at))
		case aSkipped, aSkip, aSkips, aDisabled, aIgnored: // gtest writes disabled beside skipped
			if n := d.claim(t, a, at); n >= 0 {
				s.claims.skipped = max(s.claims.skipped, 0) + n
			}
		case aStatus, aResult:
			if damning(a.value) {
				s.said = string(a.value)
			}
		}
	}
	if t.damned != "" {
		d.damned(t, at)
	}
	return s
}

// claim reads one total, -1 when it says none.
func (d *junitDoc) claim(t *tag, a *attr, at int64) int {
	n := 0
	for _, x := range a.value {
		if x < '0' || x > '9' || len(a.value) > 9 {
			return d.oddClaim(t, a, at)
		}
		n = n*10 + int(x-'0')
	}
	if len(a.value) == 0 {
		return -1
	}
	return n
}

// oddClaim reads a total in another spelling.
func (d *junitDoc) oddClaim(t *tag, a *attr, at int64) int {
	s := strings.ReplaceAll(strings.TrimSpace(clean64(resolve(a.value))), ",", "")
	if s == "" {
		return -1
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < 0 || f != float64(int(f)) {
		d.note("odd_total", d.at(at), "a total of <%s> is not a number of tests: %q", t.name, clean64(a.value))
		return -1
	}
	return int(f)
}

// owner is the innermost open suite.
func (d *junitDoc) owner() *junitSuite {
	for i := len(d.stack) - 1; i >= 0; i-- {
		if s := d.stack[i].suite; s != nil {
			return s
		}
	}
	return nil
}

// root notes the root of a document.
func (d *junitDoc) root() {
	if len(d.stack) == 1 {
		d.roots++
		d.declared = false
	}
}

// leave ends a suite, whose memory serves the next one.
func (d *junitDoc) leave(s *junitSuite) {
	if d.endSuite(s); s != d.parents.first {
		d.unused = s
	}
}

// endSuite holds a suite's totals against what was counted in it, and hands both to the one around it.
func (d *junitDoc) endSuite(s *junitSuite) {
	if k := s.failed; k != nil {
		k.name = "(suite)"
		k.id = []byte(d.label([]byte(join(cmp.Or(s.file, s.path), "", k.name))))
		k.nameFrom, k.print = len(k.id)-len(k.name), maphash.Bytes(d.seed, k.id)
		k.suite, k.file, k.said = d.wordID(s.path), d.wordID(s.file), facts.Passed
		d.stack = append(d.stack, open{kind: s.kind, suite: s}) // its case belongs to it
		d.endCase(k)
		d.stack = d.stack[:len(d.stack)-1]
	}
	s.all.plus(s.own)
	where := "suite " + strconv.Quote(s.name)
	if s.kind == suites {
		where = "the root"
	}
	low := s.own
	if s.kind == suites || s.children == 0 {
		low = s.all // a parent suite may state its own cases only
	}
	if s.said != "" && s.all.bad == 0 {
		d.problem(facts.Contradict, "status_against_child", d.at(s.at), "%s has the status %q, but no case in it failed", where, s.said)
	}
	d.parents.see(s)
	if d.cut == "" { // the totals of a document that was cut claim what is missing: that is said already
		d.reconcile(where, s.claims, low, s.all, d.at(s.at))
		if bad := max(s.comments.failures, 0) + max(s.comments.errors, 0); bad > 0 && s.all.bad == 0 {
			d.problem(facts.Contradict, "claims_above_counts", d.at(s.at), "the comments at the end claim %d failures, but none is listed", bad)
		}
	}
	stated := s.claims
	for _, c := range []claimed{s.comments, s.below} {
		if !stated.any() {
			stated = c
		}
	}
	if p := d.owner(); p != nil {
		p.children++
		p.all.plus(s.all)
		p.below = p.below.plus(stated)
		return
	}
	d.claims = d.claims.plus(stated)
}

// parents are the suites with suites in them. Writers differ in whether their totals include what is further below; one
// writer does not.
type parents struct {
	whole, own int // whose tests= fits only all that is below, or only what stands directly in them
	above      int // whose tests= is more than the latter
	first      *junitSuite
}

func (p *parents) see(s *junitSuite) {
	if s.kind != suite || s.children == 0 || s.claims.tests < 0 || s.own.cases == s.all.cases {
		return
	}
	switch s.claims.tests {
	case s.all.cases:
		p.whole++
	case s.own.cases:
		p.own++
		return
	}
	if s.claims.tests > s.own.cases+s.own.failures+s.own.retried+max(0, s.claims.skipped-s.own.skipped) {
		if p.above++; p.first == nil {
			p.first = s
		}
	}
}

// reconcileParents holds parents to the habit that the document shows.
func (d *junitDoc) reconcileParents() {
	if p := &d.parents; p.own > 1 && p.own > p.whole && p.above > 0 {
		d.problem(facts.Contradict, "tests_above_cases", d.at(p.first.at), "suite %q claims %d tests, but lists %d, and other suites of this file count only what stands directly in them (%d such suites)",
			p.first.name, p.first.claims.tests, p.first.own.cases, p.above)
	}
}
