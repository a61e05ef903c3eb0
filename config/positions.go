package config

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

// element starts the name under which an element of an array is kept. It is no UTF-8, so that no key can be the same.
const element = "\xff"

// positions knows where each key and each element of an array stands first.
type positions struct {
	text  string
	lines []int // offsets of their first bytes
	first map[string]int
}

func newPositions(text string) positions {
	p := positions{text: text, lines: []int{0}, first: map[string]int{}}
	for i := range len(text) {
		if text[i] == '\n' {
			p.lines = append(p.lines, i+1)
		}
	}
	return p
}

func (p positions) add(key string, off int) {
	if _, ok := p.first[key]; !ok {
		p.first[key] = off
	}
}

func (p positions) offset(key string) (off int, ok bool) {
	off, ok = p.first[key]
	return off, ok
}

// at is the line and column of a key, or of the nearest one around it; 0, 0 when the file names none of them.
func (p positions) at(path []string) (line, column int) {
	for n := len(path); n > 0; n-- {
		if off, ok := p.first[join(path[:n])]; ok {
			return p.place(off)
		}
	}
	return 0, 0
}

// place is the line, and the column in characters, of an offset; both from 1.
func (p positions) place(off int) (line, column int) {
	off = max(0, min(off, len(p.text)))
	line = sort.SearchInts(p.lines, off+1)
	return line, utf8.RuneCountInString(p.text[p.lines[line-1]:off]) + 1
}

// join makes one string of a path; different paths never give the same.
func join(path []string) string {
	var b strings.Builder
	for _, p := range path {
		b.WriteString(strconv.Itoa(len(p)))
		b.WriteByte(':')
		b.WriteString(p)
	}
	return b.String()
}
