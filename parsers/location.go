package parsers

import (
	"regexp"
	"strconv"
	"strings"

	"factgate/facts"
)

// place is where a failure happened; line is 1-based, 0 when unknown.
type place struct {
	file string
	line int
}

// finders know how tools write a place into the text of a failure. They are few and cheap, and run on failures only.
type finders struct {
	python, rust, js, golang *regexp.Regexp
}

func newFinders() finders {
	return finders{
		python: regexp.MustCompile(`(?m)^([^\s:"'<>][^:\n"'<>]*\.py):(\d+): \S`),
		rust:   regexp.MustCompile(`panicked at (?:'[^'\n]*', )?([^\s:']+\.rs):(\d+):\d+`),
		js:     regexp.MustCompile(`(?m)^\s*at (?:.*\()?(?:file://)?((?:[A-Za-z]:)?[^\s():]+\.[cm]?[jt]sx?):(\d+):\d+\)?$`),
		golang: regexp.MustCompile(`(?m)^\s*([^\s:]+\.go):(\d+)(?::\d+)?: `),
	}
}

// find gives the place that a failure text shows: the innermost frame of the code under test that tools print.
func (f finders) find(text string) place {
	if strings.Contains(text, ".py:") {
		if all := f.python.FindAllStringSubmatch(text, -1); len(all) > 0 {
			return at(all[len(all)-1]) // pytest prints the raising frame last
		}
	}
	if strings.Contains(text, "panicked at") {
		if m := f.rust.FindStringSubmatch(text); m != nil {
			return at(m)
		}
	}
	if strings.Contains(text, "at ") {
		for _, m := range f.js.FindAllStringSubmatch(text, 50) {
			if !strings.Contains(m[1], "node_modules/") && !strings.HasPrefix(m[1], "node:") {
				return at(m)
			}
		}
	}
	if strings.Contains(text, ".go:") {
		if m := f.golang.FindStringSubmatch(text); m != nil {
			return at(m)
		}
	}
	return place{}
}

func at(m []string) place {
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return place{}
	}
	return place{m[1], n}
}

// locate fills in where a failure happened, when its message or text shows it and nothing else said so.
func (f finders) locate(x *facts.Failure) {
	if x.File != "" {
		return
	}
	p := f.find(x.Text)
	if p.file == "" {
		p = f.find(x.Message)
	}
	x.File, x.Line = p.file, p.line
}
