package runners

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"factgate/config"
)

// What a run finds in its environment of ours. A program that was started by an outer run finds the outer run's.
const (
	EnvRun    = "FACTGATE_RUN"     // the mark of the run: stray detection, and a check that runs itself
	EnvRunDir = "FACTGATE_RUN_DIR" // its private directory, where probes write
	EnvNested = "FACTGATE_NESTED"  // set by a probe in its own process: a runner that starts with it was started by a test
	EnvSeal   = "FACTGATE_SEAL"    // the secret by which a probe seals its end; the probe takes it out before tests run
	EnvTools  = "FACTGATE_TOOLS"   // the tools directory, so that an inner run can take the outer one's injections out
	EnvReal   = "FACTGATE_REAL_"   // + GO or CARGO: the program that argv named by its path, for ours that is started in its place
	EnvFresh  = "FACTGATE_FRESH"   // tells the shim to defeat the runner's own cache
)

// ofRun is every variable that a run, or a stand-in below it, sets for its own programs. A name with a * is a prefix.
func ofRun() []string {
	return []string{EnvRun, EnvRunDir, EnvNested, EnvSeal, EnvTools, EnvReal + "*", EnvFresh, "FACTGATE_CARGO*", "FACTGATE_RUSTDOC", "FACTGATE_DOCTEST"}
}

// targetRunner is the stand-in that cargo starts test binaries with. A target runner's variable holds it by its bare name.
const targetRunner = "factgate-cargo-runner"

// environ is the environment in the making. Names are compared without case on Windows.
type environ struct {
	vars  map[string][2]string // folded name to name and value
	os    string
	notes []string
	read  map[string]string // what enters the key of Runner.Reads
}

func newEnviron(env []string, os string) *environ {
	e := &environ{vars: map[string][2]string{}, os: os}
	for _, kv := range env {
		if len(kv) == 0 {
			continue
		}
		// Windows has variables whose names begin with "=".
		if i := strings.IndexByte(kv[1:], '='); i >= 0 {
			e.set(kv[:i+1], kv[i+2:])
		}
	}
	return e
}

