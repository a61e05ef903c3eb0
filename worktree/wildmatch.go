package worktree

import "strings"

// What one try to match can say. The two that abort tell a star further left that trying on is of no use.
type wildResult int

const (
	wildNo wildResult = iota
	wildYes
	wildAbortAll
	wildAbortToStarStar
)

// wildmatch says whether text matches pattern by the rules of git's wildmatch. With pathname set, "*", "?" and brackets
// do not match a slash, and "**" does where it stands between slashes. Malformed patterns match nothing, as in git.
func wildmatch(pattern, text string, pathname bool) bool {
	return dowild(pattern, text, pathname) == wildYes
}

func dowild(p, s string, pathname bool) wildResult {
	si := 0
	for pi := 0; pi < len(p); pi, si = pi+1, si+1 {
		c := p[pi]
		if si >= len(s) && c != '*' {
			return wildAbortAll
		}
		switch c {
		case '\\':
			pi++
			if pi >= len(p) || s[si] != p[pi] {
				return wildNo
			}
		case '?':
			if pathname && s[si] == '/' {
				return wildNo
			}
		case '*':
			next, result, done := star(p, pi, s, si, pathname)
			if done {
				return result
			}
			// A single star before a slash took the rest of the folder's name.
			pi, si = next.pattern, next.text
		case '[':
			end, ok, result := bracket(p, pi, s[si])
			if result != wildYes {
				return result
			}
			if !ok || pathname && s[si] == '/' {
				return wildNo
			}
			pi = end
		default:
			if s[si] != c {
				return wildNo
			}
		}
	}
	if si < len(s) {
		return wildNo
	}
	return wildYes
}

type wildPlace struct{ pattern, text int }

// star matches the star or stars at p[pi] against s[si:]. When done is false, the caller goes on behind the returned place.
func star(p string, pi int, s string, si int, pathname bool) (next wildPlace, result wildResult, done bool) {
	before := pi - 1
	slashes := !pathname // may it match a slash
	pi++
	if pi < len(p) && p[pi] == '*' {
		for pi < len(p) && p[pi] == '*' {
			pi++
		}
		rest := p[pi:]
		if pathname && (before < 0 || p[before] == '/') &&
			(rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`)) {
			// "**/" also matches nothing at all: foo/**/bar matches foo/bar.
			if rest != "" && rest[0] == '/' && dowild(rest[1:], s[si:], pathname) == wildYes {
				return next, wildYes, true
			}
			slashes = true
		}
	}
	if pi == len(p) {
		if !slashes && strings.IndexByte(s[si:], '/') >= 0 {
			return next, wildNo, true
		}
		return next, wildYes, true
	}
	if !slashes && p[pi] == '/' {
		i := strings.IndexByte(s[si:], '/')
		if i < 0 {
			return next, wildNo, true
		}
		return wildPlace{pi, si + i}, 0, false
	}
	return next, starRest(p[pi:], s[si:], slashes, pathname), true
}

// starRest tries the rest of the pattern at every place that the star may reach.
func starRest(p, s string, slashes, pathname bool) wildResult {
	literal := strings.IndexByte(`*?[\`, p[0]) < 0
	for i := 0; i < len(s); i++ {
		if literal {
			for i < len(s) && s[i] != p[0] && (slashes || s[i] != '/') {
				i++
			}
			if i == len(s) || s[i] != p[0] {
				return wildNo
			}
		}
		if r := dowild(p, s[i:], pathname); r != wildNo {
			if !slashes || r != wildAbortToStarStar {
				return r
			}
		} else if !slashes && s[i] == '/' {
			return wildAbortToStarStar
		}
	}
	return wildAbortAll
}

// bracket matches one byte against the bracket expression that opens at p[pi], and returns the place of its end.
func bracket(p string, pi int, t byte) (end int, matches bool, result wildResult) {
	at := func(i int) byte { // 0 behind the end: a pattern holds no NUL
		if i < len(p) {
			return p[i]
		}
		return 0
	}
	pi++
	negated := at(pi) == '!' || at(pi) == '^'
	if negated {
		pi++
	}
	var before byte // what a range may begin with
	for first := true; first || at(pi) != ']'; first = false {
		c := at(pi)
		switch {
		case c == 0:
			return 0, false, wildAbortAll
		case c == '\\':
			pi++
			if c = at(pi); c == 0 {
				return 0, false, wildAbortAll
			}
			matches = matches || t == c
		case c == '-' && before != 0 && at(pi+1) != 0 && at(pi+1) != ']':
			pi++
			if c = at(pi); c == '\\' {
				pi++
				if c = at(pi); c == 0 {
					return 0, false, wildAbortAll
				}
			}
			matches = matches || before <= t && t <= c
			c = 0
		case c == '[' && at(pi+1) == ':':
			stop := strings.IndexByte(p[pi+2:], ']')
			if stop < 0 {
				return 0, false, wildAbortAll
			}
			name := p[pi+2 : pi+2+stop]
			if !strings.HasSuffix(name, ":") { // not a class: an ordinary bracket in the set
				matches = matches || t == '['
				break
			}
			in, known := inClass(strings.TrimSuffix(name, ":"), t)
			if !known {
				return 0, false, wildAbortAll
			}
			matches = matches || in
			pi += 2 + stop
			c = 0
		default:
			matches = matches || t == c
		}
		before = c
		pi++
	}
	return pi, matches != negated, wildYes
}

// inClass knows the POSIX classes, ASCII only. Space is what git calls space.
func inClass(class string, c byte) (in, known bool) {
	upper, lower, digit := 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', '0' <= c && c <= '9'
	space := c == ' ' || c == '\t' || c == '\n' || c == '\r'
	graph := '!' <= c && c <= '~'
	switch class {
	case "alnum":
		return upper || lower || digit, true
	case "alpha":
		return upper || lower, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < ' ' || c == 0x7f, true
	case "digit":
		return digit, true
	case "graph":
		return graph, true
	case "lower":
		return lower, true
	case "print":
		return graph || c == ' ', true
	case "punct":
		return graph && !upper && !lower && !digit, true
	case "space":
		return space, true
	case "upper":
		return upper, true
	case "xdigit":
		return digit || 'A' <= c && c <= 'F' || 'a' <= c && c <= 'f', true
	}
	return false, false
}
