package check

import (
	"crypto/sha256"
	"encoding/hex"
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
// linked worktrees share, and the root's path in its work tree; without git by the root's path.
func ChainName(root string) string {
	for top := root; ; top = filepath.Dir(top) {
		common := commonDir(filepath.Join(top, ".git"))
		if common != "" {
			rel, err := filepath.Rel(top, root)
			if err != nil {
				rel = root
			}
			return rootHash(common + "\x00" + filepath.ToSlash(rel))[:32]
		}
		if filepath.Dir(top) == top {
			return rootHash(root)[:32]
		}
	}
}

// commonDir follows a .git folder, or the .git file of a linked worktree, to the directory that all worktrees share.
func commonDir(dotgit string) string {
	info, err := os.Stat(dotgit)
	if err != nil {
		return ""
	}
	dir := dotgit
	if !info.IsDir() {
		data, err := Head(dotgit, 4096)
		if err != nil {
			return ""
		}
		if dir = field(data, "gitdir:"); dir == "" {
			return ""
		}
		dir = absolute(filepath.Dir(dotgit), dir)
	}
	if data, err := Head(filepath.Join(dir, "commondir"), 4096); err == nil {
		dir = absolute(dir, field(data, ""))
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
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
