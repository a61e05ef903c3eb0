package config

import (
	"fmt"
	"path"
	"strings"
	"time"

	"factgate/facts"
	"factgate/verdict"
)

// commandRunner has no cases: a clean exit is the evidence.
const commandRunner = "command"

// build fills f from a tree whose values are checked one by one, and checks what lies between them. Values that are not
// well-formed are read as if they were not there; their problems are noted already.
func (r *reader) build(f *File, root *node) {
	f.Version = 1
	defaults := root.kid("defaults")
	f.Jobs = int(integer(defaults.kid("jobs"), 0))
	f.Ignore = globs(root.kid("tree").kid("ignore"))
	output, store := root.kid("output"), root.kid("store")
	f.Output = Output{
		Head:  bytesOf(output.kid("head"), 256<<10),
		Tail:  bytesOf(output.kid("tail"), 1<<20),
		Spool: bytesOf(output.kid("spool"), 4<<20),
	}
	f.Store = Store{
		Runs:  int(integer(store.kid("runs"), 1000)),
		Age:   span(store.kid("age"), 90*day),
		Bytes: bytesOf(store.kid("bytes"), 1<<30),
	}
	for _, n := range children(root.kid("runners")) {
		f.Runners = append(f.Runners, r.runner(n))
	}
	checks := children(root.kid("checks"))
	if len(checks) > maxChecks {
		r.problem(checks[maxChecks], fmt.Sprintf("more than %d checks", maxChecks), "")
		return
	}
	for _, n := range checks {
		f.Checks = append(f.Checks, r.check(n, defaults, f))
	}
	r.needs(f.Checks)
}

// children are the tables below a table of tables.
func children(n *node) []*node {
	if n == nil || !n.table {
		return nil
	}
	var list []*node
	for _, k := range n.kids {
		if k.table {
			list = append(list, k)
		}
	}
	return list
}

func (r *reader) check(n, defaults *node, f *File) Check {
	r.name(n)
	either := func(key string) *node {
		if k := n.kid(key); k != nil {
			return k
		}
		return defaults.kid(key)
	}
	line, _ := r.keys.at(n.path)
	c := Check{
		Name:    n.name(),
		Line:    line,
		Runner:  text(n.kid("runner"), ""),
		Dir:     text(n.kid("dir"), "."),
		Command: texts(n.kid("command")),
		Args:    texts(n.kid("args")),
		Env:     environment(n.kid("env")),
		KeepEnv: texts(n.kid("keep_env")),
		Needs:   texts(n.kid("needs")),
		Inputs:  globs(n.kid("inputs")),
		Outputs: globs(n.kid("outputs")),
		Timeout: span(either("timeout"), 10*time.Minute),
		Grace:   span(either("grace"), 10*time.Second),
		Rules: verdict.Rules{
			MinTests:     int(integer(either("min_tests"), 1)),
			AllowNoTests: boolean(n.kid("allow_no_tests")),
			AcceptFlaky:  text(either("flaky"), "refuse") == "accept",
			RefuseCached: text(either("cached"), "accept") == "refuse",
		},
		Gate: text(either("gate"), "stop"),
		Set:  map[string]bool{},
	}
	for _, k := range n.kids {
		c.Set[k.name()] = true
	}
	if text, _ := pathProblem(c.Dir); text == "" {
		c.Dir = path.Clean(c.Dir)
		r.folder(n, c.Dir, f.Root)
	} else {
		c.Dir = "."
	}
	r.checkRunner(n, &c, f.Runners)
	r.script(n, c, f.Runners)
	return c
}

// script refuses a shell script that hides a status. Where the check has no command, its args follow its own runner's.
func (r *reader) script(n *node, c Check, custom []Runner) {
	argv := c.Command
	if len(argv) == 0 && len(c.Args) > 0 {
		for _, own := range custom {
			if own.Name == c.Runner {
				argv = own.Command
			}
		}
	}
	text, hint := masks(append(append([]string(nil), argv...), c.Args...))
	if text == "" {
		return
	}
	at := n.kid("command")
	if at == nil {
		at = n.kid("args")
	}
	r.problem(at, text, hint)
}

