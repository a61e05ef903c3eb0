package worktree

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxMarks bounds how many paths with one index flag are listed.
const maxMarks = 20

// Inspect adds to Anomalies what else hides changes from git: settings, exclude files outside the tree, replaced
// objects. None of it deceives the identity; a person who looks with git should know. It asks git, and belongs
// where a run really starts.
func (t *Tree) Inspect(ctx context.Context) error {
	if t.top == "" {
		return nil
	}
	found, err := t.settings(ctx)
	if err != nil {
		return fmt.Errorf("tree %s: %w", t.root, err)
	}
	replaced, err := t.replaces(ctx)
	if err != nil {
		return fmt.Errorf("tree %s: %w", t.root, err)
	}
	if replaced {
		found = append(found, "replaced objects: refs/replace")
	}
	for _, name := range [...]string{"info/exclude", "info/grafts", "info/sparse-checkout", "info/attributes"} {
		path := filepath.Join(t.dirs.common, filepath.FromSlash(name))
		if name == "info/sparse-checkout" {
			path = filepath.Join(t.dirs.own, filepath.FromSlash(name))
		}
		says, err := hasLines(path)
		if err != nil {
			return fmt.Errorf("tree %s: %w", t.root, err)
		}
		if says {
			found = append(found, "not empty: .git/"+name)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, a := range found {
		if !slices.Contains(t.Anomalies, a) {
			t.Anomalies = append(t.Anomalies, a)
		}
	}
	return nil
}

// replaces says whether any object stands for another one. Refs that are files are looked at without git.
func (t *Tree) replaces(ctx context.Context) (bool, error) {
	if _, err := os.Lstat(filepath.Join(t.dirs.common, "reftable")); err == nil {
		out, err := t.asker.ask(ctx, t.root, "for-each-ref", "--count=1", "--format=%(refname)", "refs/replace/")
		return len(out) > 0, err
	}
	packed, err := os.ReadFile(filepath.Join(t.dirs.common, "packed-refs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if bytes.Contains(packed, []byte(" refs/replace/")) {
		return true, nil
	}
	names, err := os.ReadDir(filepath.Join(t.dirs.common, "refs", "replace"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return len(names) > 0, err
}

// settings are those of git, from any of its files, that hide changes.
func (t *Tree) settings(ctx context.Context) ([]string, error) {
	out, err := t.asker.configuration(ctx, t.root, t.dirs)
	if err != nil {
		return nil, fmt.Errorf("git config in %s: %w", t.root, err)
	}
	last := map[string]string{} // the last value counts
	var keys []string
	for rest := string(out); rest != ""; {
		var record string
		_, rest, _ = strings.Cut(rest, "\x00") // the file that says it
		record, rest, _ = strings.Cut(rest, "\x00")
		key, value, hasValue := strings.Cut(record, "\n")
		if !hasValue {
			value = "true" // a key alone
		}
		if _, seen := last[key]; !seen {
			keys = append(keys, key)
		}
		last[key] = value
	}
	var found []string
	for _, key := range keys {
		if hides(key, last[key]) {
			found = append(found, "git setting: "+key+"="+last[key])
		}
	}
	if _, set := last["core.excludesfile"]; !set {
		if path := t.asker.userExcludes(); path != "" {
			if says, err := hasLines(path); err == nil && says {
				found = append(found, "not empty: "+path)
			}
		}
	}
	return found, nil
}

// configuration is what git is set to in a repository, from any of its files: for each value the file, a NUL, the key, a
// line end, the value, a NUL. It is remembered as long as those files stay the same.
func (a asker) configuration(ctx context.Context, dir string, dirs gitDirs) ([]byte, error) {
	if a.git == nil {
		return nil, errors.New("no git program")
	}
	args := []string{"config", "--list", "--show-origin", "-z"}
	files := a.configFiles(dirs)
	before := digestOf(files)
	question := dir + "\x00" + strings.Join(args, "\x00")
	if a.answers != nil {
		if out, ok := a.answers.get(question, before); ok {
			return out, nil
		}
	}
	// Not through the hardened options: they would stand in the list.
	out, err := a.git(ctx, dir, a.env, args...)
	if err == nil && a.answers != nil && len(out) > 0 && saidBy(out, files) && digestOf(files) == before {
		a.answers.put(question, before, out)
	}
	return out, err
}

// configFiles are where git's settings are, unless they include others or git was built to look elsewhere.
func (a asker) configFiles(dirs gitDirs) []string {
	files := []string{"/etc/gitconfig", filepath.Join(dirs.common, "config"), filepath.Join(dirs.own, "config.worktree")}
	if dir := a.userConfig(); dir != "" {
		files = append(files, filepath.Join(dir, "config"))
	}
	if home := a.variable("HOME"); home != "" {
		files = append(files, filepath.Join(home, ".gitconfig"))
	}
	return files
}

// saidBy reports whether nothing but the files decides a configuration: the repository's own are named relative to it.
func saidBy(configuration []byte, files []string) bool {
	records := strings.Split(string(configuration), "\x00")
	for i := 0; i+1 < len(records); i += 2 {
		file, ok := strings.CutPrefix(records[i], "file:")
		if !ok || filepath.IsAbs(file) && !slices.Contains(files, filepath.Clean(file)) {
			return false
		}
		if key := records[i+1]; strings.HasPrefix(key, "include.") || strings.HasPrefix(key, "includeif.") {
			return false
		}
	}
	return true
}

// digestOf is one digest of what some files hold now; whatever keeps one from being read counts as its content.
func digestOf(files []string) [sha256.Size]byte {
	h := sha256.New()
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			text = []byte(err.Error())
		}
		h.Write(binary.AppendUvarint(nil, uint64(len(text))))
		h.Write(text)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// hides says whether a setting can keep a change from git's eyes, or show it other bytes than those on disk.
func hides(key, value string) bool {
	off := value == "" || strings.EqualFold(value, "false") || strings.EqualFold(value, "no") ||
		strings.EqualFold(value, "off") || value == "0"
	switch key {
	case "core.filemode", "core.trustctime", "core.symlinks":
		return off
	case "core.checkstat":
		return strings.EqualFold(value, "minimal")
	case "core.fsmonitor", "core.sparsecheckout", "core.ignorestat":
		return !off
	case "core.excludesfile", "core.attributesfile", "core.worktree":
		return value != ""
	}
	if strings.HasPrefix(key, "filter.") {
		// git-lfs is on most machines; its files are named by .gitattributes, which are in the tree.
		return !strings.HasPrefix(value, "git-lfs ") && (strings.HasSuffix(key, ".clean") || strings.HasSuffix(key, ".process"))
	}
	return false
}

// userExcludes is where git looks for the user's ignore rules when no setting says otherwise.
func (a asker) userExcludes() string {
	if dir := a.userConfig(); dir != "" {
		return filepath.Join(dir, "ignore")
	}
	return ""
}

// userConfig is the folder of the user's settings for git; "" without a home.
func (a asker) userConfig() string {
	if config := a.variable("XDG_CONFIG_HOME"); config != "" {
		return filepath.Join(config, "git")
	}
	if home := a.variable("HOME"); home != "" {
		return filepath.Join(home, ".config", "git")
	}
	return ""
}

// variable is the last value of a variable in git's environment.
func (a asker) variable(name string) (value string) {
	for _, v := range a.env {
		if rest, ok := strings.CutPrefix(v, name+"="); ok {
			value = rest
		}
	}
	return value
}

// hasLines says whether a file is there and holds more than comments and empty lines.
func hasLines(path string) (bool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return false, err
	}
	for _, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return true, nil
		}
	}
	return false, nil
}

// boundMarks lists at most maxMarks of the index flags, and says how many more there are.
func boundMarks(marks []string) []string {
	if len(marks) <= maxMarks {
		return marks
	}
	return append(slices.Clone(marks[:maxMarks]), fmt.Sprintf("and %d more index flags that hide changes", len(marks)-maxMarks))
}
