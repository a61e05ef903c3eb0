package runners

import (
	"slices"
	"strings"
)

// launcher is a program that starts another one and passes its status through.
type launcher struct {
	names   []string // base names
	subs    []string // its own word before the program ("run" of uv); none: the program follows at once
	bare    bool     // that word may be left out (yarn jest)
	valued  []string // its flags that take the next word
	opaque  []string // its flags with which program or status are no longer plain to see
	own     int      // words of its own before the program (the duration of timeout)
	assigns bool     // NAME=value words may come first
}

// launchers is the table of declared pass-through launchers.
// Each was seen, or is documented, to end with the status of what it starts.
func launchers() []launcher {
	return []launcher{
		{names: []string{"env", "genv"}, valued: []string{"-u", "--unset", "-C", "--chdir"}, opaque: []string{"-S", "--split-string"}, assigns: true},
		{names: []string{"nice"}, valued: []string{"-n", "--adjustment"}},
		{names: []string{"ionice"}, valued: []string{"-c", "--class", "-n", "--classdata"}, opaque: []string{"-p", "--pid"}},
		{names: []string{"taskset"}, opaque: []string{"-p", "--pid"}, own: 1},
		{names: []string{"nohup", "chronic"}},
		{names: []string{"time"}, valued: []string{"-f", "--format", "-o", "--output"}},
		{names: []string{"timeout", "gtimeout"}, valued: []string{"-s", "--signal", "-k", "--kill-after"}, own: 1},
		{names: []string{"stdbuf"}, valued: []string{"-i", "-o", "-e"}},
		{names: []string{"caffeinate"}, valued: []string{"-t"}, opaque: []string{"-w"}},
		{names: []string{"xvfb-run"}, valued: []string{"-e", "-f", "-n", "-p", "-s", "-w", "--error-file", "--auth-file", "--server-num", "--xauth-protocol", "--server-args", "--wait"}},
		{names: []string{"dbus-run-session"}, valued: []string{"--config-file", "--dbus-daemon"}},
		{names: []string{"direnv"}, subs: []string{"exec"}, own: 1},
		{names: []string{"mise", "rtx"}, subs: []string{"exec", "x"}, opaque: []string{"-c", "--command"}},
		{names: []string{"pyenv", "rbenv"}, subs: []string{"exec"}},
		{names: []string{"conda", "mamba", "micromamba"}, subs: []string{"run"}, valued: []string{"-n", "--name", "-p", "--prefix", "--cwd"}},
		{names: []string{"uv"}, subs: []string{"run"}, valued: []string{"--with", "-w", "--with-requirements", "--with-editable", "--extra", "--no-extra", "--group", "--no-group", "--only-group",
			"--package", "--python", "-p", "--project", "--directory", "--env-file", "--index", "--default-index", "--index-url", "-i", "--extra-index-url", "--find-links", "-f", "--config-file",
			"--cache-dir", "--color", "--resolution", "--prerelease", "--upgrade-package", "-P", "--link-mode", "--config-setting", "-C", "--exclude-newer", "--python-preference", "--allow-insecure-host"},
			opaque: []string{"-m", "--module", "-s", "--script"}},
		{names: []string{"uvx"}, valued: []string{"--with", "--from", "--python", "-p", "--index-url", "--env-file", "--directory", "--project"}},
		{names: []string{"poetry"}, subs: []string{"run"}, valued: []string{"-C", "--directory", "-P", "--project"}},
		{names: []string{"pdm"}, subs: []string{"run"}, valued: []string{"-p", "--project", "-c", "--config"}},
		{names: []string{"pipenv", "rye", "pixi"}, subs: []string{"run"}, valued: []string{"--python", "-e", "--environment", "--manifest-path"}},
		{names: []string{"hatch"}, subs: []string{"run"}, valued: []string{"-e", "--env", "-p", "--project"}},
		{names: []string{"coverage", "coverage3"}, subs: []string{"run"}, valued: []string{"--context", "--concurrency", "--data-file", "--debug", "--include", "--omit", "--source", "--rcfile"}},
		{names: []string{"cross-env"}, assigns: true},
		{names: []string{"npx"}, valued: []string{"-p", "--package", "--cache", "--prefix"}, opaque: []string{"-c", "--call", "-w", "--workspace", "-ws", "--workspaces"}},
		{names: []string{"npm"}, subs: []string{"exec", "x"}, valued: []string{"-p", "--package", "--cache", "--prefix"}, opaque: []string{"-c", "--call", "-w", "--workspace", "-ws", "--workspaces"}},
		{names: []string{"pnpm"}, subs: []string{"exec", "dlx"}, bare: true, valued: []string{"-C", "--dir", "--package"}, opaque: []string{"-r", "--recursive", "--filter", "-F", "-c", "--shell-mode", "-w", "--parallel"}},
		{names: []string{"yarn", "yarnpkg"}, subs: []string{"exec", "dlx", "run"}, bare: true, valued: []string{"--cwd", "-p", "--package"}, opaque: []string{"-T", "-B"}},
		{names: []string{"bunx"}, valued: []string{"-p", "--package"}},
		{names: []string{"bun"}, subs: []string{"x"}, valued: []string{"--cwd"}},
	}
}

