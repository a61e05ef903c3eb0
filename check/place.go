package check

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// rootHash names a root by its path.
func rootHash(root string) string {
	sum := sha256.Sum256([]byte(root))
	return hex.EncodeToString(sum[:])
}

func short(s string) string { return s[:min(12, len(s))] }

// ChainName names the chain of records, the trust and the sessions of one root: by the git common directory, which all
// linked worktrees share, and the root's path in its work tree; without git by the root's path. A .git that is there and
// cannot be read is an error: its records belong to a chain that nobody can name now.
func ChainName(root string) (string, error) {
	for top := root; ; top = filepath.Dir(top) {
		common, err := commonDir(filepath.Join(top, ".git"))
		if err != nil {
			return "", fmt.Errorf("which repository this is cannot be told: %w", err)
		}
		if common != "" {
			rel, err := filepath.Rel(top, root)
			if err != nil {
				rel = root
			}
			return rootHash(common + "\x00" + filepath.ToSlash(rel))[:32], nil
		}
		if filepath.Dir(top) == top {
			return rootHash(root)[:32], nil
		}
	}
}

// commonDir follows a .git folder, or the .git file of a linked worktree, to the directory that all worktrees share. It is
// "" where there is none.
func commonDir(dotgit string) (string, error) {
	info, err := os.Stat(dotgit)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	dir := dotgit
	if !info.IsDir() {
		data, err := Head(dotgit, 4096)
		if err != nil {
			return "", err
		}
		if dir = field(data, "gitdir:"); dir == "" {
			return "", nil
		}
		dir = absolute(filepath.Dir(dotgit), dir)
	}
	data, err := Head(filepath.Join(dir, "commondir"), 4096)
	switch {
	case err == nil:
		dir = absolute(dir, field(data, ""))
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real, nil
	}
	return dir, nil
}

// field is the rest of the first line behind a prefix.
func field(data []byte, prefix string) string {
	line, _, _ := strings.Cut(string(data), "\n")
	rest, ok := strings.CutPrefix(line, prefix)
	if !ok {
		return ""
	}
	return strings.TrimSpace(rest)
}

func absolute(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}
