package parsers

import (
	"slices"
	"strings"

	"factgate/facts"
)

// withoutJest drops the frames of jest itself from a stack, as jest does on its console, and those of other packages
// where a frame of the user's is left.
func (f *finders) withoutJest(text string) string {
	if !strings.Contains(text, "\n    at ") && !strings.Contains(text, "\n      at ") {
		return text
	}
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		if !f.ofJest(line) {
			kept = append(kept, line)
		}
	}
	frame := func(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "at ") }
	foreign := func(line string) bool { return frame(line) && strings.Contains(slashes(line), "/node_modules/") }
	if slices.ContainsFunc(kept, func(line string) bool {
		return frame(line) && !foreign(line) && !strings.HasSuffix(line, "(<anonymous>)")
	}) {
		kept = slices.DeleteFunc(kept, foreign)
	}
	return strings.Join(kept, "\n")
}

// ofJest reports whether a line is a frame of jest itself. The expression is slow, and most lines hold none of its words.
func (f *finders) ofJest(line string) bool {
	named := strings.Contains(line, "node_modules") || strings.Contains(line, "node:internal/") || strings.HasSuffix(line, "new Promise (<anonymous>)")
	return named && f.jestFrame.MatchString(line)
}

// lost reports whether a file failed because the process that ran it died. The first is jest 29's and 30's.
func lost(text string) bool {
	for _, begins := range []string{"A jest worker process (", "Jest worker encountered ", "Call retries were exceeded"} {
		if strings.HasPrefix(text, begins) {
			return true
		}
	}
	return false
}

// load reads the message of a test file that failed beside its tests: what happened, and where. file is the test file.
func (j *jestDoc) load(file, text string) facts.Outside {
	for { // "● Test suite failed to run" and the like say what is known
		line, rest, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
		if !strings.HasPrefix(strings.TrimSpace(line), "●") {
			break
		}
		text = rest
	}
	text = j.find.withoutJest(strings.Trim(text, "\r\n"))
	text = strings.ReplaceAll(strings.TrimPrefix(text, "    "), "\n    ", "\n") // jest indents it under its heading
	o := facts.Outside{Kind: facts.OutsideTests, Where: file, Text: text, Message: firstLine(text, j.lim.message)}
	if lost(o.Message) {
		o.Kind = facts.Crash
		return o
	}
	if p := j.find.find(text); p.file != "" {
		o.File, o.Line = p.file, p.line
	}
	if _, details, ok := strings.Cut(text, "Details:\n"); ok && strings.HasPrefix(o.Message, "Jest encountered an unexpected token") {
		j.syntax(&o, strings.Trim(details, "\r\n"))
	}
	if o.File != "" && strings.HasSuffix(slashes(file), "/"+slashes(o.File)) {
		o.File = file // jest writes it relative to its rootDir, which need not be where it runs
	}
	if o.Message == "" {
		o.Message = "the test file failed"
	}
	return o
}

// syntax replaces jest's advice on a file that it could not parse by what the parser said.
func (j *jestDoc) syntax(o *facts.Outside, details string) {
	o.Text = details
	if m := j.find.babelSyntax.FindStringSubmatch(details); m != nil {
		o.Message = m[1] + ": " + m[3]
		p := at([]string{"", m[2], m[4]})
		o.File, o.Line = p.file, p.line
		return
	}
	if m := j.find.nodeSyntax.FindStringSubmatch(details); m != nil {
		p := at(m)
		o.File, o.Line = p.file, p.line
	}
	for line := range strings.SplitSeq(details, "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "SyntaxError") {
			o.Message = firstLine(line, j.lim.message)
			return
		}
	}
}

func slashes(path string) string { return strings.ReplaceAll(path, `\`, "/") }