// kind is by what a word of argv names a program.
type kind uint8

const (
	aProgram kind = iota // an executable
	aModule              // python -m NAME
	aScript              // the file that an interpreter runs
	aCode                // code on the command line: nothing can be said of it
)

// unwrap walks past interpreters and declared launchers, and returns where argv names what is run in the end, and how.
// Without such a word it returns len(argv).
func unwrap(argv []string) (at int, k kind) {
	for at < len(argv) {
		name := program(argv[at])
		if pythons(name) {
			next, how := pythonWord(argv, at)
			if how == aModule && next < len(argv) && argv[next] == "coverage" || how == aScript && next < len(argv) && program(argv[next]) == "coverage" {
				at = next
				continue
			}
			return next, how
		}
		if name == "node" || name == "nodejs" {
			return nodeWord(argv, at)
		}
		next, ok := step(argv, at, name)
		if !ok {
			return at, aProgram
		}
		if next < len(argv) && strings.HasPrefix(name, "coverage") {
			return coverageWord(argv, at, next)
		}
		at = next
	}
	return at, aProgram
}

// coverageWord tells `coverage run -m pytest` from `coverage run script.py`.
func coverageWord(argv []string, run, next int) (int, kind) {
	for _, w := range argv[run:next] {
		if w == "-m" || w == "--module" {
			return next, aModule
		}
	}
	return next, aScript
}

// step passes one launcher. It refuses a word that is none, and one whose flags hide what is started.
func step(argv []string, at int, name string) (next int, ok bool) {
	all := launchers()
	i := slices.IndexFunc(all, func(l launcher) bool { return slices.Contains(l.names, name) })
	if i < 0 {
		return at, false
	}
	l := all[i]
	next, ok = l.flags(argv, at+1)
	if !ok || next >= len(argv) {
		return at, false
	}
	if l.subs != nil {
		if slices.Contains(l.subs, argv[next]) {
			if next, ok = l.flags(argv, next+1); !ok {
				return at, false
			}
		} else if !l.bare {
			return at, false
		}
	}
	next += l.own
	for l.assigns && next < len(argv) && strings.Contains(argv[next], "=") {
		next++
	}
	if next >= len(argv) {
		return at, false
	}
	return next, true
}

// flags passes the launcher's own flags, a closing "--" included.
func (l launcher) flags(argv []string, at int) (next int, ok bool) {
	for at < len(argv) && len(argv[at]) > 1 && (argv[at][0] == '-' || argv[at][0] == '+') {
		w, _, joined := strings.Cut(argv[at], "=")
		at++
		switch {
		case w == "--":
			return at, true
		case slices.Contains(l.opaque, w):
			return at, false
		case !joined && slices.Contains(l.valued, w):
			at++
		}
	}
	return at, at <= len(argv)
}

