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
	"factgate/worktree"
)

// keyed is what a run's outcome depends on. Policy (timeout, min_tests, flaky, cached, gate) is not in it: policy is
// applied by deciding again over the recorded facts.
type keyed struct {
	Plan     runners.Material  `json:"plan"`
	Focus    []string          `json:"focus,omitempty"` // arguments that narrow the run
	Inputs   string            `json:"inputs"`
	Patterns []string          `json:"patterns,omitempty"`
	Program  string            `json:"program"`
	Beside   string            `json:"beside,omitempty"` // digest of a program that the first one starts
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

// inputs is the digest of a check's inputs, less what runs may leave in the tree, and the patterns that match nothing.
func (v *verify) inputs(t *worktree.Tree, c config.Check) (digest string, unmatched []string) {
	return t.Digest(c.Inputs, v.outputs)
}

// key gives the job its key on a tree. It asks the machine nothing but for the bytes of the programs and of the witnesses.
// What an installed program would answer follows from its bytes.
func (v *verify) key(j *job, t *worktree.Tree, needs []string) (program, error) {
	answers, beside := map[string]string{}, v.installed(j.check)
	for id := range beside {
		answers[id] = runners.Unasked
	}
	plan, err := v.Runners.Plan(j.check, runners.Machine{Env: v.Env, Root: v.Config.Root, OS: runtime.GOOS, Arch: runtime.GOARCH, Answers: answers})
	if err != nil {
		return program{}, err
	}
	inputs, _ := v.inputs(t, j.check)
	prog := v.programs.resolve(declared(j)[0], plan.Dir, v.declaredEnv(j.check))
	k := keyed{Plan: plan.Material(), Focus: j.args, Inputs: inputs, Patterns: j.check.Inputs, Program: prog.Digest, Beside: beside[plan.Beside].Digest,
		Witness: witnesses(plan.Witness, plan.Dir, v.Config.Root), Needs: needs}
	j.key = k.sum()
	return prog, nil
}

// keyWithoutTree gives the job a key that no run has: nobody knows what it would depend on.
func (v *verify) keyWithoutTree(j *job) {
	k := keyed{Inputs: "unknown", Patterns: j.check.Inputs, Focus: v.Args}
	if plan, err := v.Runners.Plan(j.check, runners.Machine{Env: v.Env, Root: v.Config.Root, OS: runtime.GOOS, Arch: runtime.GOARCH}); err == nil {
		k.Plan = plan.Material()
	}
	j.key = k.sum()
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
