package config

import (
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// masks says why argv is a shell script whose exit code hides the status that counts, or that runs nothing, and what to
// write instead. It
// returns "" where that is not certain: a check that is refused wrongly is worse than one whose results the runner's own
// probe has to save. Scripts are parsed, never searched.
func masks(argv []string) (text, hint string) {
	sh, ok := shellOf(argv, 0)
	if !ok {
		return "", ""
	}
	m := &masking{shell: sh}
	if !m.read() {
		return "", "" // the shell will say what is wrong, and that is not clean
	}
	if len(m.file.Stmts) == 0 {
		return "this script is empty: it runs nothing and ends with exit 0", "write what is to be run"
	}
	if m.script(); m.text == "" {
		return "", ""
	}
	return "this script hides the status of " + m.text, m.hint
}

// shell is a call of a shell with -c.
type shell struct {
	variant  syntax.LangVariant
	script   string
	errexit  bool // by an option in argv
	pipefail bool
	depth    int // of shells around it
}

// shellOf finds the script that argv gives to a shell, also behind a program that only passes the status on.
func shellOf(argv []string, depth int) (shell, bool) {
	argv = unwrap(argv)
	if len(argv) == 0 || depth > 3 {
		return shell{}, false
	}
	name := program(argv[0])
	if name == "busybox" && len(argv) > 1 {
		argv = argv[1:]
		name = program(argv[0])
	}
	sh := shell{depth: depth}
	switch name {
	case "bash":
		sh.variant = syntax.LangBash
	case "sh", "dash", "ash":
		sh.variant = syntax.LangPOSIX
	case "ksh", "mksh":
		sh.variant = syntax.LangMirBSDKorn
	case "zsh":
		sh.variant = syntax.LangZsh
	default:
		return shell{}, false
	}
	return sh, sh.options(argv[1:])
}

// options reads a shell's options up to its script, and reports whether there is one.
func (sh *shell) options(args []string) bool {
	command := false
	for len(args) > 0 {
		arg := args[0]
		if len(arg) < 2 || arg[0] != '-' && arg[0] != '+' {
			break
		}
		args = args[1:]
		if arg == "--" {
			break
		}
		if strings.HasPrefix(arg, "--") {
			if arg == "--rcfile" || arg == "--init-file" {
				args = args[min(1, len(args)):]
			}
			continue
		}
		on := arg[0] == '-'
		for _, letter := range arg[1:] {
			switch letter {
			case 'c':
				command = command || on
			case 'e':
				sh.errexit = on
			case 'o', 'O':
				if len(args) > 0 {
					sh.option(args[0], on)
					args = args[1:]
				}
			}
		}
	}
	if !command || len(args) == 0 {
		return false
	}
	sh.script = args[0]
	return true
}

func (sh *shell) option(name string, on bool) {
	switch strings.ReplaceAll(strings.ToLower(name), "_", "") {
	case "errexit", "errreturn":
		sh.errexit = on
	case "pipefail":
		sh.pipefail = on
	}
}

// masking looks through one script.
type masking struct {
	shell
	file *syntax.File

	status    bool            // $? or PIPESTATUS is read somewhere: what looks lost may not be
	waits     bool            // wait with an argument, or fg
	leaves    bool            // something may end the script with another status than its last command's
	onError   bool            // a trap on ERR or DEBUG
	functions map[string]bool // true: its last command is a known runner

	text, hint string
}

// found keeps the first finding.
func (m *masking) found(what, hint string) {
	if m.text == "" {
		m.text, m.hint = what, hint
	}
}

// read parses the script and gathers what holds for all of it. It is false when the script cannot be parsed.
func (m *masking) read() (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false // a bug of the parser must not end the program, nor forbid a check
		}
	}()
	const limit = 16 << 10 // chains are looked at in a time that grows with the square of their length
	if len(m.shell.script) > limit || deep(m.shell.script) {
		return false
	}
	file, err := syntax.NewParser(syntax.Variant(m.variant)).Parse(strings.NewReader(m.shell.script), "")
	if err != nil {
		return false
	}
	m.file, m.functions = file, map[string]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		m.gather(n)
		return true
	})
	return true
}

// deep reports whether the parser might go deeper into the script than its stack is.
func deep(script string) bool {
	return strings.Count(script, "(")+strings.Count(script, "{")+strings.Count(script, "`") > 1000
}

func (m *masking) gather(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.ParamExp:
		if n.Param != nil {
			switch strings.ToLower(n.Param.Value) {
			case "?", "pipestatus", "status":
				m.status = true
			}
		}
		if n.Exp != nil && strings.Contains(n.Exp.Op.String(), "?") {
			m.leaves = true // ${X:?message}
		}
	case *syntax.FuncDecl:
		m.leaves = true
		if n.Name != nil {
			body := body(n.Body)
			m.functions[n.Name.Value] = len(body) > 0 && m.runs(body[len(body)-1])
		}
	case *syntax.CallExpr:
		m.gatherCall(literals(n.Args))
	}
}

func (m *masking) gatherCall(words []string) {
	if len(words) == 0 {
		return
	}
	switch words[0] {
	case "set", "setopt", "unsetopt", "shopt":
		m.set(words)
	case "wait":
		m.waits = m.waits || len(words) > 1
	case "fg":
		m.waits = true
	case "exit", "return":
		m.leaves = m.leaves || len(words) != 2 || words[1] != "0"
	case "exec", ".", "source", "eval", "kill":
		m.leaves = true
	case "trap":
		for _, signal := range words[min(2, len(words)):] {
			m.onError = m.onError || signal == "ERR" || signal == "DEBUG" || signal == "ZERR"
		}
		if len(words) > 1 && !endsClean(words[1]) {
			m.leaves = true
		}
	}
}

// set follows set -e, set -euo pipefail, setopt pipefail. Where it stands is not asked: on somewhere is on.
func (m *masking) set(words []string) {
	if words[0] == "setopt" {
		for _, w := range words[1:] {
			m.option(w, true)
		}
		return
	}
	for i := 1; i < len(words); i++ {
		w := words[i]
		if len(w) < 2 || w[0] != '-' {
			continue
		}
		if words[0] == "set" && strings.Contains(w, "e") {
			m.errexit = true
		}
		if strings.Contains(w, "o") && i+1 < len(words) {
			m.option(words[i+1], true)
		}
	}
}

// program is the name by which a program is known: no folder, no .exe.
func program(word string) string {
	word = path.Base(strings.ReplaceAll(word, `\`, "/"))
	for _, ext := range []string{".exe", ".cmd", ".bat"} {
		word = strings.TrimSuffix(word, ext)
	}
	return word
}

// literals are the words of a call, as far as the script says them outright. A word that is not is "\x00".
func literals(args []*syntax.Word) []string {
	words := make([]string, len(args))
	for i, w := range args {
		words[i] = literal(w.Parts)
	}
	return words
}

func literal(parts []syntax.WordPart) string {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			b.WriteString(literal(p.Parts))
		default:
			b.WriteString("\x00")
		}
	}
	return b.String()
}

// shown is a call as a message quotes it.
func shown(words []string) string {
	return strconv.Quote(short(strings.ReplaceAll(strings.Join(words, " "), "\x00", "…")))
}
