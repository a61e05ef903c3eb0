package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// reader holds the tree of the file against the list of keys and collects what is wrong.
type reader struct {
	file     string
	keys     positions
	problems []Problem
	known    []key
	compared int // words that didYouMean has looked at
}

// problem notes a mistake at a key.
func (r *reader) problem(n *node, text, hint string) { r.problemAt(n.path, text, hint) }

func (r *reader) problemAt(path []string, text, hint string) {
	line, column := r.keys.at(path)
	if len(path) > 0 {
		text = dotted(path) + ": " + text
	}
	r.problems = append(r.problems, Problem{File: r.file, Line: line, Column: column, Text: text, Hint: hint})
}

// version reports whether this file is of the version that is read here. A file that says none is taken for one.
func (r *reader) version(root *node) bool {
	n := root.kid("version")
	if n == nil {
		r.problems = append(r.problems, Problem{File: r.file, Line: 1, Column: 1, Text: "version: missing", Hint: "write version = 1 as the first line"})
		return true
	}
	v, isInt := n.value.(int64)
	if isInt && v != 1 {
		r.problem(n, fmt.Sprintf("%d is not a version that this factgate reads", v), "it reads version = 1")
		return false
	}
	return true
}

// table checks every key below n, which stands at pattern in the list of keys.
func (r *reader) table(n *node, pattern string) {
	r.known = keys()
	byPath := make(map[string]key, len(r.known))
	for _, k := range r.known {
		byPath[k.path] = k
	}
	r.walk(n, pattern, byPath)
}

func (r *reader) walk(n *node, pattern string, byPath map[string]key) {
	for _, kid := range n.kids {
		at := under(pattern, kid.name())
		k, ok := byPath[at]
		if !ok {
			r.unknown(kid, pattern)
			continue
		}
		switch k.kind {
		case kindLater:
			r.problem(kid, "not supported yet", "")
		case kindTable:
			if r.isTable(kid, dotted(kid.path)) {
				r.walk(kid, at, byPath)
			}
		case kindNamed:
			if !r.isTable(kid, kid.name()+".NAME") {
				break
			}
			for _, named := range kid.kids {
				if r.isTable(named, dotted(named.path)) {
					r.walk(named, at+".*", byPath)
				}
			}
		default:
			r.value(kid, k)
		}
	}
}

func (r *reader) isTable(n *node, header string) bool {
	if !n.table {
		r.problem(n, "must be a table, not "+typeOf(n), "write ["+header+"]")
	}
	return n.table
}

func under(pattern, name string) string {
	if pattern == "" {
		return name
	}
	return pattern + "." + name
}

// unknown says what was probably meant: a key of a similar name here, or this key in another table.
func (r *reader) unknown(n *node, pattern string) {
	var here, elsewhere []string
	for _, k := range r.known {
		parent, last := "", k.path
		if i := strings.LastIndexByte(k.path, '.'); i >= 0 {
			parent, last = k.path[:i], k.path[i+1:]
		}
		if parent == pattern {
			here = append(here, last)
		} else if last == n.name() && parent != "" {
			elsewhere = append(elsewhere, "["+strings.ReplaceAll(parent, "*", "NAME")+"]")
		}
	}
	hint := r.didYouMean(n.name(), here)
	if n.table && strings.HasSuffix(pattern, ".*") && hint == "" {
		hint = "a name with a dot stands in quotes: [" + n.path[0] + "." + strconv.Quote(short(strings.Join(n.path[1:], "."))) + "]"
	}
	if hint == "" && len(elsewhere) > 0 {
		hint = "it belongs into " + strings.Join(elsewhere, " or ")
	}
	r.problem(n, "unknown key", hint)
}

// didYouMean is a hint at the word that was probably meant, or "". It stops to look when a hostile file has asked for too
// much of it.
func (r *reader) didYouMean(word string, words []string) string {
	const enough = 100_000
	if r.compared += len(words); r.compared > enough {
		return ""
	}
	if w := nearest(word, words); w != "" {
		return "did you mean " + w + "?"
	}
	return ""
}

