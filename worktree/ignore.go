package worktree

import (
	"bytes"
	"strings"
)

// ignoreFile is the name of the files whose rules the walk follows.
const ignoreFile = ".gitignore"

// rules are those of one .gitignore file, in the order of the file: the last one that matches decides.
type rules struct {
	base string // folder of the file with a trailing slash, from the top of the work tree; "" for the top
	list []rule

	// Most rules are plain names or paths: these are looked up, not tried. The values are places in list, ascending.
	names map[string][]int
	paths map[string][]int
	globs []int
}

// rule is one line of a .gitignore file, as gitignore(5) reads it.
type rule struct {
	pattern  string // without "!", leading and trailing slash
	literal  int    // bytes at its beginning that hold no wildcard
	negated  bool   // "!": what matches is not ignored
	dirOnly  bool   // trailing slash: matches folders only
	anywhere bool   // no slash within: matches the name in any folder below base
	suffix   bool   // "*.o": the rest of the pattern is a plain ending
}

// frame is the .gitignore file of one folder and, behind it, those of the folders above.
type frame struct {
	rules *rules
	above *frame
}

// ignored says what the rules in force say about a path: full from the top of the work tree, name its last part.
func (f *frame) ignored(full, name string, dir bool) bool {
	for ; f != nil; f = f.above {
		if i := f.rules.last(full[len(f.rules.base):], name, dir); i >= 0 {
			return !f.rules.list[i].negated
		}
	}
	return false
}

// last is the place of the last rule that matches, or -1. The path is relative to the rules' folder.
func (r *rules) last(path, name string, dir bool) int {
	best := -1
	pick := func(places []int) {
		for i := len(places) - 1; i >= 0 && places[i] > best; i-- {
			if dir || !r.list[places[i]].dirOnly {
				best = places[i]
				return
			}
		}
	}
	if len(r.names) > 0 {
		pick(r.names[name])
	}
	if len(r.paths) > 0 {
		pick(r.paths[path])
	}
	for i := len(r.globs) - 1; i >= 0 && r.globs[i] > best; i-- {
		if g := &r.list[r.globs[i]]; (dir || !g.dirOnly) && g.matches(path, name) {
			return r.globs[i]
		}
	}
	return best
}

func (r *rule) matches(path, name string) bool {
	if r.anywhere {
		if r.suffix {
			return strings.HasSuffix(name, r.pattern[1:])
		}
		return wildmatch(r.pattern, name, false)
	}
	if !strings.HasPrefix(path, r.pattern[:r.literal]) {
		return false
	}
	// git matches only what follows the plain beginning, so that a "**" right behind it counts as one at the start.
	pattern, rest := r.pattern[r.literal:], path[r.literal:]
	if pattern == "" && rest == "" {
		return true
	}
	return wildmatch(pattern, rest, true)
}

// parseRules reads the text of the .gitignore file in folder base. It cannot fail: a malformed line matches nothing.
func parseRules(base string, text []byte) *rules {
	r := &rules{base: base}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		line, _, _ = bytes.Cut(line, []byte{0}) // git reads lines as C strings
		r.add(parseRule(trimSpaces(string(line))))
	}
	return r
}

// trimSpaces removes trailing spaces, but not one behind a backslash.
func trimSpaces(s string) string {
	end := len(s)
	spaces := false
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			if !spaces {
				end, spaces = i, true
			}
		case '\\':
			i++
			if i >= len(s) {
				return s
			}
			fallthrough
		default:
			spaces = false
		}
	}
	if spaces {
		return s[:end]
	}
	return s
}

func parseRule(p string) rule {
	var r rule
	if strings.HasPrefix(p, "!") {
		r.negated, p = true, p[1:]
	}
	if strings.HasSuffix(p, "/") {
		r.dirOnly, p = true, p[:len(p)-1]
	}
	r.anywhere = strings.IndexByte(p, '/') < 0
	r.suffix = len(p) > 0 && p[0] == '*' && !strings.ContainsAny(p[1:], `*?[\`)
	r.pattern = strings.TrimPrefix(p, "/")
	if r.literal = strings.IndexAny(r.pattern, `*?[\`); r.literal < 0 {
		r.literal = len(r.pattern)
	}
	return r
}

func (r *rules) add(x rule) {
	if x.pattern == "" {
		return // "/" and "!" match nothing
	}
	place := len(r.list)
	r.list = append(r.list, x)
	switch plain := x.literal == len(x.pattern); {
	case plain && x.anywhere:
		if r.names == nil {
			r.names = map[string][]int{}
		}
		r.names[x.pattern] = append(r.names[x.pattern], place)
	case plain:
		if r.paths == nil {
			r.paths = map[string][]int{}
		}
		r.paths[x.pattern] = append(r.paths[x.pattern], place)
	default:
		r.globs = append(r.globs, place)
	}
}
