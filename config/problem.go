package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Problem is one mistake in factgate.toml. Text starts with the key that it is about.
type Problem struct {
	File   string // relative to the root, slashes
	Line   int    // from 1; 0: the file as a whole
	Column int    // in characters from 1; 0: not known
	Text   string // what is wrong
	Hint   string // what to write instead; may be empty
}

// String is one line without a line break: file:line: text (hint).
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": " + p.Text)
	if p.Hint != "" {
		b.WriteString(" (" + p.Hint + ")")
	}
	return printable(b.String())
}

// Format is one line per problem, in the order given, each with its line break.
func Format(problems []Problem) string {
	var b strings.Builder
	for _, p := range problems {
		b.WriteString(p.String() + "\n")
	}
	return b.String()
}

// maxProblems is how many are reported. A file with more is not a factgate.toml.
const maxProblems = 1000

func sorted(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	problems = slices.Compact(problems)
	if more := len(problems) - maxProblems; more > 0 {
		last := problems[maxProblems]
		last.Text, last.Hint = fmt.Sprintf("and %d more mistakes from here on", more), ""
		problems = append(problems[:maxProblems], last)
	}
	return problems
}

// printable shows what a terminal might act upon as an escape: the text of a foreign file is in our messages.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			q := fmt.Sprintf("%+q", r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	return b.String()
}

// short cuts a value that a message quotes.
func short(s string) string { return cut(s, 60) }

func cut(s string, limit int) string {
	r := []rune(s)
	if len(r) <= limit {
		return s
	}
	return string(r[:limit]) + "…"
}

// dotted writes a key as TOML does. Elements of arrays are [n].
func dotted(key []string) string {
	var b strings.Builder
	for i, k := range key {
		if n, ok := strings.CutPrefix(k, element); ok {
			b.WriteString("[" + n + "]")
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		if isBare(k) {
			b.WriteString(k)
		} else {
			b.WriteString(fmt.Sprintf("%q", short(k)))
		}
	}
	return b.String()
}

func isBare(k string) bool {
	for _, r := range k {
		if !isBareRune(r) {
			return false
		}
	}
	return k != ""
}

func isBareRune(r rune) bool {
	return r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-'
}

// nearest returns the word that a person probably meant, or "" when none is near.
func nearest(word string, words []string) string {
	best, at := "", max(1, len(word)/3)+1
	for _, w := range words {
		if d := distance(strings.ToLower(word), w); d < at {
			best, at = w, d
		}
	}
	return best
}

// distance is the number of characters to insert, remove, replace or swap with their neighbour.
func distance(a, b string) int {
	if len(a) > 40 || len(b) > 40 {
		return 99
	}
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
