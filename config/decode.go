package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// node is one key of the file with what it holds.
type node struct {
	path  []string
	value any     // string, int64, float64, bool, time.Time, []any, or nil for a table
	kids  []*node // of a table or of an array, in the order of the file
	table bool
}

func (n *node) name() string { return n.path[len(n.path)-1] }

// kid returns the key of that name, or nil.
func (n *node) kid(name string) *node {
	if n == nil {
		return nil
	}
	for _, k := range n.kids {
		if k.name() == name {
			return k
		}
	}
	return nil
}

// decode turns the bytes into a tree, or says why it cannot. The tree is nil when it cannot.
func decode(file string, data []byte) (*node, positions, []Problem) {
	text, problem := plain(file, data)
	if problem != nil {
		return nil, positions{}, []Problem{*problem}
	}
	s, vetted := scanText(text)
	at := func(off int, text, hint string) Problem {
		line, column := s.keys.place(off)
		return Problem{File: file, Line: line, Column: column, Text: text, Hint: hint}
	}
	if s.limit != nil {
		return nil, s.keys, []Problem{at(s.limit.off, s.limit.text, "")}
	}
	var problems []Problem
	again := map[string]bool{}
	for _, t := range s.twice {
		inside := false // its table is there twice, which says it
		for n := 1; n < len(t.path) && !inside; n++ {
			inside = again[join(t.path[:n])]
		}
		if inside {
			continue
		}
		again[join(t.path)] = true
		line, _ := s.keys.place(t.first)
		text := fmt.Sprintf("%s: defined twice, first at line %d", dotted(t.path), line)
		if t.closed {
			text = fmt.Sprintf("%s: is complete since line %d, and nothing can be added", dotted(t.path), line)
		} else if len(t.path) == 2 && t.path[0] == "checks" {
			text = fmt.Sprintf("%s: two checks of one name, the first at line %d", dotted(t.path), line)
		}
		problems = append(problems, at(t.off, text, ""))
	}
	values, err := unmarshal(text[:vetted])
	switch {
	case err != nil && len(s.twice) > 0 && vetted == len(text):
		// The decoder stops at the first of those that are listed already.
	case err != nil:
		var parse toml.ParseError
		off := min(s.i, len(text))
		message := err.Error()
		if errors.As(err, &parse) {
			off, message = parse.Position.Start, parse.Message
		}
		p := at(off, "", syntaxHint(message))
		p.Text = fmt.Sprintf("not TOML at column %d: %s", p.Column, cut(strings.TrimSuffix(message, "."), 200))
		problems = append(problems, p)
	case s.i < len(text):
		// The decoder and the scanner do not agree; nobody knows what this file says.
		p := at(s.i, "", "")
		p.Text = fmt.Sprintf("not TOML at column %d", p.Column)
		problems = append(problems, p)
	}
	if len(problems) > 0 {
		return nil, s.keys, problems
	}
	root := &node{table: true}
	root.kids = tables(nil, values, s.keys)
	return root, s.keys, nil
}

// plain refuses what is no UTF-8 text, and takes a byte order mark away.
func plain(file string, data []byte) (string, *Problem) {
	at := func(off int, text, hint string) *Problem {
		line := bytes.Count(data[:off], []byte("\n")) + 1
		column := utf8.RuneCount(data[bytes.LastIndexByte(data[:off], '\n')+1:off]) + 1
		return &Problem{File: file, Line: line, Column: column, Text: text, Hint: hint}
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return "", at(0, "is UTF-16", "save it as UTF-8")
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return "", at(i, fmt.Sprintf("holds a NUL byte at offset %d", i), "is it UTF-16? save it as UTF-8")
	}
	if !utf8.Valid(data) {
		i := 0
		for i < len(data) {
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		return "", at(i, fmt.Sprintf("is not UTF-8: byte 0x%02x at offset %d", data[i], i), "")
	}
	return string(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))), nil
}

// unmarshal runs the decoder. Its panics are errors: a file must not be able to end the program.
func unmarshal(text string) (values map[string]any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the decoder gave up: %s", short(fmt.Sprint(r)))
		}
	}()
	_, err = toml.Decode(text, &values)
	return values, err
}

func syntaxHint(message string) string {
	switch {
	case strings.Contains(message, "escape"), strings.Contains(message, "hexadecimal"):
		return `in "…" a \ starts an escape: write / in paths, or '…'`
	case strings.Contains(message, "but found '$'"), strings.Contains(message, "but found '/'"),
		strings.Contains(message, "expected value but found"):
		return `texts stand in quotes: "…"`
	}
	return ""
}

func tables(path []string, values map[string]any, keys positions) []*node {
	var kids []*node
	for _, k := range slices.Sorted(maps.Keys(values)) {
		kids = append(kids, branch(append(path[:len(path):len(path)], k), values[k], keys))
	}
	offset := func(n *node) int {
		off, _ := keys.offset(join(n.path))
		return off
	}
	sort.SliceStable(kids, func(i, j int) bool { return offset(kids[i]) < offset(kids[j]) })
	return kids
}

func branch(path []string, v any, keys positions) *node {
	n := &node{path: path, value: v}
	elements := func(i int, e any) {
		n.kids = append(n.kids, branch(append(path[:len(path):len(path)], element+strconv.Itoa(i)), e, keys))
	}
	switch v := v.(type) {
	case map[string]any:
		n.table, n.value = true, nil
		n.kids = tables(path, v, keys)
	case []map[string]any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = e
			elements(i, e)
		}
		n.value = list
	case []any:
		for i, e := range v {
			elements(i, e)
		}
	}
	return n
}