// value checks one value against its key. What is stored is read again by build, which takes what is well-formed.
func (r *reader) value(n *node, k key) {
	switch k.kind {
	case kindText:
		if s, ok := r.text(n); ok && strings.TrimSpace(s) == "" {
			r.problem(n, "is empty", "")
		}
	case kindWord:
		if s, ok := r.text(n); ok && !slices.Contains(k.words, s) {
			r.problem(n, fmt.Sprintf("%q is not one of %s", short(s), strings.Join(k.words, ", ")), r.didYouMean(s, k.words))
		}
	case kindBool:
		if _, ok := n.value.(bool); !ok {
			r.wrongType(n, "true or false")
		}
	case kindInt:
		r.integer(n, k)
	case kindDuration:
		r.duration(n, k)
	case kindSize:
		r.size(n, k)
	case kindDir:
		if s, ok := r.text(n); ok {
			r.path(n, s)
		}
	case kindGlob:
		if s, ok := r.text(n); ok {
			r.glob(n, s)
		}
	case kindEnv:
		r.environment(n)
	case kindExits:
		r.exits(n)
	default:
		r.list(n, k)
	}
}

func (r *reader) text(n *node) (string, bool) {
	s, ok := n.value.(string)
	if !ok {
		r.wrongType(n, "a string")
	}
	return s, ok
}

func (r *reader) wrongType(n *node, want string) {
	r.problem(n, "must be "+want+", not "+typeOf(n), "")
}

func typeOf(n *node) string {
	switch n.value.(type) {
	case nil:
		return "a table"
	case string:
		return "a string"
	case int64:
		return "an integer"
	case float64:
		return "a float"
	case bool:
		return "a boolean"
	case time.Time:
		return "a date"
	default:
		return "an array"
	}
}

func (r *reader) integer(n *node, k key) {
	v, ok := n.value.(int64)
	switch {
	case !ok:
		r.wrongType(n, "an integer")
	case n.name() == "version":
		// version() has said it.
	case v < k.min || v > k.max:
		r.problem(n, fmt.Sprintf("%d is not between %d and %d", v, k.min, k.max), "")
	case k.path == "checks.*.retries" && v > 0:
		r.problem(n, "not supported yet", "only 0 is")
	}
}

// list checks the kinds that are arrays of strings.
func (r *reader) list(n *node, k key) {
	if k.path == "checks.*.inputs" && n.value == "auto" {
		r.problem(n, `"auto" is not supported yet`, "list globs, or leave it out for the whole tree")
		return
	}
	elements, ok := n.value.([]any)
	if !ok {
		r.notAList(n, k)
		return
	}
	if len(elements) == 0 {
		switch {
		case k.kind == kindArgv:
			r.problem(n, "is empty", "leave the key out for the runner's own command")
		case k.path == "checks.*.inputs":
			r.problem(n, "is empty", "leave the key out for the whole tree")
		}
	}
	seen := map[string]bool{}
	for i, e := range n.kids {
		s, ok := r.text(e)
		if !ok {
			continue
		}
		switch k.kind {
		case kindGlobs:
			r.glob(e, s)
		case kindNames:
			r.variable(e, s)
		case kindArgv, kindArgs:
			if strings.ContainsRune(s, 0) {
				r.problem(e, "holds a NUL character", "")
			} else if i == 0 && k.kind == kindArgv && strings.TrimSpace(s) == "" {
				r.problem(n, "the program is empty", "")
			}
		}
		if seen[s] && (k.kind == kindNames || k.kind == kindChecks) {
			r.problem(e, fmt.Sprintf("%q is listed twice", short(s)), "")
		}
		seen[s] = true
	}
}

func (r *reader) notAList(n *node, k key) {
	s, isText := n.value.(string)
	switch {
	case !isText:
		r.wrongType(n, "an array of strings")
	case k.kind == kindArgv || k.kind == kindArgs:
		words := strings.Fields(s)
		hint := "there is no shell"
		if len(words) > 0 && !strings.ContainsAny(s, "\"'`$|&;<>(){}*?~\\") {
			quoted := make([]string, len(words))
			for i, w := range words {
				quoted[i] = strconv.Quote(w)
			}
			hint = "write " + n.name() + " = [" + short(strings.Join(quoted, ", ")) + "]"
		}
		r.problem(n, "must be an argv array, not a string", hint)
	default:
		r.problem(n, "must be an array of strings, not a string", "write "+n.name()+" = ["+strconv.Quote(short(s))+"]")
	}
}
