package parsers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"factgate/facts"
)

// oddities are what a document holds and the reader does not understand, where it could tell how something ended.
type oddities struct {
	cases, suites         map[string]int // elements directly in a case, and in a suite or the root, by name
	more                  int            // elements beyond the names that are kept
	caseBytes, suiteBytes int64          // text directly there
	markup                bool           // text of the latter that looks like what is left of a tag
	caseAt, suiteAt       int64          // where the first of each was met
}

// unknown counts an element of no known meaning.
func (d *junitDoc) unknown(t *tag, at int64) {
	d.wellWritten(t, at)
	if t.damned != "" {
		d.damned(t, at)
	}
	to := &d.odd.suites
	if parent := d.stack[len(d.stack)-2].kind; parent == single {
		to = &d.odd.cases
	}
	if *to == nil {
		*to = map[string]int{}
	}
	if _, ok := (*to)[t.name]; !ok && len(*to) >= 50 {
		d.odd.more++
		return
	}
	(*to)[t.name]++
}

// damned notes an attribute that says failed, under a name that is no status.
func (d *junitDoc) damned(t *tag, at int64) {
	d.problem(facts.Malformed, "not_understood", d.at(at), "<%s> has an attribute %q whose value is a word for failure", d.clean([]byte(t.name)), d.clean([]byte(t.damned)))
}

// loose counts text directly in a case or a suite, where none belongs.
func (d *junitDoc) loose(b []byte) {
	n := int64(0)
	for _, x := range b {
		if !space(x) {
			n++
		}
	}
	if n == 0 {
		return
	}
	o, at := &d.odd, d.at(d.scan.offset())
	if d.stack[len(d.stack)-1].kind == single {
		if o.caseBytes == 0 {
			o.caseAt = at
		}
		o.caseBytes += n
		return
	}
	if o.suiteBytes == 0 {
		o.suiteAt = at
	}
	o.suiteBytes += n
	o.markup = o.markup || strings.ContainsAny(string(b), "<=>")
}

// losses says what was not understood. What stands in a case could be the word for its failure, and so could what is left
// of a tag; elements and plain text in a suite are notes.
func (d *junitDoc) losses() {
	o := &d.odd
	if len(o.cases) > 0 {
		d.problem(facts.Malformed, "not_understood", 0, "elements in cases that are not known and could tell of a failure: %s", d.names(o.cases))
	}
	if o.caseBytes > 0 {
		d.problem(facts.Malformed, "loose_text", o.caseAt, "%d bytes of text stand directly in cases", o.caseBytes)
	}
	if len(o.suites) > 0 {
		w := facts.Note
		for name := range o.suites {
			if ominous(name) {
				w = facts.Malformed
			}
		}
		d.problem(w, "not_understood", 0, "elements in suites that are not known: %s", d.names(o.suites))
	}
	if o.suiteBytes > 0 {
		w := facts.Note
		if o.markup {
			w = facts.Malformed
		}
		d.problem(w, "loose_text", o.suiteAt, "%d bytes of text stand directly in suites", o.suiteBytes)
	}
	if o.more > 0 {
		d.problem(facts.Malformed, "not_understood", 0, "%d elements more, of too many names to list", o.more)
	}
}

// names lists names with their numbers, sorted.
func (d *junitDoc) names(m map[string]int) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%s (%d)", d.clean([]byte(name)), m[name]))
	}
	return strings.Join(out, ", ")
}

// ominous reports whether a name sounds like a failure.
func ominous(name string) bool {
	for _, word := range []string{"fail", "error", "crash", "abort", "broken", "warning", "exception", "timeout", "fatal"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
