package runners

import (
	"testing"

	"factgate/facts"
)

// TestLauncherCode: uv ends with 2 when it cannot start the program, and pytest with 2 when it was interrupted. Where no
// pytest reported itself the code is the launcher's.
func TestLauncherCode(t *testing.T) {
	set := builtinSet(t)
	launched, direct := check("pytest"), check("pytest")
	launched.Command = []string{"uv", "run", "pytest"}
	seen := facts.Process{Runner: "pytest", Ended: true, Code: 2, Meaning: facts.Interrupted}
	for _, c := range []struct {
		name     string
		launched bool
		code     int
		seen     []facts.Process
		want     facts.Meaning
	}{
		{"uv cannot start it", true, 2, nil, facts.NotClean},
		{"uv fails", true, 1, nil, facts.NotClean},
		{"pytest was interrupted behind uv", true, 2, []facts.Process{seen}, facts.Interrupted},
		{"a usage error before the probe was loaded", true, 4, nil, facts.Misused},
		{"an internal error before the probe was loaded", true, 3, nil, facts.Broke},
		{"uv ends with 0", true, 0, nil, facts.Clean},
		{"nothing stands between", false, 2, nil, facts.Interrupted},
	} {
		one := direct
		if c.launched {
			one = launched
		}
		p, err := set.Plan(one, machine())
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Meaning(facts.Exit{Code: c.code}, c.seen...); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestSeal: the secret of a run reaches its programs, and an outer run's never does.
func TestSeal(t *testing.T) {
	set := builtinSet(t)
	m := machine()
	m.Env = append(m.Env, EnvSeal+"=outer")
	p, err := set.Plan(check("pytest"), m)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := newEnviron(p.Env, "linux").get(EnvSeal); ok {
		t.Errorf("an outer run's secret is there: %q", got)
	}
	m.Seal = "inner"
	if p, err = set.Plan(check("pytest"), m); err != nil {
		t.Fatal(err)
	}
	if got, _ := newEnviron(p.Env, "linux").get(EnvSeal); got != "inner" || p.Seal != "inner" {
		t.Errorf("the run's secret is %q, the plan's %q", got, p.Seal)
	}
}

// TestDeclaredWords: what the file declares replaces the inherited value, so nothing of that was removed.
func TestDeclaredWords(t *testing.T) {
	c, m := check("pytest"), machine()
	c.Env = map[string]string{"PYTEST_ADDOPTS": "-k one"}
	m.Env = append(m.Env, "PYTEST_ADDOPTS=-k two")
	p, err := builtinSet(t).Plan(c, m)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := newEnviron(p.Env, "linux").get("PYTEST_ADDOPTS"); got != "-k one" || len(p.Notes) != 0 {
		t.Errorf("%q, notes %q", got, p.Notes)
	}
}
