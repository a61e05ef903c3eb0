package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"factgate/config"
	"factgate/facts"
	"factgate/parsers"
	"factgate/record"
	"factgate/runners"
)

// Explanation is what would run for a check, and what it would depend on. Nothing is started but the runner's questions
// to the machine.
type Explanation struct {
	Check    string            `json:"check"`
	Runner   string            `json:"runner"`
	Dir      string            `json:"dir"`
	Argv     []string          `json:"argv"`
	Program  string            `json:"program"`
	Direct   bool              `json:"direct"`            // the exit code is read by the runner's own table
	Set      []string          `json:"environment_set"`   // NAME=value that factgate or the check sets
	Removed  []string          `json:"environment_unset"` // names that are inherited otherwise
	Notes    []string          `json:"notes"`
	Results  string            `json:"results"`
	Exits    map[string]string `json:"exits"`
	Inputs   []string          `json:"inputs"` // empty: the whole tree
	Files    int               `json:"input_files"`
	Missing  []string          `json:"inputs_unmatched"`
	Outputs  []string          `json:"outputs"`
	Witness  map[string]string `json:"dependency_witnesses"`
	Needs    []string          `json:"needs"`
	Timeout  string            `json:"timeout"`
	Gate     string            `json:"gate"`
	Key      string            `json:"key"`
	Proven   string            `json:"proven"` // the record that proves it now; empty: none
	Standing []string          `json:"standing"`
}

// Explain says what would run for one check.
func (k Checker) Explain(ctx context.Context, name string, args []string) (Explanation, error) {
	v, err := k.prepare(Selection{Names: []string{name}, Args: args})
	if err != nil {
		return Explanation{}, err
	}
	defer v.save()
	tree, err := v.trees.take(ctx)
	if err != nil {
		return Explanation{}, err
	}
	j := v.jobs[name]
	for _, one := range v.inOrder() {
		var keys []string
		for _, n := range one.check.Needs {
			keys = append(keys, v.jobs[n].key)
		}
		if _, err := v.key(one, tree, keys); err != nil {
			return Explanation{}, err
		}
	}
	const runDir = "PRIVATE"
	place := filepath.Join(k.State, "runs", runDir)
	if k.State == "" {
		if place, err = os.MkdirTemp("", "factgate-run-"); err != nil {
			return Explanation{}, err
		}
		defer os.RemoveAll(place)
	}
	plan, err := v.planIn(ctx, j.check, runners.Machine{RunDir: place, RunMark: k.runMark(j.check, runDir), Args: args})
	if err != nil {
		return Explanation{}, err
	}
	e := v.explained(j, plan)
	_, e.Missing = v.inputs(tree, j.check)
	e.Files = len(tree.Files(j.check.Inputs))
	if k.Store != nil {
		proof := k.Store.Proof(j.key, policy(j.check))
		e.Standing = words(proof.Verdict.Reasons)
		if proof.State == record.ProofProven {
			e.Proven = proof.Entry.ID
		}
	}
	return e, nil
}

func (v *verify) explained(j *job, p runners.Plan) Explanation {
	c := j.check
	e := Explanation{Check: c.Name, Runner: c.Runner, Dir: c.Dir, Argv: p.Argv, Direct: p.Direct, Notes: append([]string{}, p.Notes...),
		Results: resultsOf(p), Inputs: append([]string{}, c.Inputs...), Outputs: v.Runners.Outputs(c), Needs: append([]string{}, c.Needs...),
		Timeout: c.Timeout.String(), Gate: c.Gate, Key: j.key, Exits: map[string]string{}, Standing: []string{},
		Program: started(p), Witness: witnesses(j.runner.Witness, p.Dir, v.Config.Root)}
	for code, m := range p.Exits {
		e.Exits[strconv.Itoa(code)] = m.String()
	}
	if len(e.Exits) == 0 {
		e.Exits = map[string]string{"0": facts.Clean.String(), "any other": facts.NotClean.String()}
	}
	e.Set, e.Removed = environment(v.Env, p.Env)
	return e
}

// environment says in what the plan's environment differs from the inherited one.
func environment(inherited, planned []string) (set, removed []string) {
	had, has := values(inherited), values(planned)
	for name, value := range has {
		if old, ok := had[name]; !ok || old != value {
			set = append(set, name+"="+value)
		}
	}
	for name := range had {
		if _, ok := has[name]; !ok {
			removed = append(removed, name)
		}
	}
	slices.Sort(set)
	slices.Sort(removed)
	return set, removed
}

func values(env []string) map[string]string {
	out := map[string]string{}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		out[name] = value
	}
	return out
}

func resultsOf(p runners.Plan) string {
	switch {
	case p.NoCases:
		return "none: a clean exit is the evidence"
	case p.Source.Probe:
		return "one stream per runner process in the run's private directory, with the runner's own results file where it writes one"
	case p.Source.Glob != "":
		return p.Source.Format + ": " + p.Source.Glob + " (what lies there before is moved aside)"
	}
	return p.Source.Format + ": " + p.Source.File
}

// Problems lists what only the runners can see wrong in a factgate.toml: runners and formats that do not exist.
func Problems(f config.File, set runners.Set) (out []config.Problem) {
	for _, c := range f.Checks {
		if _, ok := set.Lookup(c.Runner); !ok && c.Runner != "" {
			out = append(out, f.Problem(fmt.Sprintf("there is no runner %q", c.Runner), "runners: "+strings.Join(set.Names(), ", "), "checks", c.Name, "runner"))
		}
	}
	for _, r := range f.Runners {
		if _, ok := parsers.Lookup(r.Format); !ok {
			out = append(out, f.Problem(fmt.Sprintf("there is no results format %q", r.Format), "formats: "+strings.Join(parsers.Formats(), ", "), "runners", r.Name, "results", "format"))
		}
	}
	return out
}

// started is the program that runs in the end: the real one where ours is started in its place.
func started(p runners.Plan) string {
	if s := p.StandIn; s != nil {
		return find(s.Program, p.Dir, s.Env)
	}
	return find(p.Argv[0], p.Dir, p.Env)
}
