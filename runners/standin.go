package runners

import (
	"path/filepath"
	"slices"
	"strings"
)

// standIn puts our program in the place of one that argv names by its path: the PATH of the run does not lead there. The
// path goes into the environment, for ours to start. It also remembers what argv[0] really is, since ours is there
// whether or not the program is.
func (p *Plan) standIn(r Runner, argv []string, m Machine, e *environ) []string {
	at := nameAt(r, argv)
	if at >= len(argv) || !slices.Contains(r.Programs, program(argv[at])) || !slices.Contains(r.Shims, program(argv[at])) {
		return argv
	}
	name, path := program(argv[at]), argv[at]
	if at == 0 {
		p.StandIn = &StandIn{Program: path, Env: withoutTools(e, m.Tools)}
	}
	if !strings.Contains(path, "/") && !(m.OS == "windows" && strings.Contains(path, `\`)) {
		return argv
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Dir, filepath.FromSlash(path))
	}
	e.set(EnvReal+variable(name), path)
	argv = slices.Clone(argv)
	argv[at] = filepath.Join(m.Tools, "bin", name)
	if m.OS == "windows" {
		argv[at] += ".exe"
	}
	return argv
}

// withoutTools is the environment with our folders off PATH.
func withoutTools(e *environ, tools string) []string {
	bare := newEnviron(e.list(), e.os)
	bare.drop(Word{Name: "PATH", Sep: ":"}, func(entry string) bool { return tools != "" && strings.HasPrefix(entry, tools) })
	return bare.list()
}
