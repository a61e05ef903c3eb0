package shim

import (
	"io"
	"slices"
	"strings"

	"factgate/facts"
)

// rustdocMain acts as rustdoc. Only "rustdoc --test", which runs the doctests of one package, is more than the real one.
//
// Our target runner is taken out of the arguments again: with any runner, rustdoc runs merged doctests (edition 2024) in one
// process, which is not what the user would see. The log of the harness is of no use either: rustdoc starts a harness for
// the merged and another for the other doctests, and each overwrites it. Doctests print into pipes of their own, so the
// lines of the harness can be trusted.
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
	}
	env := c.cleanEnv()
	argv := append([]string{real}, c.ownRuntool(c.Args)...)
	if get(env, envRunDir) == "" || c.nested() || !slices.Contains(c.Args, "--test") {
		return c.become(argv, env)
	}
	s := c.open("rustdoc." + get(c.Env, envParent))
	s.start("cargo", slices.Concat([]string{"rustdoc"}, c.Args), c.Dir)
	env = set(set(env, envNested, get(env, envRunDir)), envDoctest, "1")
	pkg := get(env, "CARGO_PKG_NAME")
	t := suite{c: c, pkg: pkg, name: pkg + "/doctest", id: pkg + " doctest::"}
	text := newLibtestText(c.Args)
	text.doctests = true
	end := c.pass(argv, env, io.MultiWriter(c.Stdout, text))
	text.close()
	var n tally
	for _, e := range text.entries {
		n.add(e.status)
		t.file, _, _ = strings.Cut(e.name, " - ")
		t.file = c.locate(t.file)
		t.write(s, e, text.blocks[e.name])
	}
	if text.running >= 0 {
		s.planned(text.running)
	} else if end.Code != 0 && end.Signal == "" {
		s.outside(facts.Build, t.name, "rustdoc ended with status %d before any doctest was run", end.Code)
	}
	t.finish(s, n, text, end)
	return end
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
