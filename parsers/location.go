package parsers

import (
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"factgate/facts"
)

// place is where a failure happened; line is 1-based, 0 when unknown.
type place struct {
	file string
	line int
}

// patterns are the expressions that all parsers share, compiled once and only when a results file is read.
var patterns = sync.OnceValue(func() *finders {
	return &finders{
		rust:   regexp.MustCompile(`(?:panicked|as expected) at (?:'[^'\n]*', )?([^\s:']+\.rs):(\d+):\d+`),
		js:     regexp.MustCompile(`(?m)^\s*at (?:[^\n]*? \(([^\n]+?):(\d+):\d+\)|(?:async )?([^\n]+?):(\d+):\d+)$`),
		dotnet: regexp.MustCompile(`(?m)\bin (\S[^\n<>]*?\.(?:cs|fs|vb)):(?:line )?(\d+)\s*$`),
		golang: regexp.MustCompile(`(?m)^\s*([^\s:]+\.go):(\d+)(?::\d+)?: ?(.*)$`),

		jestFrame:   regexp.MustCompile(`^\s+at .*(?:[/\\]node_modules[/\\](?:jest[^/\\]*|@jest|expect)[/\\].*|\(?node:internal/.*|new Promise \(<anonymous>\))$`),
		nodeSyntax:  regexp.MustCompile(`(?m)^\s*(\S.*\.[cm]?[jt]sx?):(\d+)$`),
		babelSyntax: regexp.MustCompile(`(?m)^\s*(SyntaxError): (\S.*\.[cm]?[jt]sx?): (.+) \((\d+):\d+\)$`),
		panicked:    regexp.MustCompile(`(?m)panicked at [^\n]*:\d+:\d+:\n(.+)$`),
		frame:       regexp.MustCompile(`(?m)^\t(\S+_test\.go):(\d+)`),
		compiler:    regexp.MustCompile(`(?m)^(\S[^:\n]*\.\w+):(\d+)(?::\d+)?: (.*)$`),
		total:       regexp.MustCompile(`^\s*(tests|pass|fail|cancelled|skipped|todo) (\d+)\s*$`),
		dart:        regexp.MustCompile(`(?m)^([^\s:]+\.dart) (\d+):\d+ `),
		declaration: regexp.MustCompile(`<\?[xX][mM][lL]\s[^>]*?encoding\s*=\s*["']\s*([A-Za-z0-9._:+-]+)\s*["']`),
	}
})

// finders know how tools write a place into the text of a failure, and some words beside it.
type finders struct {
	rust, js, dotnet, golang *regexp.Regexp

	jestFrame   *regexp.Regexp // a frame of jest itself, or of what it is made of
	nodeSyntax  *regexp.Regexp // the line in which node names the file that it could not parse
	babelSyntax *regexp.Regexp // babel's message on such a file
	panicked    *regexp.Regexp // what a Rust panic says
	frame       *regexp.Regexp // the first frame of a Go stack trace that lies in a test file
	compiler    *regexp.Regexp // a compiler's message
	total       *regexp.Regexp // a comment in which node states a total
	dart        *regexp.Regexp // a frame of the program's own in a stack of Dart
	declaration *regexp.Regexp // the charset that an XML declaration names
}

// find gives the place that a failure text shows: the innermost frame of the code under test that tools print.
func (f *finders) find(text string) place {
	for rest := text; ; { // pytest prints the raising frame last
		i := strings.LastIndex(rest, ".py:")
		if i < 0 {
			break
		}
		from, to := lineAround(text, i)
		if p := pythonPlace(text[from:to]); p.file != "" {
			return p
		}
		rest = text[:from]
	}
	if strings.Contains(text, ".rs:") {
		if m := f.rust.FindStringSubmatch(text); m != nil {
			return at(m)
		}
	}
	frames := 0
	for line := range strings.SplitSeq(text, "\n") {
		if !jsFrame(line) {
			continue
		}
		if frames++; frames > 50 {
			break
		}
		if m := f.js.FindStringSubmatch(line); m != nil {
			if p := jsPlace(m); p.file != "" {
				return p
			}
		}
	}
	if strings.Contains(text, " in ") {
		if m := f.dotnet.FindStringSubmatch(text); m != nil {
			return at(m) // the first frame with a file: libraries are built without
		}
	}
	if strings.Contains(text, ".go:") {
		p, _ := f.goSays(text)
		return p
	}
	return named(text)
}

