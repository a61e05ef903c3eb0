package shim

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"factgate/facts"
)

// rustdocMain acts as rustdoc. Only "rustdoc --test", which runs the doctests of one package, is more than the real one.
//
// Our target runner is taken out of the arguments again: with any runner, rustdoc runs merged doctests (edition 2024) in one
// process, which is not what the user would see. The log of the harness is of no use either: rustdoc starts a harness for
// the merged and another for the other doctests, and each overwrites it. Doctests print into pipes of their own, so the
// lines of the harness can be trusted; they name the tests only where they are spelled out, so that -q has no effect on them.
func (c *Call) rustdocMain() facts.Exit {
	real := get(c.Env, envRustdoc)
	if real == "" || !strings.ContainsAny(real, `/\`) {
		name := real
		if name == "" {
			name = "rustdoc"
		}
		if real = c.look(name); real == "" {
			return c.fail(errNoRustdoc)
		}
		// Where rustup stands in for it, the one beside the cargo that started us is the same, and there sooner; cargo does so too.
		beside := filepath.Join(filepath.Dir(get(c.Env, "CARGO")), filepath.Base(real))
		if name == "rustdoc" && get(c.Env, "CARGO") != "" && runnable(filepath.Join(filepath.Dir(real), "rustup")) && runnable(beside) {
			real = beside
		}
	}
	env := c.cleanEnv()
	args := c.ownRuntool(c.Args)
	argv := append([]string{real}, args...)
	if get(env, envRunDir) == "" || c.nested() || !slices.Contains(c.Args, "--test") {
		return c.become(argv, env)
	}
	s := c.open("rustdoc." + get(c.Env, envParent))
	s.start("cargo", slices.Concat([]string{"rustdoc"}, c.Args), c.Dir)
	env = set(set(env, envNested, get(env, envRunDir)), envDoctest, "1")
	pkg := get(env, "CARGO_PKG_NAME")
	t := suite{c: c, pkg: pkg, name: pkg + "/doctest", id: pkg + " doctest::"}
	t.crate, _ = flagValue(c.Args, "--crate-name")
	if i := slices.IndexFunc(c.Args, func(a string) bool { return strings.HasSuffix(a, ".rs") }); i >= 0 {
		t.root = c.Args[i]
	}
	text := newLibtestText(args)
	text.doctests = true
	end := c.pass(append([]string{real}, spelledOut(args)...), env, io.MultiWriter(c.Stdout, text))
	text.close()
	t.doctests(s, text, end)
	return end
}

// doctests writes what the doctests of a package showed.
func (t suite) doctests(s *stream, text *libtestText, end facts.Exit) {
	var n tally
	for _, e := range text.entries {
		n.add(e.status)
		t.file, _, _ = strings.Cut(e.name, " - ")
		t.file = t.c.locate(t.file)
		t.write(s, e, text)
	}
	if text.running >= 0 {
		s.planned(text.running)
	}
	t.finish(s, n, text, end)
}

// ownRuntool replaces our runner in rustdoc's arguments by the user's own, or by nothing.
func (c *Call) ownRuntool(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if args[i] != "--test-runtool" || i+1 >= len(args) || !strings.HasSuffix(strings.TrimSuffix(args[i+1], exeSuffix), nameRunner) {
			out = append(out, args[i])
			continue
		}
		i++
		if i+2 < len(args) && args[i+1] == "--test-runtool-arg" {
			for j, word := range c.chain(args[i+2]) {
				if j == 0 {
					out = append(out, "--test-runtool", word)
				} else {
					out = append(out, "--test-runtool-arg", word)
				}
			}
			i += 2
		}
	}
	return out
}

// spelledOut takes what makes the harness print dots in place of names out of rustdoc's arguments.
func spelledOut(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--test-args" && i+1 < len(args) {
			switch args[i+1] {
			case "--quiet", "-q", "--format=terse":
				i++
				continue
			case "--format":
				if i+3 < len(args) && args[i+3] == "terse" {
					i += 3
					continue
				}
			}
		}
		out = append(out, args[i])
	}
	return out
}
