package shim

import (
	"path/filepath"
	"slices"
	"strings"
)

// A doctest that panics names the file that it stands in and the line of the program that rustdoc made of it: the block
// with lines of rustdoc's own above it, or all blocks of the package in one file (edition 2024). Errors of the compiler
// have lines of the source, and so has a panic in the code under test.

const maxDocLines = 2000 // of one block

var (
	doctestName = lazily(`^(.+?) - (?:.+ )?\(line (\d+)\)`)
	ownMain     = lazily(`(?m)^\s*(?:pub )?(?:async )?fn main\s*\(`)
)

// placeDoctest gives a failure of the doctest of that name its place in the source. Where the line cannot be known it is
// that of the block, which the name says.
func (t suite) placeDoctest(f *failureEvent, name string) {
	m := doctestName().FindStringSubmatch(name)
	if m == nil || f.Type == "compile" {
		return
	}
	file, at := m[1], atoi(m[2])
	switch {
	case f.File == file:
		f.Line = t.doctestLine(file, at, *f)
	case f.File == "" || strings.HasPrefix(filepath.Base(f.File), "doctest_bundle_"):
		f.File, f.Line = file, at
	}
}

// doctestLine finds the line of a panic in the file of its doctest.
func (t suite) doctestLine(file string, at int, f failureEvent) int {
	lines := t.source(file)
	b := docBlockAt(lines, at)
	if b == nil || f.Line < 1 || strings.Contains(strings.Join(t.source(t.root), "\n"), "doc(test(") { // what stands above it is not known
		return at
	}
	code := f.column > 1 && f.Line <= len(lines) && begins(lines[f.Line-1], f.column)
	n := f.Line - b.above(t.crate)
	within := n >= 1 && n <= len(b.lines) && begins(b.lines[n-1], f.column)
	switch {
	case within && !code:
		return b.first + n - 1
	case code && !within && n > len(b.lines)+1: // else it may be what rustdoc wrote around the block
		return f.Line
	}
	return at
}

// source gives the lines of a file that rustc names, none where it cannot be read.
func (t suite) source(file string) []string {
	if file == "" {
		return nil
	}
	path := t.c.locate(file)
	if !filepath.IsAbs(path) {
		path = filepath.Join(t.c.Dir, path)
	}
	data, ok := readSmall(path)
	if !ok {
		return nil
	}
	return strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
}

// docBlock is the text of a doctest as rustdoc takes it out of the comment.
type docBlock struct {
	first int // its line in the source
	lines []string
}

// docBlockAt reads the block whose fence stands in that line, or in the next, which rustdoc miscounts in a comment /** */.
func docBlockAt(lines []string, at int) *docBlock {
	for _, i := range []int{at - 1, at} {
		if i < 0 || i >= len(lines) {
			continue
		}
		opening := docText(lines[i])
		fence := strings.TrimLeft(opening, " ")
		mark := fence[:len(fence)-len(strings.TrimLeft(fence, "`~"))]
		if len(mark) < 3 {
			continue
		}
		b := &docBlock{first: i + 2}
		indent := opening[:len(opening)-len(fence)]
		for _, line := range lines[i+1 : min(len(lines), i+1+maxDocLines)] {
			line = strings.TrimPrefix(docText(line), indent)
			if strings.HasPrefix(strings.TrimSpace(line), mark) {
				return b
			}
			if hidden, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "# "); ok {
				line = hidden
			}
			b.lines = append(b.lines, line)
		}
		return nil
	}
	return nil
}

// docText is a line of a comment without what makes it one.
func docText(line string) string {
	if s := strings.TrimLeft(line, " \t"); strings.HasPrefix(s, "///") || strings.HasPrefix(s, "//!") {
		return s[3:]
	}
	return line
}

func isDocLine(line string) bool {
	s := strings.TrimSpace(line)
	return s == "" || strings.HasPrefix(s, "//")
}

// begins reports whether something can begin in that column of a line.
func begins(line string, column int) bool {
	r := []rune(line)
	if column < 1 || column > len(r) || strings.ContainsRune(" \t", r[column-1]) || isDocLine(line) {
		return false
	}
	return column == 1 || strings.ContainsRune(" \t(){}[]<>;,.:=!&|*+-/%^?'\"#@", r[column-2])
}

// above counts the lines that rustdoc puts above a block: an attribute, the crate where the block names it, main where the
// block has none; a blank line divides the block's own attributes from the rest.
func (b *docBlock) above(crate string) int {
	text := strings.Join(b.lines, "\n")
	n := 1
	if crate != "" && strings.Contains(text, crate) && !strings.Contains(text, "extern crate "+crate) {
		n += 2
	}
	if slices.ContainsFunc(b.lines, func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "#![") }) {
		n++
	}
	if !ownMain().MatchString(text) {
		n++
	}
	return n
}
