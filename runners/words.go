package runners

import (
	"strings"
)

// word is one word of a variable's value: as it stands there, and as the program that reads it sees it.
type word struct{ raw, text string }

// split cuts a value into words by the rules of whoever reads that variable: node and go have rules of their own,
// the others read it as a shell would (Python's shlex).
func split(name, value string) []word {
	switch name {
	case "NODE_OPTIONS":
		return splitBy(value, nodeRules)
	case "GOFLAGS":
		return splitGo(value)
	}
	return splitBy(value, shellRules)
}

// rules say what one byte of a value does. quote is the open quote or 0.
type rules struct {
	space, quotes string
	outside       bool   // a backslash escapes outside quotes too
	inside        string // what a backslash escapes within double quotes; empty: anything
}

var (
	nodeRules  = rules{space: " ", quotes: `"`}
	shellRules = rules{space: " \t\r\n", quotes: `'"`, outside: true, inside: `"\`}
)

func splitBy(value string, r rules) []word {
	var words []word
	var text strings.Builder
	start, quote := -1, byte(0)
	flush := func(end int) {
		if start >= 0 {
			words = append(words, word{raw: value[start:end], text: text.String()})
		}
		start = -1
		text.Reset()
	}
	for i := 0; i < len(value); i++ {
		c := value[i]
		if quote == 0 && strings.IndexByte(r.space, c) >= 0 {
			flush(i)
			continue
		}
		if start < 0 {
			start = i
		}
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && strings.IndexByte(r.quotes, c) >= 0:
			quote = c
		case c == '\\' && i+1 < len(value) && r.escapes(quote, value[i+1]):
			i++
			text.WriteByte(value[i])
		default:
			text.WriteByte(c)
		}
	}
	flush(len(value))
	return words
}

func (r rules) escapes(quote, next byte) bool {
	switch quote {
	case 0:
		return r.outside
	case '"':
		return r.inside == "" || strings.IndexByte(r.inside, next) >= 0
	}
	return false
}

// splitGo follows cmd/go's internal/quoted: a quote counts only at the beginning of a word, and nothing escapes.
func splitGo(value string) []word {
	var words []word
	for {
		value = strings.TrimLeft(value, " \t\r\n")
		if value == "" {
			return words
		}
		if q := value[0]; q == '\'' || q == '"' {
			if end := strings.IndexByte(value[1:], q); end >= 0 {
				words = append(words, word{raw: value[:end+2], text: value[1 : end+1]})
				value = value[end+2:]
				continue
			}
		}
		end := strings.IndexAny(value, " \t\r\n")
		if end < 0 {
			end = len(value)
		}
		words = append(words, word{raw: value[:end], text: value[:end]})
		value = value[end:]
	}
}

// quoted writes one word so that split gives it back.
func quoted(name, text string) string {
	if text != "" && !strings.ContainsAny(text, " \t\r\n'\"") && (name == "NODE_OPTIONS" || name == "GOFLAGS" || !strings.Contains(text, `\`)) {
		return text
	}
	switch name {
	case "NODE_OPTIONS":
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	case "GOFLAGS":
		if strings.Contains(text, `'`) {
			return `"` + text + `"`
		}
		return `'` + text + `'`
	}
	return `'` + strings.ReplaceAll(text, `'`, `'"'"'`) + `'`
}

// take removes from words what s names. It returns what stays, and the flags that went, in order.
func (s Scrub) take(words []word) (kept []word, gone []string) {
	for i := 0; i < len(words); i++ {
		flag, rest, with := s.match(words, i)
		if flag == "" {
			kept = append(kept, words[i])
			continue
		}
		gone = append(gone, flag)
		if rest != "" {
			kept = append(kept, word{raw: rest, text: rest})
		}
		if with {
			i++
		}
	}
	return kept, gone
}

// match says which flag of s the word at i is ("" for none), what of that word stays, and whether the next word is
// the flag's value.
func (s Scrub) match(words []word, i int) (flag, rest string, with bool) {
	w := words[i].text
	next, follows := "", false
	if i+1 < len(words) && !strings.HasPrefix(words[i+1].text, "-") {
		next, follows = words[i+1].text, true
	}
	for _, f := range s.Flags {
		alone := strings.HasSuffix(f, "!")
		f = strings.TrimSuffix(f, "!")
		f, value, conditional := strings.Cut(f, " ")
		switch {
		case strings.Contains(f, "*"):
			if like(f, w) {
				return w, "", false
			}
		case w == f || isLongDash(f) && w == "-"+f:
			if conditional && !strings.HasPrefix(next, value) {
				continue
			}
			return f + pad(value), "", follows && !alone
		case alone:
		case len(f) == 2 && f[1] != '-':
			if head, tail, ok := s.cluster(w, f[1]); ok {
				tail = strings.TrimPrefix(tail, "=")
				if conditional && !strings.HasPrefix(tail, value) && (tail != "" || !strings.HasPrefix(next, value)) {
					continue
				}
				return f + pad(value), head, tail == "" && follows
			}
		case strings.HasPrefix(w, f+"=") || isLongDash(f) && strings.HasPrefix(w, "-"+f+"="):
			if _, got, _ := strings.Cut(w, "="); !conditional || strings.HasPrefix(got, value) {
				return f + pad(value), "", false
			}
		}
	}
	return "", "", false
}

// cluster finds a short flag in a word of short flags (-qkNAME): head is what stays of the word, tail the joined value.
func (s Scrub) cluster(w string, letter byte) (head, tail string, ok bool) {
	if len(w) < 2 || w[0] != '-' || w[1] == '-' {
		return "", "", false
	}
	for i := 1; i < len(w); i++ {
		if w[i] == letter {
			if i > 1 {
				head = w[:i]
			}
			return head, w[i+1:], true
		}
		if strings.IndexByte(s.Bare, w[i]) < 0 {
			return "", "", false
		}
	}
	return "", "", false
}

// isLongDash reports whether a flag is a long one with a single dash, which go takes with two as well.
func isLongDash(f string) bool { return len(f) > 2 && f[0] == '-' && f[1] != '-' }

func pad(value string) string {
	if value == "" {
		return ""
	}
	return " " + value
}

// like matches a word against a pattern in which * stands for any text.
func like(pattern, w string) bool {
	parts := strings.Split(pattern, "*")
	if !strings.HasPrefix(w, parts[0]) {
		return false
	}
	w = w[len(parts[0]):]
	last := len(parts) - 1
	for _, p := range parts[1:last] {
		i := strings.Index(w, p)
		if i < 0 {
			return false
		}
		w = w[i+len(p):]
	}
	return strings.HasSuffix(w, parts[last])
}
