package runners

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"factgate/config"
	"factgate/facts"
)

// Version is that of the rules by which plans are made. It enters every key.
const Version = 1

// Set is every runner that a factgate.toml may name: the built-in ones and its own.
type Set struct {
	byName map[string]Runner
	names  []string // sorted
}

// New merges the built-in runners with those that factgate.toml declares. A declared one of a built-in's name is a
// problem and is left out; the problem carries its line, and the caller knows the file.
func New(custom []config.Runner) (Set, []config.Problem) {
	s := Set{byName: map[string]Runner{}}
	for _, r := range builtin() {
		s.byName[r.Name] = r
	}
	var problems []config.Problem
	for _, c := range custom {
		if _, taken := s.byName[c.Name]; taken {
			problems = append(problems, config.Problem{
				Line: c.Line,
				Text: fmt.Sprintf("runner %q is there already", c.Name),
				Hint: "give it another name; the check's command, args and env change what a built-in runner starts",
			})
			continue
		}
		s.byName[c.Name] = declared(c)
	}
	for name := range s.byName {
		s.names = append(s.names, name)
	}
	sort.Strings(s.names)
	return s, problems
}

// declared makes the data of a runner from its entry in factgate.toml.
func declared(c config.Runner) Runner {
	r := Runner{
		Name:    c.Name,
		Title:   "declared in factgate.toml",
		Command: c.Command,
		Exits:   c.Exits,
		Env:     c.Env,
		Results: Source{Format: c.Format, Glob: c.Glob, TotalsIgnored: c.TotalsIgnored},
	}
	if at, kind := unwrap(c.Command); kind == aModule {
		r.Modules = []string{c.Command[at]}
	} else if at < len(c.Command) {
		r.Programs = []string{program(c.Command[at])}
		if kind == aScript {
			r.Programs, r.Scripts = nil, []string{slashed(path.Clean(slashed(c.Command[at])))}
		}
	}
	return r
}

// Lookup returns the runner of a name.
func (s Set) Lookup(name string) (Runner, bool) {
	r, ok := s.byName[name]
	return r, ok
}

// Names lists every runner, sorted.
func (s Set) Names() []string { return slices.Clone(s.names) }

// Probes lists what the machine must be asked before the check can be planned.
func (s Set) Probes(c config.Check) []Probe { return slices.Clone(s.byName[c.Runner].Probes) }

// MeaningOf says what a status means that a runner's own probe reported. An unknown runner knows no meaning.
func (s Set) MeaningOf(runner string, code int) facts.Meaning {
	r, ok := s.byName[runner]
	if !ok {
		return facts.Unknown
	}
	return r.meaning(code)
}

// meaning looks a status up in the runner's table. Without a table, 0 is clean and any other is not.
func (r Runner) meaning(code int) facts.Meaning {
	if len(r.Exits) == 0 {
		return plainMeaning(code)
	}
	return r.Exits[code] // facts.Unknown where it is not listed
}

func plainMeaning(code int) facts.Meaning {
	if code == 0 {
		return facts.Clean
	}
	return facts.NotClean
}

// slashed writes a path with slashes, whatever the platform, and cuts what makes it absolute or explicit: "./a" and "a" end alike.
func slashed(p string) string {
	return strings.TrimPrefix(strings.ReplaceAll(p, `\`, "/"), "./")
}
