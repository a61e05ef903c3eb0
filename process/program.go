package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"factgate/facts"
)

// program is a program that was found, with all that it is started with.
type program struct {
	path string   // of the file to execute
	argv []string // argv[0] as the caller wrote it
	env  []string
	dir  string
}

// refusal is why a program cannot be started.
type refusal struct {
	kind facts.StartError
	text string
}

func (r *refusal) Error() string { return r.text }

func refuse(kind facts.StartError, format string, args ...any) *refusal {
	return &refusal{kind, fmt.Sprintf(format, args...)}
}

// resolve finds the program that argv names, the way the program's own environment would.
func resolve(argv, env []string, dir string) (program, error) {
	if len(argv) == 0 || argv[0] == "" {
		return program{}, refuse(facts.StartFailed, "no program is named")
	}
	for i, a := range argv {
		if strings.ContainsRune(a, 0) {
			return program{}, refuse(facts.StartFailed, "argument %d holds a NUL byte", i)
		}
	}
	for _, e := range env {
		if strings.ContainsRune(e, 0) {
			name, _, _ := strings.Cut(e, "=")
			return program{}, refuse(facts.StartFailed, "the environment variable %q holds a NUL byte", strings.ToValidUTF8(name, "?"))
		}
	}
	if err := checkDir(dir); err != nil {
		return program{}, err
	}
	p := program{argv: argv, env: lastOfEach(env), dir: dir}
	var err error
	p.path, err = find(argv[0], p.env, dir)
	return p, err
}

// checkDir refuses a working directory that is not there.
func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err != nil {
		return refuse(facts.NoDir, "working directory: %v", err)
	}
	if !info.IsDir() {
		return refuse(facts.NoDir, "working directory %s: not a directory", dir)
	}
	return nil
}

// find resolves a program's name. An empty entry of PATH and "." mean the working directory, where a repository could
// put a program of any name; they are skipped.
func find(name string, env []string, dir string) (string, error) {
	if hasSlash(name) {
		return found(below(dir, name))
	}
	path := lookup(env, "PATH")
	var denied error
	for _, entry := range filepath.SplitList(path) {
		if entry == "" || filepath.Clean(entry) == "." {
			continue
		}
		file, err := found(below(dir, filepath.Join(entry, name)))
		if err == nil {
			return file, nil
		}
		if r, ok := err.(*refusal); ok && r.kind == facts.NotExecutable && denied == nil {
			denied = err
		}
	}
	if denied != nil {
		return "", denied
	}
	if path == "" {
		return "", refuse(facts.NotFound, "%s: the environment has no PATH to look in", name)
	}
	return "", refuse(facts.NotFound, "%s: not found in PATH", name)
}

// below is where a path leads from dir.
func below(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	path = filepath.Join(dir, path)
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// lastOfEach drops all but the last entry of each variable: of two, one program reads the first, the next the last.
func lastOfEach(env []string) []string {
	last := make(map[string]int, len(env))
	for i, e := range env {
		last[variable(e)] = i
	}
	if len(last) == len(env) {
		return env
	}
	kept := make([]string, 0, len(last))
	for i, e := range env {
		if last[variable(e)] == i {
			kept = append(kept, e)
		}
	}
	return kept
}

// lookup returns the last value of a variable, or "".
func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if variable(env[i]) == variable(name+"=") {
			_, value, _ := strings.Cut(env[i], "=")
			return value
		}
	}
	return ""
}
