package report

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Clean makes text of a runner safe to show on one line: an allow-list of printable runes, everything else (control,
// bidi, zero-width, invalid bytes) as a visible escape. Newlines become a visible mark.
func Clean(s string) string { return clean(s, false) }

// CleanLines is Clean for several lines: newlines and tabs stay, a progress line that was redrawn by carriage returns
// shows only what it last said.
func CleanLines(s string) string { return clean(s, true) }

func clean(s string, lines bool) string {
	if lines {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	var b strings.Builder
	b.Grow(len(s))
	start := 0 // of the current line in b
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n' && lines:
			b.WriteByte('\n')
			start = b.Len()
		case r == '\t' && lines:
			b.WriteByte('\t')
		case r == '\r' && lines:
			kept := b.String()[:start]
			b.Reset()
			b.WriteString(kept)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteByte(' ')
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += n
	}
	return defuse(b.String())
}

// defuse breaks "##[", which GitHub Actions reads as a command anywhere in a line. The other form, "::" at the start of
// a line, never occurs because every echoed line is prefixed.
func defuse(s string) string { return strings.ReplaceAll(s, "##[", "## [") }

// Short cuts s to at most n runes, with an ellipsis for what is missing.
func Short(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)
	return string(runes[:max(n-1, 0)]) + "…"
}

// colour is a sequence by which a program colours its console. It says nothing, and a log is full of them.
var colour = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[[0-9;]*m`) })

// End keeps the last n lines of a program's console, without its colours.
func End(s string, n, width int) []string {
	lines := strings.Split(strings.Trim(CleanLines(colour().ReplaceAllString(s, "")), "\n"), "\n")
	lines = lines[max(0, len(lines)-n):]
	for i, l := range lines {
		lines[i] = Short(strings.TrimRight(l, " \t"), width)
	}
	return lines
}

// Excerpt keeps at most n lines of a text: its head and, when something is left out, its end.
func Excerpt(s string, n, width int) []string {
	lines := strings.Split(strings.Trim(CleanLines(s), "\n"), "\n")
	if len(lines) > n {
		head := (n - 1) / 2
		left := len(lines) - (n - 1)
		cut := append([]string{}, lines[:head]...)
		cut = append(cut, fmt.Sprintf("… %d lines left out", left))
		lines = append(cut, lines[len(lines)-(n-1-head):]...)
	}
	for i, l := range lines {
		lines[i] = Short(strings.TrimRight(l, " \t"), width)
	}
	return lines
}
