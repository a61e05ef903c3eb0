package shim

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// GoFlagWords are the words of GOFLAGS that select, skip, list instead of running, preload or redirect. The go runner's table
// has the same list for the environment; a test of runners holds the two against each other.
func GoFlagWords() []string {
	return []string{"run", "skip", "list", "bench", "fuzz", "short", "failfast", "exec", "toolexec", "overlay", "c", "n", "o", "json"}
}

// scrubGoFlags removes those words from a value of GOFLAGS. Its words are always of the form -name or -name=value; quotes
// around a word are kept, as go strips them.
func scrubGoFlags(value string) (clean string, removed []string) {
	var keep []string
	words := GoFlagWords()
	for _, word := range goWords(value) {
		name, _, _ := strings.Cut(strings.TrimLeft(strings.Trim(word, `'"`), "-"), "=")
		if slices.Contains(words, strings.TrimPrefix(name, "test.")) {
			removed = append(removed, word)
		} else {
			keep = append(keep, word)
		}
	}
	return strings.Join(keep, " "), removed
}

// goWords splits as go does: at spaces, and a word that begins with a quote goes on to the next such quote.
func goWords(s string) []string {
	var words []string
	for {
		s = strings.TrimLeft(s, " \t\r\n")
		if s == "" {
			return words
		}
		end := strings.IndexAny(s, " \t\r\n")
		if s[0] == '\'' || s[0] == '"' {
			if i := strings.IndexByte(s[1:], s[0]); i >= 0 {
				end = i + 2
			}
		}
		if end < 0 || end >= len(s) {
			return append(words, s)
		}
		words, s = append(words, s[:end]), s[end:]
	}
}

// goFlags is the value of GOFLAGS that go will use where the environment has none, and where it is from: the file that go
// env -w writes, or the file beside go itself. The variable was cleaned when the run was planned, and what is in it now
// is declared: by the check, or by the command that it starts.
func goFlags(env []string, real string) (value, from string) {
	if get(env, "GOFLAGS") != "" {
		return "", ""
	}
	file := get(env, "GOENV")
	if file == "off" {
		return "", ""
	}
	if file == "" {
		file = filepath.Join(configDir(env), "go", "env")
	}
	if v := goEnvFile(file); v != "" {
		return v, "go env -w"
	}
	root := get(env, "GOROOT")
	if root == "" {
		if p, err := filepath.EvalSymlinks(real); err == nil {
			root = filepath.Dir(filepath.Dir(p))
		}
	}
	return goEnvFile(filepath.Join(root, "go.env")), "go.env"
}

// configDir is os.UserConfigDir for an environment that is given.
func configDir(env []string) string {
	switch runtime.GOOS {
	case "windows":
		return get(env, "AppData")
	case "darwin":
		return filepath.Join(get(env, "HOME"), "Library", "Application Support")
	}
	if d := get(env, "XDG_CONFIG_HOME"); d != "" {
		return d
	}
	return filepath.Join(get(env, "HOME"), ".config")
}

// goEnvFile reads GOFLAGS from a file of NAME=value lines; the last one counts, as it does for go.
func goEnvFile(path string) (value string) {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if v, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "GOFLAGS="); ok {
			value = v
		}
	}
	return value
}
