package shim

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
)

// cargoConfig is what matters here of cargo's configuration files: what our variables would hide.
type cargoConfig struct {
	runners   map[string][]string // by the key of the target table: a triple, or cfg(…)
	rustdoc   string
	targetDir string
}

type cargoFile struct {
	Build struct {
		Rustdoc   string `toml:"rustdoc"`
		TargetDir string `toml:"target-dir"`
	} `toml:"build"`
	Target map[string]struct {
		Runner any `toml:"runner"`
	} `toml:"target"`
}

// readCargoConfig merges the files from dir upwards and the one in cargo's home, the nearest first. A file that cannot be
// read is left out: cargo itself will say what is wrong with it.
func readCargoConfig(dir string, env []string) cargoConfig {
	merged := cargoConfig{runners: map[string][]string{}}
	home := cargoHome(env)
	seen := map[string]bool{}
	for at := dir; ; at = filepath.Dir(at) {
		merged.add(filepath.Join(at, ".cargo"), at, seen)
		if at == filepath.Dir(at) {
			break
		}
	}
	merged.add(home, filepath.Dir(home), seen)
	return merged
}

func cargoHome(env []string) string {
	if home := get(env, "CARGO_HOME"); home != "" {
		return home
	}
	return filepath.Join(get(env, homeVar), ".cargo")
}

// add merges the file in folder; its paths are relative to base.
func (m *cargoConfig) add(folder, base string, seen map[string]bool) {
	if seen[folder] {
		return
	}
	seen[folder] = true
	data, ok := readSmall(filepath.Join(folder, "config"))
	if !ok {
		if data, ok = readSmall(filepath.Join(folder, "config.toml")); !ok {
			return
		}
	}
	var f cargoFile
	if toml.Unmarshal(data, &f) != nil {
		return
	}
	if m.rustdoc == "" && f.Build.Rustdoc != "" {
		m.rustdoc = programPath(f.Build.Rustdoc, base)
	}
	if m.targetDir == "" && f.Build.TargetDir != "" {
		m.targetDir = f.Build.TargetDir
		if !filepath.IsAbs(m.targetDir) {
			m.targetDir = filepath.Join(base, m.targetDir)
		}
	}
	for key, t := range f.Target {
		if argv := runnerArgv(t.Runner, base); len(argv) > 0 && m.runners[key] == nil {
			m.runners[key] = argv
		}
	}
}

// runner is the user's own runner for a triple: its own table goes before those with cfg(…).
func (m *cargoConfig) runner(triple string) []string {
	if argv := m.runners[triple]; argv != nil {
		return argv
	}
	for key, argv := range m.runners {
		if strings.HasPrefix(key, "cfg(") && cfgMatches(key, triple) {
			return argv // cargo refuses two that match
		}
	}
	return nil
}

func runnerArgv(v any, base string) []string {
	var argv []string
	switch v := v.(type) {
	case string:
		argv = strings.Fields(v)
	case []any:
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return nil
			}
			argv = append(argv, s)
		}
	}
	if len(argv) > 0 {
		argv[0] = programPath(argv[0], base)
	}
	return argv
}

// programPath resolves a program as cargo does: a bare name is looked up on PATH, a path is relative to the configuration.
func programPath(p, base string) string {
	if filepath.IsAbs(p) || !strings.ContainsAny(p, `/\`) {
		return p
	}
	return filepath.Join(base, p)
}

// readSmall reads a file of at most 256 KiB.
func readSmall(path string) ([]byte, bool) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	const limit = 256 << 10
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	return data, err == nil && len(data) <= limit
}
