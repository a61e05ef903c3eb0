package worktree

import (
	"context"
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
// objects. None of it deceives the identity; a person who looks with git should know. It asks git twice, and belongs
// where a run really starts.
func (t *Tree) Inspect(ctx context.Context) error {
	if t.top == "" {
		return nil
	}
	found, err := t.settings(ctx)
	if err != nil {
		return fmt.Errorf("tree %s: %w", t.root, err)
	}
	replaced, err := t.asker.ask(ctx, t.root, "for-each-ref", "--count=1", "--format=%(refname)", "refs/replace/")
	if err != nil {
		return fmt.Errorf("tree %s: %w", t.root, err)
	}
	if len(replaced) > 0 {
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

// settings are those of git, from any of its files, that hide changes.
func (t *Tree) settings(ctx context.Context) ([]string, error) {
	// Not through the hardened options: they would stand in the list.
	args := []string{"config", "--list", "-z"}
	if t.asker.git == nil {
		return nil, errors.New("no git program")
	}
	out, err := t.asker.git(ctx, t.root, t.asker.env, args...)
	if err != nil {
		return nil, fmt.Errorf("git config in %s: %w", t.root, err)
	}
	last := map[string]string{} // the last value counts
	var keys []string
	for rest := string(out); rest != ""; {
		var record string
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
	home, config := "", ""
	for _, v := range a.env {
		if value, ok := strings.CutPrefix(v, "HOME="); ok {
			home = value
		}
		if value, ok := strings.CutPrefix(v, "XDG_CONFIG_HOME="); ok {
			config = value
		}
	}
	switch {
	case config != "":
		return filepath.Join(config, "git", "ignore")
	case home != "":
		return filepath.Join(home, ".config", "git", "ignore")
	}
	return ""
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