// name checks the name of a check or runner.
func (r *reader) name(n *node) {
	bad := func(c rune) bool { return !isBareRune(c) && !strings.ContainsRune(".:/", c) }
	switch s := n.name(); {
	case s == "":
		r.problem(n, "the name is empty", "")
	case strings.HasPrefix(s, "-"):
		r.problem(n, "a name must not start with -", "it would be taken for a flag")
	case strings.ContainsFunc(s, bad) && len(n.path) == 2 && strings.Contains(s, "*") && n.kid("each") != nil:
		// each is not supported yet, which is said already; its name would be right then.
	case strings.ContainsFunc(s, bad):
		r.problem(n, "a name has letters, digits and . _ - : / only", "")
	case len(s) > 128:
		r.problem(n, "a name has 128 characters at most", "")
	}
}

// checkRunner checks what depends on the runner.
func (r *reader) checkRunner(n *node, c *Check, custom []Runner) {
	if n.kid("runner") == nil {
		r.required(n, "runner", `name a test program, or "command" for one without cases`)
		return
	}
	if c.Runner == commandRunner {
		c.Rules.MinTests = 0
		if n.kid("command") == nil {
			r.problem(n.kid("runner"), `"command" needs a command`, `write command = ["program", "argument"]`)
		}
		for _, key := range []string{"min_tests", "retries"} {
			if k := n.kid(key); k != nil {
				r.problem(k, `means nothing with runner = "command", which has no cases`, "remove it")
			}
		}
		return
	}
	for _, own := range custom {
		if own.Name != c.Runner || own.Glob != "" || !placeholder(own.Command) || len(c.Command) == 0 {
			continue
		}
		if !placeholder(c.Command) && !placeholder(c.Args) && !placeholder(values(c.Env)) && !placeholder(values(own.Env)) {
			r.problem(n.kid("command"), fmt.Sprintf("leaves out where the runner %s writes its results", c.Runner),
				"say {results} or {results_dir} in it, as the runner's own command does")
		}
	}
}

func (r *reader) runner(n *node) Runner {
	r.name(n)
	line, _ := r.keys.at(n.path)
	results := n.kid("results")
	c := Runner{
		Name:          n.name(),
		Line:          line,
		Command:       texts(n.kid("command")),
		Env:           environment(n.kid("env")),
		Format:        text(results.kid("format"), "junit"),
		Glob:          text(results.kid("glob"), ""),
		TotalsIgnored: text(results.kid("totals"), "check") == "ignore",
		Exits:         meanings(n.kid("exits")),
	}
	if c.Name == commandRunner {
		r.problem(n, `"command" is the runner without cases`, "give yours another name")
	}
	if c.Glob != "" {
		c.Glob = path.Clean(c.Glob)
	}
	r.required(n, "command", `write command = ["program", "--xml={results}"]`)
	if results == nil {
		r.required(n, "results", `write results = { format = "junit" }`)
	}
	if len(c.Command) > 0 && !placeholder(c.Command) && !placeholder(values(c.Env)) && results.kid("glob") == nil {
		r.problem(n.kid("command"), "says nowhere to write results",
			`put {results} or {results_dir} into it, or say results = { glob = "…" } where it writes to a path of its own`)
	}
	if text, hint := masks(c.Command); text != "" {
		r.problem(n.kid("command"), text, hint)
	}
	return c
}

func (r *reader) required(n *node, key, hint string) {
	if n.kid(key) == nil {
		r.problemAt(append(n.path[:len(n.path):len(n.path)], key), "missing", hint)
	}
}

func placeholder(words []string) bool {
	for _, w := range words {
		if strings.Contains(w, "{results}") || strings.Contains(w, "{results_dir}") {
			return true
		}
	}
	return false
}

func values(m map[string]string) []string {
	var list []string
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

func meanings(n *node) map[int]facts.Meaning {
	if n == nil || !n.table {
		return nil
	}
	exits := map[int]facts.Meaning{}
	for _, k := range n.kids {
		code, ok := parseExit(k.name())
		var m facts.Meaning
		if ok && m.UnmarshalText([]byte(text(k, ""))) == nil {
			exits[code] = m
		}
	}
	return exits
}
