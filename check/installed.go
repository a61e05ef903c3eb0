package check

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"factgate/config"
	"factgate/process"
	"factgate/runners"
)

// installed finds the programs of the runner's probes. Nothing is started.
func (v *verify) installed(c config.Check) map[string]program {
	all := map[string]program{}
	if len(c.Command) > 0 { // they are asked for only for what the default command is
		return all
	}
	dir, env := filepath.Join(v.Config.Root, filepath.FromSlash(c.Dir)), v.declaredEnv(c)
	for _, p := range v.Runners.Probes(c) {
		if p.Program == "" {
			continue
		}
		if prog := v.programs.resolve(found(p, env), dir, env); prog.Digest != "" {
			all[p.ID] = prog
		}
	}
	return all
}

// askInstalled asks them. A program is started once: what it says of itself is kept for as long as its bytes stay the same.
func (v *verify) askInstalled(ctx context.Context, c config.Check, answers map[string]string) {
	dir, env := filepath.Join(v.Config.Root, filepath.FromSlash(c.Dir)), v.declaredEnv(c)
	all := v.installed(c)
	for _, p := range v.Runners.Probes(c) {
		prog, there := all[p.ID]
		if !there {
			continue
		}
		argv := append([]string{p.Program}, p.Argv...)
		said := v.programs.version(prog.Digest, argv)
		if said == "" {
			if said = v.saidBy(ctx, prog.Path, dir, env, p.Argv); said == "" {
				continue
			}
			v.programs.keepVersion(prog.Digest, argv, said)
		}
		answers[p.ID] = said
	}
}

// saidBy is the first line that a program prints; empty where it does not end well.
func (v *verify) saidBy(ctx context.Context, path, dir string, env, args []string) string {
	limited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, code, err := process.Output(limited, dir, env, append([]string{path}, args...), 64<<10)
	if err != nil || code != 0 {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line
}

// found is the path of a probe's program in the first of its folders that has a name, or the bare name, which PATH resolves.
func found(p runners.Probe, env []string) string {
	for _, folder := range p.Folders {
		known := true
		folder = os.Expand(folder, func(name string) string {
			value := lookup(env, name)
			known = known && value != ""
			return value
		})
		if !known {
			continue
		}
		if path := find(p.Program, "", []string{"PATH=" + folder}); path != "" {
			return path
		}
		break
	}
	return p.Program
}

// declaredEnv is the inherited environment with what the check declares, for whatever is looked up in it.
func (v *verify) declaredEnv(c config.Check) []string {
	var env []string
	for _, e := range v.Env {
		name, _, _ := strings.Cut(e, "=")
		if _, replaced := c.Env[name]; !replaced {
			env = append(env, e)
		}
	}
	for name, value := range c.Env {
		if value != "" { // else it is removed
			env = append(env, name+"="+value)
		}
	}
	return env
}
