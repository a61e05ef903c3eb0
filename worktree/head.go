package worktree

import (
	"context"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
)

// MatchesHead says whether the bytes on disk are those of HEAD's commit: every file of it, and nothing beside but what
// is ignored. It sets Dirty, and GitTree where the root is the top of the work tree. Bytes are compared, not what a
// filter or an end-of-line rule would make of them: a file that is stored in another form is a difference. A submodule
// matches when its bytes are those of the commit that HEAD names. It asks git once, and once per submodule.
func (t *Tree) MatchesHead(ctx context.Context) (bool, error) {
	if t.Head == "" || t.headTree == "" {
		return false, nil
	}
	var entries []*Entry
	for i := range t.Entries {
		if !t.Entries[i].Ignored {
			entries = append(entries, &t.Entries[i])
		}
	}
	same, err := t.matches(ctx, "", t.Head, entries)
	if err != nil {
		return false, fmt.Errorf("tree %s: %w", t.root, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if same {
		t.Dirty = false
		if t.top == t.root {
			t.GitTree = t.headTree
		}
	}
	return same, nil
}

// matches holds entries, those below the folder prefix, against a commit of the repository there.
func (t *Tree) matches(ctx context.Context, prefix, commit string, entries []*Entry) (bool, error) {
	dir := filepath.Join(t.root, filepath.FromSlash(prefix))
	out, err := t.asker.content(ctx, dir, "ls-tree", "-r", "-z", commit)
	if err != nil {
		return false, err
	}
	if len(out) > 0 && out[len(out)-1] != 0 {
		return false, fmt.Errorf("git ls-tree in %s: its output is cut off", dir)
	}
	for rest := string(out); rest != ""; {
		var record string
		record, rest, _ = strings.Cut(rest, "\x00")
		meta, path, ok := strings.Cut(record, "\t")
		fields := strings.Fields(meta) // mode, type, name
		if !ok || len(fields) != 3 {
			return false, fmt.Errorf("git ls-tree in %s: cannot read %q", dir, record)
		}
		path = prefix + path
		if fields[1] == "commit" {
			n := 0
			for n < len(entries) && strings.HasPrefix(entries[n].Path, path+"/") {
				n++
			}
			if n == 0 {
				return false, nil // a submodule that is not checked out: its bytes are not here
			}
			if same, err := t.submodule(ctx, path, fields[2], entries[:n]); !same || err != nil {
				return false, err
			}
			entries = entries[n:]
			continue
		}
		if len(entries) == 0 || entries[0].Path != path || entries[0].gitMode() != fields[0] ||
			hex.EncodeToString(entries[0].blob[:]) != fields[2] {
			return false, nil
		}
		entries = entries[1:]
	}
	return len(entries) == 0, nil
}

// submodule compares one submodule. Where it is no repository, or lacks the commit, nothing can match.
func (t *Tree) submodule(ctx context.Context, path, commit string, entries []*Entry) (bool, error) {
	if _, err := readGitDir(filepath.Join(t.root, filepath.FromSlash(path), ".git")); err != nil {
		return false, nil
	}
	same, err := t.matches(ctx, path+"/", commit, entries)
	if err != nil && ctx.Err() == nil {
		return false, nil // git does not have that commit there
	}
	return same, err
}

func (e *Entry) gitMode() string {
	switch {
	case e.Type == Link:
		return "120000"
	case e.Type != File:
		return ""
	case e.Exec:
		return "100755"
	}
	return "100644"
}
