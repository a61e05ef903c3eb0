package worktree

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// pattern is a glob over paths from the root, with slashes, as doublestar reads it. Without a wildcard it names a file,
// or a folder and all below it.
type pattern struct {
	text   string
	kind   patternKind
	plain  string   // what kind needs: the path, the folder, the name, the ending
	prefix string   // folder that every match lies in, with a trailing slash; "" for the root
	heads  []string // beginnings of the pattern that reach an ignored path by words of their own
	parts  []string // between slashes
}

type patternKind int

const (
	anyGlob    patternKind = iota
	everything             // **
	onePath                // a/b: the path and all below it
	below                  // a/b/**
	anyName                // **/name/**: the name anywhere, and all below it
	ending                 // **/*.go
)

type patterns []pattern

func newPatterns(texts []string) patterns {
	var ps patterns
	for _, t := range texts {
		ps = append(ps, newPattern(t))
	}
	return ps
}

func newPattern(text string) pattern {
	p := pattern{text: strings.TrimPrefix(text, "./")}
	if plain, ok := unescape(p.text); ok {
		p.plain = strings.Trim(path.Clean("/"+plain), "/")
		p.kind = onePath
		if p.plain == "" {
			p.kind = everything // "." is the root
		}
		p.text = p.plain
		p.parts = strings.Split(p.plain, "/")
		p.heads = heads(p.parts)
		return p
	}
	if strings.HasSuffix(p.text, "/") {
		p.text += "**/*" // what lies below a matching folder; "**" alone would take a file of that name too
	}
	p.parts = splitParts(p.text)
	p.heads = heads(p.parts)
	var fixed []string // parts without a wildcard at the beginning
	for _, part := range p.parts {
		plain, ok := unescape(part)
		if !ok {
			break
		}
		fixed = append(fixed, plain)
	}
	if len(fixed) > 0 {
		p.prefix = strings.Join(fixed, "/") + "/"
	}
	rest := p.parts[len(fixed):]
	switch {
	case len(rest) == 1 && rest[0] == "**":
		p.kind, p.plain = below, strings.TrimSuffix(p.prefix, "/")
		if p.plain == "" {
			p.kind = everything
		}
	case len(fixed) == 0 && len(rest) == 3 && rest[0] == "**" && rest[2] == "**":
		if plain, ok := unescape(rest[1]); ok && plain != "" {
			p.kind, p.plain = anyName, plain
		}
	case len(fixed) == 0 && len(rest) == 2 && rest[0] == "**" && strings.HasPrefix(rest[1], "*"):
		if plain, ok := unescape(rest[1][1:]); ok && plain != "" {
			p.kind, p.plain = ending, plain
		}
	}
	return p
}

// unescape removes backslashes; ok is false when a wildcard is left.
func unescape(s string) (plain string, ok bool) {
	if !strings.ContainsAny(s, `*?[{\`) {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '*', '?', '[', '{':
			return "", false
		case '\\':
			if i++; i == len(s) {
				return "", false // malformed: it matches nothing
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), true
}

// splitParts cuts a pattern at the slashes that are not within braces or brackets.
func splitParts(s string) []string {
	var parts []string
	start, depth, class := 0, 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '{':
			depth++
		case c == '}':
			depth = max(0, depth-1)
		case c == '/' && depth == 0:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}

// heads are the beginnings of a pattern whose last part has words of its own: a part of wildcards alone, or one with a
// wildcard behind "**", would reach whatever lies there.
func heads(parts []string) []string {
	var found []string
	stars := false
	for i, part := range parts {
		if part == "**" {
			stars = true
			continue
		}
		_, plain := unescape(part)
		if plain || !stars && strings.Trim(part, `*?[]{}!^,-\`) != "" {
			found = append(found, strings.Join(parts[:i+1], "/"))
		}
	}
	return found
}

// match says whether a path from the root matches.
func (p *pattern) match(path string) bool {
	switch p.kind {
	case everything:
		return true
	case onePath, below:
		return strings.HasPrefix(path, p.plain) && (len(path) == len(p.plain) || path[len(p.plain)] == '/')
	case anyName:
		for from := 0; ; {
			i := strings.Index(path[from:], p.plain)
			if i < 0 {
				return false
			}
			i += from
			end := i + len(p.plain)
			if (i == 0 || path[i-1] == '/') && (end == len(path) || path[end] == '/') {
				return true
			}
			from = i + 1
		}
	case ending:
		return strings.HasSuffix(path, p.plain)
	}
	return doublestar.MatchUnvalidated(p.text, path)
}

func (ps patterns) match(path string) bool {
	for i := range ps {
		if ps[i].match(path) {
			return true
		}
	}
	return false
}

// naming are the patterns that name an ignored path by words of their own.
func (ps patterns) naming(path string) patterns {
	var found patterns
	for i := range ps {
		for _, head := range ps[i].heads {
			if ps[i].kind == onePath && head == path || ps[i].kind != onePath && doublestar.MatchUnvalidated(head, path) {
				found = append(found, ps[i])
				break
			}
		}
	}
	return found
}

// reach says whether a path below the folder can match.
func (ps patterns) reach(folder string) bool {
	for i := range ps {
		if ps[i].reach(folder) {
			return true
		}
	}
	return false
}

func (p *pattern) reach(folder string) bool {
	if p.kind == onePath {
		return p.match(folder) || strings.HasPrefix(p.plain, folder+"/")
	}
	for i, name := range strings.Split(folder, "/") {
		if i == len(p.parts) {
			return false
		}
		part := p.parts[i]
		if part == "**" || strings.Contains(part, "/") {
			return true // it may take any number of folders
		}
		if !doublestar.MatchUnvalidated(part, name) {
			return false
		}
	}
	return true
}
