package parsers

import (
	"hash/maphash"
	"io"

	"factgate/facts"
)

// MochaJSON reads what `mocha --reporter json` writes (lib/reporters/json.js of mocha 8 to 12): stats, every test that
// ended, and the lists pending, failures and passes, which say how. Its proof of completeness is the end of the
// document, in which the lists hold exactly the tests, and stats counts as many. mocha writes it when all is over: a
// test that calls process.exit leaves no file.
//
// A failure that is no test's belongs to a hook, whose tests mocha leaves out, or is a second one of a test; it stands
// outside cases. `--dry-run` lists every test as passed, without a duration; such a test is not taken as run.
func MochaJSON(r io.Reader) (facts.Results, error) { return mochaJSON(r, standard()) }

func mochaJSON(r io.Reader, lim limits) (facts.Results, error) {
	m := &mochaDoc{jsonFile: newJSONFile(r, lim), seeded: maphash.MakeSeed(), left: map[uint64]int{}, listed: map[string]int{}, stats: map[string]int{}}
	closed, err := m.read(m.document)
	if err != nil {
		return facts.Results{}, err
	}
	return m.end(closed), nil
}

// mochaDoc is the document while it is read.
type mochaDoc struct {
	jsonFile
	stats  map[string]int // by mocha's word
	listed map[string]int // by the name of the list; a list that is not there is missing
	seeded maphash.Seed
	left   map[uint64]int // tests that no list named yet, by file and title
	dry    int
	early  bool // a list came before tests
}

func (m *mochaDoc) document() error {
	return m.object(func(key string) error {
		switch key {
		case "stats":
			return m.object(func(key string) error {
				n, err := m.number()
				switch key {
				case "tests", "passes", "pending", "failures":
					m.stats[key] = count(n)
				}
				return err
			})
		case "tests", "pending", "failures", "passes":
			if _, again := m.listed[key]; again {
				return unexpected{"the list " + key + " is there twice"}
			}
			_, begun := m.listed["tests"]
			m.early = m.early || key != "tests" && !begun
			m.listed[key] = 0
			return m.array(func() error {
				t, err := m.test()
				if err == nil {
					m.listed[key]++
					m.take(key, &t)
				}
				return err
			})
		}
		return m.skip()
	})
}

// mochaTest is one element of a list.
type mochaTest struct {
	title, full, file    string
	ms                   float64
	timed                bool
	retry                int
	failed               bool // err holds something
	message, stack, kind string
}

func (m *mochaDoc) test() (t mochaTest, err error) {
	err = m.object(func(key string) (err error) {
		var n float64
		switch key {
		case "title":
			t.title, err = m.text()
		case "fullTitle":
			t.full, err = m.text()
		case "file":
			t.file, err = m.text()
		case "duration":
			var v any
			v, err = m.scalar()
			t.ms, t.timed = v.(float64)
		case "currentRetry":
			n, err = m.number()
			t.retry = count(n)
		case "err":
			err = m.object(func(key string) (err error) {
				t.failed = true
				switch key {
				case "message":
					t.message, err = m.text()
				case "stack":
					t.stack, err = m.text()
				case "name":
					t.kind, err = m.text()
				default:
					err = m.skip()
				}
				return err
			})
		default:
			err = m.skip()
		}
		return err
	})
	return t, err
}

// take brings one element of a list together with the test that it is of.
func (m *mochaDoc) take(list string, t *mochaTest) {
	key := maphash.String(m.seeded, t.file+"\x00"+t.full)
	if list == "tests" {
		if len(m.left) < m.lim.cases+m.lim.bad {
			m.left[key]++
		}
		return
	}
	n, known := m.left[key]
	if n > 0 {
		m.left[key]--
		m.add(m.fact(list, t))
		return
	}
	switch {
	case list == "failures":
		m.outside(m.outsideOf(m.find, facts.OutsideTests, t.full, t.message, t.stack))
	case known && list == "passes":
		m.note("passed_and_failed", 0, "%q is listed as passed and as failed; it failed", m.label([]byte(t.full)))
	default:
		m.problem(facts.Contradict, "not_among_tests", 0, "%q is in the list %s and not among the tests", m.label([]byte(t.full)), list)
	}
}

// fact makes a case. mocha writes the path of titles only as one string, with blanks between them.
func (m *mochaDoc) fact(list string, t *mochaTest) facts.Case {
	suite := t.full
	if n := len(t.full) - len(t.title); n >= 0 && t.full[n:] == t.title {
		if suite = t.full[:n]; suite != "" {
			suite = suite[:len(suite)-1]
		}
	}
	var above []string
	if suite != "" {
		above = []string{suite}
	}
	c := m.named(t.file, above, t.title)
	c.Duration = ms(t.ms)
	if t.retry > 0 {
		c.Attempts = t.retry + 1
	}
	if t.failed {
		c.Failures = []facts.Failure{m.failure(m.find, t.message, t.kind, t.stack)}
	}
	switch list {
	case "failures":
		c.Status = facts.Failed
	case "pending":
		c.Status, c.Kind = facts.Skipped, "skip"
	case "passes":
		c.Status, c.Flaky = facts.Passed, t.retry > 0
		if !t.timed {
			m.dry++
			c.Status = facts.StatusUnknown
		}
	}
	if t.failed && list != "failures" && !c.Flaky {
		m.problem(facts.Contradict, "status_against_failure", 0, "test %q is in the list %s and has an error", c.ID, list)
		c.Status = facts.Failed
	}
	explained(&c, "mocha")
	return c
}

func (m *mochaDoc) end(closed bool) facts.Results {
	if !closed {
		return m.finish(false)
	}
	complete := true
	for _, list := range []string{"tests", "pending", "failures", "passes"} {
		if _, ok := m.listed[list]; !ok {
			complete = false
		}
	}
	if _, ok := m.stats["tests"]; !ok || !complete {
		m.problem(facts.Malformed, "no_mocha_results", 0, "it is JSON, but not what mocha's reporter json writes: stats or one of its four lists is missing")
		return m.finish(false)
	}
	if m.early {
		m.problem(facts.Malformed, "order", 0, "tests does not come before the lists that say how they ended")
	}
	n := func(key string) int { return m.stats[key] }
	m.res.Claims = claimed{n("tests"), n("passes"), n("failures"), -1, n("pending")}.facts()
	for _, list := range []string{"tests", "passes", "failures", "pending"} {
		if n(list) != m.listed[list] {
			m.problem(facts.Contradict, "claims_against_list", 0, "stats counts %d %s, and %d are listed", n(list), list, m.listed[list])
		}
	}
	open := 0
	for _, n := range m.left {
		open += n
	}
	if open > 0 {
		m.problem(facts.Contradict, "unlisted_tests", 0, "%d of %d tests are in no list that says how they ended", open, m.listed["tests"])
	}
	if m.dry > 0 {
		m.problem(facts.Incomplete, "not_run", 0, "%d tests passed without a duration: they were not run (--dry-run)", m.dry)
	}
	return m.finish(m.sound())
}
