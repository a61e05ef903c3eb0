package check

import (
	"fmt"
	"runtime"
	"slices"

	"factgate/config"
	"factgate/runners"
)

// Selection says what one verify is asked for.
type Selection struct {
	Names    []string // checks; empty: all up to Tier
	Tier     string   // stop, push or ci
	Args     []string // narrow the one named check: a focused run, never proof
	Fresh    bool     // run what is proven too, with the runners' own caches off
	FailFast bool     // start nothing more once a check has failed
	Rerun    string   // why trying again counts
	Trigger  string   // who asks, for the record
}

// pick selects the checks and what they need, in file order.
func (v *verify) pick() error {
	wanted := map[string]bool{}
	byName := map[string]config.Check{}
	for _, c := range v.Config.Checks {
		byName[c.Name] = c
		if len(v.Names) == 0 && within(c.Gate, v.Tier) {
			wanted[c.Name] = true
		}
	}
	for _, name := range v.Names {
		if _, ok := byName[name]; !ok {
			return UnknownCheckError{Name: name, Known: names(v.Config.Checks)}
		}
		wanted[name] = true
	}
	asked := map[string]bool{}
	var need func(name string)
	need = func(name string) {
		wanted[name] = true
		for _, n := range byName[name].Needs {
			if !wanted[n] {
				need(n)
			}
		}
	}
	for name := range wanted {
		asked[name] = true
	}
	for name := range asked {
		need(name)
		for _, n := range byName[name].Needs {
			need(n)
		}
	}
	for _, c := range v.Config.Checks {
		if !wanted[c.Name] {
			continue
		}
		r, ok := v.Runners.Lookup(c.Runner)
		if !ok {
			return fmt.Errorf("check %s names the runner %q, which does not exist", c.Name, c.Runner)
		}
		j := &job{check: c, runner: r, queued: make(chan struct{}), done: make(chan struct{})}
		if asked[c.Name] {
			j.args = v.Args
			m := runners.Machine{Env: v.Env, Root: v.Config.Root, OS: runtime.GOOS, Arch: runtime.GOARCH, Args: v.Args}
			if _, err := v.Runners.Plan(c, m); err != nil && len(v.Args) > 0 {
				return err // they would not reach the runner
			}
		}
		if n := len(v.order); n > 0 {
			j.before = v.order[n-1].queued
		}
		if len(j.args) > 0 { // arguments that do not reach the runner are a mistake of the caller's, not a run
			if _, err := v.Runners.Plan(c, runners.Machine{Env: v.Env, Root: v.Config.Root, OS: runtime.GOOS, Arch: runtime.GOARCH, Args: j.args}); err != nil {
				return err
			}
		}
		v.jobs[c.Name] = j
		v.order = append(v.order, j)
	}
	return nil
}

// tiers from the first moment to the last.
var tiers = []string{"stop", "push", "ci"}

// within reports whether a check with this gate must be proven at the tier.
func within(gate, tier string) bool {
	i, j := slices.Index(tiers, gate), slices.Index(tiers, tier)
	return i >= 0 && i <= j
}

// UnknownCheckError names a check that factgate.toml does not have.
type UnknownCheckError struct {
	Name  string
	Known []string
}

func (e UnknownCheckError) Error() string {
	return fmt.Sprintf("there is no check %q in factgate.toml", e.Name)
}

// CheckNames lists the checks of factgate.toml, in its order.
func (k Checker) CheckNames() []string { return names(k.Config.Checks) }

func names(checks []config.Check) (out []string) {
	for _, c := range checks {
		out = append(out, c.Name)
	}
	return out
}
