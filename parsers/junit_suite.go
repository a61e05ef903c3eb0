package parsers

import (
	"strconv"
	"strings"

	"factgate/facts"
)

// separator stands between the parts of an id that tools do not write themselves.
const separator = " › "

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
	failed   *junitCase // a failure that stands in the suite itself
}

func (d *junitDoc) newSuite(t *tag, k kind, at int64) *junitSuite {
	s := &junitSuite{
		kind: k, name: d.word(d.label(or(t.get("name"), t.get("package")))), file: d.word(d.label(or(t.get("file"), t.get("filepath")))), at: at,
		claims: noClaims(), comments: noClaims(), below: noClaims(),
	}
	s.claims.tests = d.total1(t, at, "tests")
	s.claims.failures = d.total1(t, at, "failures")
	s.claims.errors = d.total1(t, at, "errors")
	for _, word := range []string{"skipped", "skip", "skips", "disabled", "ignored"} {
		if n := d.total1(t, at, word); n >= 0 { // gtest writes disabled beside skipped
			s.claims.skipped = max(s.claims.skipped, 0) + n
		}
	}
	return s
}

// total1 reads one total, -1 when it is not given. Given twice, the larger counts.
func (d *junitDoc) total1(t *tag, at int64, name string) int {
	worst := -1
	t.all(name, func(v []byte) {
		s := strings.ReplaceAll(strings.TrimSpace(clean64(v)), ",", "")
		if s == "" {
			return
		}
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || f < 0 || f != float64(int(f)) {
			d.note("odd_total", d.at(at), "%s=%q is not a number of tests", name, clean64(v))
			return
		}
		worst = max(worst, int(f))
	})
	return worst
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

// endSuite holds a suite's totals against what was counted in it, and hands both to the one around it.
func (d *junitDoc) endSuite(s *junitSuite) {
	if s.failed != nil {
		d.stack = append(d.stack, open{kind: s.kind, suite: s}) // its case belongs to it
		d.endCase(s.failed)
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

// name gives a case its identity: pytest's node id where the document shows it, else file or suite, class and name.
func (d *junitDoc) name(c *facts.Case, k *junitCase, s *junitSuite) {
	var where string
	pytest := false
	if s != nil {
		pytest = s.name == "pytest" && k.name != "(suite)"
		if c.File == "" {
			c.File = s.file
		}
		where = c.File
		if where == "" {
			where = d.suitePath()
		}
	} else {
		where = c.File
	}
	c.Suite = k.class
	if c.Suite == "" {
		c.Suite = d.suitePath()
	}
	module := strings.ReplaceAll(strings.TrimSuffix(strings.ReplaceAll(k.file, "\\", "/"), ".py"), "/", ".")
	switch inner, ok := strings.CutPrefix(k.class, module); {
	case pytest && k.class == "" && k.name == module:
		c.ID = k.file // a file that does not load
	case strings.HasSuffix(k.file, ".py") && ok && (inner == "" || inner[0] == '.'):
		c.ID = k.file + strings.ReplaceAll(inner, ".", "::") + "::" + k.name
		pytest = true
	case pytest && k.class != "":
		c.ID = k.class + "::" + k.name
	case pytest:
		c.ID = k.name
	default:
		c.ID = join(where, k.class, k.name)
	}
	c.ID = d.label([]byte(c.ID))
	if strings.HasSuffix(c.ID, c.Name) {
		c.Name = c.ID[len(c.ID)-len(c.Name):] // one copy of the bytes
	}
	if pytest && k.hasLine {
		c.Line++ // pytest counts lines from 0
	}
	if k.name == "" {
		d.note("no_name", 0, "a case has no name")
	}
}

// join makes an id of its parts, without those that say nothing new.
func join(where, class, name string) string {
	if class == where || class == name {
		class = ""
	}
	id := ""
	for _, part := range []string{where, class, name} {
		if part == "" {
			continue
		}
		if id != "" {
			id += separator
		}
		id += part
	}
	return id
}

// suitePath gives the names of the open suites, the root's own left out.
func (d *junitDoc) suitePath() string {
	var names []string
	for i := range d.stack {
		if s := d.stack[i].suite; s != nil && s.kind == suite && s.name != "" {
			names = append(names, s.name)
		}
	}
	return d.word(strings.Join(names, separator))
}
