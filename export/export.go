// Package export writes what was read of results in the formats of others, so that tools which know nothing of factgate
// can show it.
//
// Nothing that forbids a pass is lost on the way: a failure outside cases, a problem that makes the results doubtful and
// results that are not complete each become a case that did not pass, since these formats have no other place that every
// reader looks at. A status that could not be understood is never written as a pass.
package export

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"factgate/facts"
)

// separator stands between the parts of an id that factgate puts together.
const separator = " › "

// listed gives the cases of some results, and behind them one for each thing that is no case and forbids a pass.
func listed(r *facts.Results) []facts.Case {
	extra := func(group, name string, f facts.Failure) facts.Case {
		f.Error = true
		if name == "" {
			name = group
		}
		return facts.Case{ID: group + separator + name, Name: name, Suite: group, Status: facts.Errored, Failures: []facts.Failure{f}}
	}
	all := r.Cases[:len(r.Cases):len(r.Cases)]
	for _, o := range r.Outside {
		f := facts.Failure{Message: o.Message, Type: o.Kind.String(), Text: o.Text, File: o.File, Line: o.Line}
		all = append(all, extra("outside of tests", o.Where, f))
	}
	blocked := false
	for _, p := range r.Problems {
		if p.Weight.Blocking() {
			blocked = true
			all = append(all, extra("results", p.Path, facts.Failure{Message: p.Code + ": " + p.Detail, Type: p.Weight.String()}))
		}
	}
	if !r.Complete && !blocked {
		all = append(all, extra("results", "", facts.Failure{Message: "the results are not complete", Type: facts.Incomplete.String()}))
	}
	if missing := r.Counts.Cases - len(r.Cases); missing > 0 && !blocked {
		all = append(all, extra("results", "", facts.Failure{Message: "some cases were counted and not kept", Type: facts.Malformed.String()}))
	}
	return all
}

// clean replaces what XML 1.0 forbids and what is no UTF-8: JSON could carry some of it, and then the two would differ.
func clean(s string) string {
	fine := func(r rune) bool {
		return r >= 0x20 && r < 0xD800 || r == '\t' || r == '\n' || r == '\r' || r >= 0xE000 && r < 0xFFFE || r >= 0x10000
	}
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !fine(r) }) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune { // gives U+FFFD for each byte that is not valid
		if !fine(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// quiet finds the characters of a text that mean something to whoever prints it: what a terminal does not show but obeys,
// and the marks by which a CI job takes a line for a command (a line that begins with "::", and "##[").
type quiet struct {
	begun  bool // a character that is no space stands in the line
	before [2]rune
}

// loud reports whether the next character is one of them.
func (q *quiet) loud(r rune) bool {
	yes := r > '~' && !unicode.IsPrint(r) || r == ':' && !q.begun || r == '[' && q.before == [2]rune{'#', '#'}
	q.begun = r != '\n' && (q.begun || !unicode.IsSpace(r))
	q.before = [2]rune{q.before[1], r}
	return yes
}
