package config

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// script looks for statuses that are lost: a known runner's anywhere, any other command's where the whole script can
// only end with 0 because of it.
func (m *masking) script() {
	m.statements(m.file.Stmts)
	if m.text == "" {
		m.end(m.file.Stmts)
	}
}

// statements goes through a list of commands, and all that is inside them.
func (m *masking) statements(list []*syntax.Stmt) {
	for i, s := range list {
		m.statement(s)
		if i < len(list)-1 && m.errexit && !m.status && !m.onError && m.exempt(s) {
			m.found(m.says(s)+": set -e does not look at what stands before &&", "put it on a line of its own")
		}
		if i == len(list)-1 || m.errexit || m.status || m.onError || !m.runs(s) || s.Background {
			continue
		}
		if next := words(list[i+1]); len(next) == 1 && (next[0] == "exit" || next[0] == "return") {
			continue // they end with the status of what was before
		}
		m.found(m.says(s)+": what follows it decides the exit code", "start the script with set -e, or put it last")
	}
}

func (m *masking) statement(s *syntax.Stmt) {
	if s.Background && m.runs(s) && !m.waits {
		m.found(m.says(s)+": it runs in the background", "remove the &, or wait for its pid and use that status")
	}
	if s.Negated && !m.status && m.runs(s) {
		m.found(m.says(s)+": ! turns it around", "remove the !")
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		m.call(literals(c.Args))
	case *syntax.BinaryCmd:
		m.binary(c)
	case *syntax.Block:
		m.statements(c.Stmts)
	case *syntax.Subshell:
		m.statements(c.Stmts)
	case *syntax.IfClause:
		m.condition(c)
	case *syntax.WhileClause:
		m.statements(c.Do)
	case *syntax.ForClause:
		m.statements(c.Do)
	case *syntax.CaseClause:
		for _, item := range c.Items {
			m.statements(item.Stmts)
		}
	case *syntax.FuncDecl:
		m.statement(c.Body)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			m.statement(c.Stmt)
		}
	}
}

// exempt reports whether s is RUNNER && echo …, whose failure set -e lets pass.
func (m *masking) exempt(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.BinaryCmd)
	return ok && c.Op == syntax.AndStmt && m.runs(c.X) && m.harmless(c.Y)
}

// call looks at traps that end the script cleanly, and into scripts inside the script.
func (m *masking) call(words []string) {
	if len(words) > 2 && words[0] == "trap" {
		for _, signal := range words[2:] {
			if slices.Contains([]string{"EXIT", "0", "ERR"}, strings.TrimPrefix(signal, "SIG")) && endsClean(words[1]) {
				m.found("everything: its trap on "+signal+" ends it with 0", "remove exit 0 from the trap")
			}
		}
	}
	sh, ok := shellOf(words, m.depth+1)
	if !ok || strings.Contains(sh.script, "\x00") {
		return
	}
	inner := &masking{shell: sh}
	if inner.read() {
		if inner.script(); inner.text != "" {
			m.found(inner.text, inner.hint)
		}
	}
}

func (m *masking) binary(c *syntax.BinaryCmd) {
	if !c.X.Negated || c.Op != syntax.AndStmt { // ! RUNNER && exit 1 is sound
		m.statement(c.X)
	}
	m.statement(c.Y)
	switch c.Op {
	case syntax.OrStmt:
		if m.runs(c.X) && m.harmless(c.Y) {
			m.found(m.says(c.X)+": || "+brief(c.Y)+" ends with 0 when it fails", "remove what follows ||")
		}
	case syntax.Pipe, syntax.PipeAll:
		if m.runs(c.X) && !m.pipefail && !m.status {
			m.found(m.says(c.X)+": a pipe has the status of its last command",
				"start the script with set -o pipefail, which sh may not have: use bash")
		}
	}
}

// condition looks at if RUNNER; then … and if ! RUNNER; then …
func (m *masking) condition(c *syntax.IfClause) {
	for part := c; part != nil; part = part.Else {
		m.statements(part.Then)
		if len(part.Cond) == 0 {
			continue
		}
		last := part.Cond[len(part.Cond)-1]
		if !m.runs(last) || m.status {
			continue
		}
		lost := false
		switch {
		case last.Negated:
			lost = m.allHarmless(part.Then)
		case part.Else == nil:
			lost = true
		case len(part.Else.Cond) == 0: // else
			lost = m.allHarmless(part.Else.Then)
		}
		if lost {
			m.found(m.says(last)+": the if ends with 0 when it fails", "write exit 1 where it failed")
		}
	}
}