// lineAround gives the ends of the line of text that holds byte i.
func lineAround(text string, i int) (from, to int) {
	from = strings.LastIndexByte(text[:i], '\n') + 1
	if to = strings.IndexByte(text[i:], '\n'); to < 0 {
		return from, len(text)
	}
	return from, i + to
}

// jsFrame reports whether a line could be a frame of a JavaScript stack: "at … :12:3" or "at … (… :12:3)". Most lines
// are none, and the expression for the rest of it is slow.
func jsFrame(line string) bool {
	i := len(line) - 1
	if i >= 0 && line[i] == ')' {
		i--
	}
	for range 2 { // the column and the line
		end := i
		for i >= 0 && line[i] >= '0' && line[i] <= '9' {
			i--
		}
		if i == end || i < 0 || line[i] != ':' {
			return false
		}
		i--
	}
	return strings.HasPrefix(strings.TrimLeft(line, " \t\r\f\v"), "at ")
}

// pythonPlace reads the line in which pytest says where a failure was raised: "tests/test_a.py:12: AssertionError".
func pythonPlace(line string) place {
	file, rest, ok := strings.Cut(line, ":")
	number, what, ok2 := strings.Cut(rest, ": ")
	if !ok || !ok2 || len(file) < len("a.py") || !strings.HasSuffix(file, ".py") || strings.ContainsAny(file, `"'<>`) ||
		strings.TrimLeft(file, " \t\r\f\v") != file || what == "" || strings.TrimLeft(what[:1], " \t\r\f\v") == "" {
		return place{}
	}
	for i := range len(number) {
		if number[i] < '0' || number[i] > '9' {
			return place{}
		}
	}
	return at([]string{"", file, number})
}

// jsPlace reads one frame of a JavaScript stack: its path may hold spaces, and is a URL in a module. A frame of a
// dependency or of node itself is no place.
func jsPlace(m []string) place {
	file, line := m[1]+m[3], m[2]+m[4]
	if rest, ok := strings.CutPrefix(file, "file://"); ok {
		file = rest
		if plain, err := url.PathUnescape(rest); err == nil {
			file = plain
		}
	}
	if strings.Contains(slashes(file), "node_modules/") || strings.HasPrefix(file, "node:") {
		return place{}
	}
	if script(path.Ext(file)) {
		return at([]string{"", file, line})
	}
	return place{}
}

// script reports whether a file of that ending is JavaScript or TypeScript.
func script(ext string) bool {
	switch ext {
	case ".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx":
		return true
	}
	return false
}

// goSays gives the last line that a Go test logged, and where: t.Log and t.Error print alike, and what ends a test is
// the last.
func (f *finders) goSays(text string) (p place, message string) {
	for _, m := range f.golang.FindAllStringSubmatch(text, -1) {
		if m[1] != "testing.go" { // the framework's own remark on a race or a timeout
			p, message = at(m), m[3]
		}
	}
	return p, message
}

// panicLine gives the line in which Go's runtime says why it stopped.
func panicLine(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, "panic: ") {
			return line
		}
	}
	return ""
}

// says gives the words of a failure whose writer puts only a text beside it, "" when none stand out.
func (f *finders) says(text string) string {
	if m := f.panicked.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	if m := panicLine(text); m != "" {
		return m
	}
	_, m := f.goSays(text)
	return m
}

func at(m []string) place {
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return place{}
	}
	return place{m[1], n}
}

// locate fills in where a failure happened, when its message or text shows it and nothing else said so.
func (f *finders) locate(x *facts.Failure) {
	if x.File != "" {
		return
	}
	p := f.find(x.Text)
	if p.file == "" {
		p = f.find(x.Message)
	}
	x.File, x.Line = p.file, p.line
}