// pythonWord finds what `python [flags] (-m NAME | FILE)` runs.
func pythonWord(argv []string, at int) (int, kind) {
	for at++; at < len(argv); at++ {
		w := argv[at]
		if w == "--" || len(w) < 2 || w[0] != '-' {
			return at, aScript
		}
		if w[1] == '-' {
			if w == "--check-hash-based-pycs" {
				at++
			}
			continue
		}
	letters:
		for i := 1; i < len(w); i++ {
			rest := w[i+1:]
			switch w[i] {
			case 'm':
				if rest != "" { // -mpytest: the word names the module, and nothing but it
					return at, aModule
				}
				return at + 1, aModule
			case 'c':
				return len(argv), aCode
			case 'X', 'W':
				if rest == "" {
					at++
				}
				break letters
			}
		}
	}
	return at, aScript
}

// nodeWord finds the script that node runs.
func nodeWord(argv []string, at int) (int, kind) {
	valued := []string{"-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--env-file", "--icu-data-dir", "--title", "--stack-trace-limit", "--max-old-space-size"}
	for at++; at < len(argv); at++ {
		w := argv[at]
		if len(w) < 2 || w[0] != '-' {
			return at, aScript
		}
		switch {
		case w == "--":
			return at + 1, aScript
		case w == "-e", w == "-p", w == "-pe", w == "--eval", w == "--print", w == "--test", strings.HasPrefix(w, "--eval="):
			return len(argv), aCode
		case slices.Contains(valued, w):
			at++
		}
	}
	return at, aScript
}

// named reports whether argv starts this runner directly or through declared launchers, and which word says so.
func (r Runner) named(argv []string) (at int, ok bool) {
	at, how := unwrap(argv)
	if at >= len(argv) {
		return at, false
	}
	w := argv[at]
	switch how {
	case aModule:
		if strings.HasPrefix(w, "-") { // -mpytest
			w = w[strings.IndexByte(w, 'm')+1:]
		}
		return at, slices.Contains(r.Modules, w)
	case aScript:
		if !slices.Contains(r.Programs, program(w)) && !slices.ContainsFunc(r.Scripts, func(end string) bool { return endsIn(w, end) }) {
			return at, false
		}
	case aProgram:
		if !slices.Contains(r.Programs, program(w)) && !slices.ContainsFunc(r.Scripts, func(end string) bool { return endsIn(w, end) }) {
			return at, false
		}
	default:
		return at, false
	}
	if len(r.Sub) == 0 {
		return at, true
	}
	flags := launcher{valued: []string{"-C", "-Z", "--config", "--color", "--manifest-path", "--target-dir"}}
	at, _ = flags.flags(argv, at+1)
	return at, at < len(argv) && slices.Contains(r.Sub, argv[at])
}

// endsIn reports whether a path ends in whole components of end.
func endsIn(p, end string) bool {
	p = slashed(p)
	return p == end || strings.HasSuffix(p, "/"+end)
}

// program is the base name of a word of argv, without what Windows puts behind it.
func program(w string) string {
	base := w[strings.LastIndexAny(w, `/\`)+1:]
	for _, end := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		if n := len(base) - len(end); n > 0 && strings.EqualFold(base[n:], end) {
			return base[:n]
		}
	}
	return base
}

// pythons reports whether a base name is a Python interpreter's: python, python3.13t, pypy3, py.
func pythons(name string) bool {
	for _, p := range []string{"pythonw", "python", "pypy", "py"} {
		if rest, ok := strings.CutPrefix(name, p); ok {
			return strings.Trim(rest, "0123456789.td-") == "" && (p != "py" || rest == "")
		}
	}
	return false
}