// end looks at how the whole script ends, whatever its commands are.
func (m *masking) end(list []*syntax.Stmt) {
	for len(list) == 1 {
		inside := body(list[0])
		if inside == nil || list[0].Background || list[0].Negated {
			break
		}
		list = inside
	}
	if len(list) == 0 || m.leaves || m.onError {
		return
	}
	before, last := list[:len(list)-1], list[len(list)-1]
	if m.errexit && !slices.ContainsFunc(before, func(s *syntax.Stmt) bool { return !prepares(s) }) {
		before = nil
	} else if m.errexit {
		return // what came before may have failed the script
	}
	if last.Background {
		m.found("its last command: it runs in the background", "remove the &")
		return
	}
	if w := words(last); constant(w) && slices.ContainsFunc(before, func(s *syntax.Stmt) bool { return !prepares(s) && !m.harmless(s) }) && !m.status {
		m.found("what it runs: it always ends with "+strings.Join(w, " "), "remove that")
		return
	}
	c, ok := last.Cmd.(*syntax.BinaryCmd)
	if !ok || last.Negated {
		return
	}
	switch {
	case c.Op == syntax.OrStmt && m.harmless(c.Y):
		m.found("its last command: || "+brief(c.Y)+" ends with 0 when it fails", "remove what follows ||")
	case (c.Op == syntax.Pipe || c.Op == syntax.PipeAll) && !m.pipefail && !m.status && copies(words(c.Y)) && !m.harmless(c.X):
		m.found("its last command: a pipe has the status of "+words(c.Y)[0], "start the script with set -o pipefail, which sh may not have: use bash")
	}
}

// runs reports whether the status of s is that of a known runner.
func (m *masking) runs(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		w := literals(c.Args)
		return isRunner(w) || len(w) > 0 && m.functions[w[0]]
	case *syntax.BinaryCmd:
		switch c.Op {
		case syntax.AndStmt:
			return m.runs(c.Y) || m.runs(c.X) && m.harmless(c.Y)
		case syntax.Pipe, syntax.PipeAll:
			return m.runs(c.Y) || m.pipefail && m.runs(c.X)
		}
	case *syntax.Block, *syntax.Subshell:
		b := body(s)
		return len(b) > 0 && m.runs(b[len(b)-1])
	case *syntax.TimeClause:
		return c.Stmt != nil && m.runs(c.Stmt)
	}
	return false
}

// says quotes the runner in s.
func (m *masking) says(s *syntax.Stmt) string {
	what := ""
	syntax.Walk(s, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.CallExpr); ok && what == "" {
			if w := literals(c.Args); isRunner(w) || len(w) > 0 && m.functions[w[0]] {
				what = shown(w)
			}
		}
		return what == ""
	})
	return what
}

// harmless reports whether s certainly ends with 0 and does nothing by which a later command could learn of it.
func (m *masking) harmless(s *syntax.Stmt) bool {
	if s.Negated || s.Background {
		return false
	}
	for _, r := range s.Redirs {
		if w := r.Word; r.Hdoc == nil && (w == nil || !slices.Contains([]string{"/dev/null", "/dev/stderr", "1", "2"}, literal(w.Parts))) {
			return false
		}
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		w := literals(c.Args)
		if len(c.Assigns) > 0 || len(w) == 0 {
			return false
		}
		if _, own := m.functions[w[0]]; own {
			return false
		}
		return constant(w) || w[0] == "echo" || w[0] == "printf" || copies(w)
	case *syntax.Block:
		return m.allHarmless(c.Stmts)
	case *syntax.Subshell:
		return m.allHarmless(c.Stmts)
	}
	return false
}

func (m *masking) allHarmless(list []*syntax.Stmt) bool {
	return !slices.ContainsFunc(list, func(s *syntax.Stmt) bool { return !m.harmless(s) })
}

// constant reports whether the command does nothing but end with 0.
func constant(w []string) bool {
	switch {
	case len(w) == 0:
		return false
	case w[0] == "true" || w[0] == "/bin/true" || w[0] == ":":
		return true
	}
	return len(w) == 2 && (w[0] == "exit" || w[0] == "return") && w[1] == "0"
}

// copies reports whether the command shows what it reads and ends with 0.
func copies(w []string) bool {
	return len(w) > 0 && slices.Contains([]string{"tee", "cat", "tail", "head", "ts"}, program(w[0]))
}

// prepares reports whether s only sets something up, so that its status is not what the script is for.
func prepares(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.DeclClause:
		return true
	case *syntax.CallExpr:
		w := literals(c.Args)
		return len(w) == 0 || slices.Contains([]string{"set", "setopt", "shopt", "cd", "pushd", "popd", "export", "unset", "umask", "ulimit",
			"trap", "alias", "echo", "printf", "mkdir", "touch", "rm", "cp", "mv", "ln", "chmod", "sleep", "cat", "wait", "date", "ls",
			"read", "test", "["}, w[0])
	}
	return false
}

// endsClean reports whether a trap's script ends with exit 0.
func endsClean(script string) bool {
	file, err := syntax.NewParser().Parse(strings.NewReader(script), "")
	if err != nil || len(file.Stmts) == 0 {
		return false
	}
	w := words(file.Stmts[len(file.Stmts)-1])
	return len(w) == 2 && w[0] == "exit" && w[1] == "0"
}

// words are those of a plain command, nil for anything else.
func words(s *syntax.Stmt) []string {
	if c, ok := s.Cmd.(*syntax.CallExpr); ok {
		return literals(c.Args)
	}
	return nil
}

// body is what stands in a block or subshell, nil for anything else.
func body(s *syntax.Stmt) []*syntax.Stmt {
	if s != nil {
		switch c := s.Cmd.(type) {
		case *syntax.Block:
			return c.Stmts
		case *syntax.Subshell:
			return c.Stmts
		}
	}
	return nil
}

// brief is a short command as a message quotes it.
func brief(s *syntax.Stmt) string {
	if w := words(s); len(w) > 0 {
		return short(strings.ReplaceAll(strings.Join(w, " "), "\x00", "…"))
	}
	return "what follows"
}