func (e *environ) fold(name string) string {
	if e.os == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

func (e *environ) get(name string) (string, bool) {
	v, ok := e.vars[e.fold(name)]
	return v[1], ok
}

func (e *environ) set(name, value string) {
	if old, ok := e.vars[e.fold(name)]; ok {
		name = old[0]
	}
	e.vars[e.fold(name)] = [2]string{name, value}
}

func (e *environ) unset(name string) { delete(e.vars, e.fold(name)) }

func (e *environ) note(format string, a ...any) { e.notes = append(e.notes, fmt.Sprintf(format, a...)) }

// names lists the variables that a pattern names, sorted.
func (e *environ) names(pattern string) []string {
	if !strings.HasSuffix(pattern, "*") {
		if v, ok := e.vars[e.fold(pattern)]; ok {
			return []string{v[0]}
		}
		return nil
	}
	var names []string
	for folded, v := range e.vars {
		if strings.HasPrefix(folded, e.fold(strings.TrimSuffix(pattern, "*"))) {
			names = append(names, v[0])
		}
	}
	sort.Strings(names)
	return names
}

// list is every variable as NAME=value, sorted.
func (e *environ) list() []string {
	var all []string
	for _, v := range e.vars {
		all = append(all, v[0]+"="+v[1])
	}
	sort.Strings(all)
	return all
}

func (e *environ) separator(sep string) string {
	if sep == ":" && e.os == "windows" {
		return ";"
	}
	return sep
}

// environ makes the whole environment of a run: what is inherited, less an outer run's injections and the words that
// silently change what runs; then what the check declares; then what the runner needs.
func (s Set) environ(c config.Check, r Runner, m Machine, fill func(string) (string, bool)) *environ {
	e := newEnviron(m.Env, m.OS)
	s.withoutOuter(e)
	kept := func(name string) bool {
		for declared := range c.Env { // the inherited value is replaced as a whole
			if e.fold(declared) == e.fold(name) {
				return true
			}
		}
		return slices.ContainsFunc(c.KeepEnv, func(k string) bool { return e.fold(k) == e.fold(name) })
	}
	for _, rule := range s.scrubs() {
		for _, name := range e.names(rule.Name) {
			if !kept(name) {
				e.scrub(name, rule)
			}
		}
	}
	sort.Strings(e.notes)
	e.read = map[string]string{}
	for _, pattern := range r.Reads {
		for _, name := range e.names(pattern) {
			if value, ok := e.get(name); ok && value != "" {
				sum := sha256.Sum256([]byte(value))
				e.read[name] = hex.EncodeToString(sum[:])
			}
		}
	}

	if _, declared := c.Env["CI"]; !declared && !kept("CI") {
		e.set("CI", "true")
	}
	for _, name := range keys(c.Env) {
		if c.Env[name] == "" {
			e.unset(name)
		} else {
			e.set(name, c.Env[name])
		}
	}
	if m.OS != "windows" {
		e.set("PWD", filepath.Join(m.Root, filepath.FromSlash(c.Dir)))
	}
	e.inject(r.Env, fill)
	if m.Fresh || c.Rules.RefuseCached {
		e.inject(r.Fresh.Env, fill)
	}
	for _, w := range r.EnvAdd {
		e.add(w, fill)
	}
	e.set(EnvRun, m.RunMark)
	e.set(EnvRunDir, m.RunDir)
	e.set(EnvTools, m.Tools)
	if m.Seal != "" && r.Results.Probe {
		e.set(EnvSeal, m.Seal)
	}
	return e
}

// scrubs is what any program of a run might heed: the common words and those of every runner, since a check's command
// may start others than its own.
func (s Set) scrubs() []Scrub {
	all := common()
	for _, name := range s.names {
		all = append(all, s.byName[name].Scrub...)
	}
	return all
}

// scrub takes out of one variable what a rule names, and notes it. Values are never in a note: they may be secret.
func (e *environ) scrub(name string, rule Scrub) {
	value, _ := e.get(name)
	if rule.Whole {
		e.unset(name)
		if value != "" {
			e.note("%s was removed", name)
		}
		return
	}
	kept, gone := rule.take(split(name, value))
	if len(gone) == 0 {
		return
	}
	raw := make([]string, len(kept))
	for i, w := range kept {
		raw[i] = w.raw
	}
	if len(raw) == 0 {
		e.unset(name)
	} else {
		e.set(name, strings.Join(raw, " "))
	}
	verb := "was"
	if len(gone) > 1 {
		verb = "were"
	}
	e.note("%s: %s %s removed", name, strings.Join(gone, ", "), verb)
}

// inject sets what the runner needs. A value of the user's that has to give way is a note.
func (e *environ) inject(vars map[string]string, fill func(string) (string, bool)) {
	for _, k := range keys(vars) {
		name, ok := fill(k)
		value, known := fill(vars[k])
		if name != k {
			name = variable(name)
		}
		if !ok || !known {
			e.note("%s was left out: the machine did not say what it needs", k)
			continue
		}
		if old, there := e.get(name); there && old != value {
			e.note("%s was replaced for the run", name)
		}
		e.set(name, value)
	}
}

// add puts one word of ours beside what a variable holds.
func (e *environ) add(w Word, fill func(string) (string, bool)) {
	text, ok := fill(w.Text)
	if !ok {
		e.note("%s: our word was left out: the machine did not say what it needs", w.Name)
		return
	}
	sep := e.separator(w.Sep)
	if sep == " " {
		text = quoted(w.Name, text)
	}
	value, _ := e.get(w.Name)
	switch {
	case value == "":
		e.set(w.Name, text)
	case w.First:
		e.set(w.Name, text+sep+value)
	default:
		e.set(w.Name, value+sep+text)
	}
}

// withoutOuter takes out what an outer run put there: its marks, its stand-in for cargo's target runner, and every word or
// variable that points into its tools or its private directory.
func (s Set) withoutOuter(e *environ) {
	tools, _ := e.get(EnvTools)
	runDir, _ := e.get(EnvRunDir)
	for _, pattern := range ofRun() {
		for _, name := range e.names(pattern) {
			e.unset(name)
		}
	}
	for _, name := range e.names("CARGO_TARGET_*") {
		if value, _ := e.get(name); value == targetRunner || strings.HasPrefix(value, targetRunner+" ") {
			e.unset(name)
		}
	}
	if tools == "" {
		return
	}
	added := map[string]Word{"PATH": {Name: "PATH", Sep: ":"}}
	for _, name := range s.names {
		for _, w := range s.byName[name].EnvAdd {
			if _, ok := added[e.fold(w.Name)]; !ok {
				added[e.fold(w.Name)] = w
			}
			if !strings.Contains(w.Text, "{") {
				e.drop(w, func(text string) bool { return text == w.Text })
			}
		}
	}
	ours := func(text string) bool {
		return strings.Contains(text, tools) || runDir != "" && strings.Contains(text, runDir)
	}
	for _, name := range e.names("*") {
		value, _ := e.get(name)
		if !ours(value) && !ours(unquotedAll(name, value)) {
			continue
		}
		if w, ok := added[e.fold(name)]; ok {
			w.Name = name
			e.drop(w, ours)
		} else {
			e.unset(name)
		}
	}
}

func unquotedAll(name, value string) string {
	if name != "NODE_OPTIONS" {
		return value
	}
	var b strings.Builder
	for _, w := range split(name, value) {
		b.WriteString(w.text + " ")
	}
	return b.String()
}

// drop removes the words of a variable that gone names. The variable goes when none is left.
func (e *environ) drop(w Word, gone func(string) bool) {
	value, ok := e.get(w.Name)
	if !ok {
		return
	}
	sep := e.separator(w.Sep)
	var kept []string
	if sep == " " {
		for _, one := range split(w.Name, value) {
			if !gone(one.text) {
				kept = append(kept, one.raw)
			}
		}
	} else {
		for _, one := range strings.Split(value, sep) {
			if !gone(one) {
				kept = append(kept, one)
			}
		}
	}
	if len(kept) == 0 {
		e.unset(w.Name)
		return
	}
	e.set(w.Name, strings.Join(kept, sep))
}

// variable writes text as part of the name of a variable: x86_64-unknown-linux-gnu as X86_64_UNKNOWN_LINUX_GNU.
func variable(text string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z':
			return c - 'a' + 'A'
		case c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_':
			return c
		}
		return '_'
	}, text)
}

func keys[V any](m map[string]V) []string {
	all := make([]string, 0, len(m))
	for k := range m {
		all = append(all, k)
	}
	sort.Strings(all)
	return all
}
