package check

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"factgate/config"
	"factgate/runners"
)

// keyed is what a run's outcome depends on. Policy (timeout, min_tests, flaky, cached, gate) is not in it: policy is
// applied by deciding again over the recorded facts.
type keyed struct {
	Runners  string            `json:"runners"` // version of the runner's own data
	Runner   string            `json:"runner"`
	Dir      string            `json:"dir"`
	Argv     []string          `json:"argv"` // command and args, before any injection
	Focus    []string          `json:"focus,omitempty"`
	Env      map[string]string `json:"env,omitempty"`
	KeepEnv  map[string]string `json:"keep_env,omitempty"` // keyed digests
	Inputs   string            `json:"inputs"`
	Patterns []string          `json:"patterns,omitempty"`
	Outputs  []string          `json:"outputs,omitempty"`
	Program  string            `json:"program"`
	Platform string            `json:"platform"`
	Witness  map[string]string `json:"witness,omitempty"`
	Needs    []string          `json:"needs,omitempty"` // their keys
}

func (k keyed) sum() string {
	data, err := json.Marshal(k) // maps are sorted
	if err != nil {
		panic(err) // strings and maps of strings: cannot happen
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// key forms the key of one check on a tree whose inputs have the given digest.
func (v *verify) key(c config.Check, r runners.Runner, inputs string, needs []string) (string, program) {
	argv := r.Argv(c)
	dir := filepath.Join(v.Config.Root, filepath.FromSlash(c.Dir))
	prog := v.programs.resolve(argv[0], dir, v.Env)
	k := keyed{
		Runners: r.Version(), Runner: c.Runner, Dir: c.Dir, Argv: argv, Focus: v.Args, Env: c.Env, Inputs: inputs,
		Patterns: c.Inputs, Outputs: c.Outputs, Program: prog.Digest, Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Witness: witnesses(r.Witness, dir, v.Config.Root), Needs: needs, KeepEnv: map[string]string{},
	}
	for _, name := range c.KeepEnv {
		if value, ok := lookupEnv(v.Env, name); ok {
			k.KeepEnv[name] = v.envDigest(name, value)
		} else {
			k.KeepEnv[name] = "unset"
		}
	}
	return k.sum(), prog
}

func lookupEnv(env []string, name string) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], name+"="); ok {
			return v, true
		}
	}
	return "", false
}

// envDigest names a value without telling it.
func (v *verify) envDigest(name, value string) string {
	if v.Store != nil {
		return v.Store.EnvDigest(name, value)
	}
	sum := sha256.Sum256([]byte(name + "\x00" + value))
	return hex.EncodeToString(sum[:])
}

// maxWitness bounds what is read of one witness; a lock file has a few MB at most.
const maxWitness = 64 << 20

// witnesses digests what names the installed dependencies: a file by its bytes, a folder by its name alone. A pattern
// is looked for in dir and then in each folder above it up to the root; the nearest match counts.
func witnesses(patterns []string, dir, root string) map[string]string {
	found := map[string]string{}
	for _, pattern := range patterns {
		for at := dir; ; at = filepath.Dir(at) {
			names := matches(at, pattern)
			for _, name := range names {
				path := filepath.Join(at, filepath.FromSlash(name))
				rel, err := filepath.Rel(root, path)
				if err != nil {
					rel = path
				}
				found[filepath.ToSlash(rel)] = fileDigest(path)
			}
			if len(names) > 0 || at == root || len(at) <= len(root) {
				break
			}
		}
	}
	return found
}

func matches(dir, pattern string) []string {
	if !strings.ContainsAny(pattern, "*?[{") {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(pattern))); err != nil {
			return nil
		}
		return []string{pattern}
	}
	names, err := doublestar.Glob(os.DirFS(dir), pattern)
	if err != nil {
		return nil
	}
	sort.Strings(names)
	return names
}

func fileDigest(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxWitness {
		return "present"
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "unreadable"
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
