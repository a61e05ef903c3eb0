// Package worktree names the state of the code under test: from the bytes on disk, by its own walk.
//
// git's status is no proof of that state. An index flag, an exclude file outside the tree, a file system monitor or a
// same-size edit with its time set back all hide a change from it. So git is asked for one thing only, which paths it
// tracks, because a tracked path is never ignored; which other paths are ignored is decided here, by the .gitignore
// files in the tree alone. These are in the identity themselves, also one that ignores itself.
//
// The identity is the SHA-256 of the line "factgate tree 1" and then, in byte order of the paths, of every entry: path,
// type, the owner's execute bit, and the SHA-256 of a file's content or of a link's target. Nested repositories and
// submodules are entered by their bytes, without their .git. Not entered are: empty folders, what .gitignore or
// Options.Ignore leave out (unless it is tracked or named in Options.Ignored), and, when untracked, linked work trees of
// this very repository, editors' swap files, .DS_Store and the host's local settings; these are listed in Tree.Left.
// HEAD is not part of it.
//
// Rules are matched with case, also where core.ignoreCase is set. Where stat fields cannot show every change (Windows),
// every file is read each time.
package worktree

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Options say what belongs to the identity, and where help comes from.
type Options struct {
	// Git starts git. It is needed only where the root or a folder below it lies in a repository.
	Git Git
	// Env is the caller's environment, NAME=value; git gets it without its GIT_ variables.
	Env []string
	// Ignore are globs from the root that leave out untracked paths, beside the .gitignore files.
	Ignore []string
	// Ignored are globs from the root that name ignored paths to enter all the same; the inputs of all checks may be
	// given here as they are. A pattern names an ignored file or folder when its own words reach it: ".env", "gen/**"
	// and "conf/*.local" do; "**" and "src/**" do not, and so never pull in a node_modules or a build folder.
	Ignored []string
	// Cache is the path of the stat cache file; "" for none. It belongs to one root.
	Cache string
	// Deep reads every file, whatever the cache says.
	Deep bool
	// Answers, where given, spare git the questions of before, as long as nothing changed in what it answers from.
	Answers *Answers
	// Now is the clock, the same as the file system's.
	Now func() time.Time
}

// Entry is one thing on disk that belongs to the identity.
type Entry struct {
	Path    string // from the root, with slashes, as the bytes on disk are
	Type    Type
	Exec    bool // a file that its owner may execute
	Tracked bool // git tracks it, or the nested repository that it lies in does
	Ignored bool // .gitignore leaves it out, but it is a .gitignore file or named in Options.Ignored
	Digest  [sha256.Size]byte

	blob   [blobSize]byte
	target string // of a link
	stat   stat
	need   bool // the content is still to be read
	keep   bool // may enter the stat cache
}

// Tree is the state of a tree at one moment. Its methods may be called from several goroutines; MatchesHead and Inspect
// set fields, which others may read when they have returned.
type Tree struct {
	ID        string   // SHA-256 in lower-case hex
	Head      string   // name of HEAD's commit; empty without one
	Dirty     bool     // the bytes are not known to be HEAD's; MatchesHead finds out
	GitTree   string   // name of HEAD's tree when the bytes equal it whole; MatchesHead finds out
	Anomalies []string // what hides changes from git; Inspect adds what takes asking
	Left      []string // what was left out by a rule of ours and is not ignored: "swap file: PATH"
	Entries   []Entry  // in byte order of the paths

	root     string
	top      string // of the work tree; "" without git
	asker    asker
	dirs     gitDirs
	headTree string
	above    []Entry // .gitignore files above the root, paths from the root (../.gitignore), outermost first
	ignores  []int32 // places of the .gitignore files in Entries

	mu    sync.Mutex // guards what follows, Dirty, GitTree and Anomalies
	memo  map[string]*selection
	sums  map[string]string
	masks map[string][]bool
}

// attempts bounds how often a tree that changes while it is read is read again.
const attempts = 5

// Identify reads the tree below root. It is an error, and never an empty or partial tree, when a file or folder cannot
// be read, when git is there but cannot answer, or when the tree keeps changing while it is read.
func Identify(ctx context.Context, root string, o Options) (*Tree, error) {
	if o.Now == nil {
		return nil, errors.New("tree: no clock")
	}
	root, err := filepath.Abs(root)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return nil, fmt.Errorf("tree: %w", err)
	}
	for try := 1; ; try++ {
		t, err := identify(ctx, root, o)
		if err == nil {
			return t, nil
		}
		if ctx.Err() != nil || !errors.Is(err, errMoved) || try == attempts {
			return nil, fmt.Errorf("tree %s: %w", root, err)
		}
	}
}

func identify(ctx context.Context, root string, o Options) (*Tree, error) {
	ctx, cancel := context.WithCancel(ctx)
	var asking sync.WaitGroup // git is never left running behind the caller's back
	defer asking.Wait()
	defer cancel()

	top, dirs, err := findTop(root)
	if err != nil {
		return nil, err
	}
	w, err := newWalker(root, top, dirs, o, &asking)
	if err != nil {
		return nil, err
	}
	defer w.root.close()

	var h head
	headRead := make(chan struct{})
	if top != "" { // git works while we do
		w.repo = w.startRepository(ctx, nil, dirs, "")
		asking.Go(func() {
			defer close(headRead)
			h = readHead(ctx, w.asker, root, top, dirs)
		})
	} else {
		close(headRead)
	}
	if w.frame, w.above, err = rulesAbove(ctx, top, w.prefix, w.now); err != nil {
		return nil, err
	}
	w.cache = &cache{}
	if !o.Deep {
		w.cache = readCache(o.Cache)
	}
	if err := w.walk(ctx); err != nil {
		return nil, err
	}
	<-headRead
	if h.err != nil {
		return nil, h.err
	}
	return w.finish(ctx, h, o)
}

// newWalker opens the root.
func newWalker(root, top string, dirs gitDirs, o Options, asking *sync.WaitGroup) (*walker, error) {
	w := &walker{
		path: root, top: top, dirs: dirs, asker: newAsker(o.Git, o.Env, o.Answers), asking: asking, slots: make(chan struct{}, 4),
		leave: newPatterns(o.Ignore), names: newPatterns(o.Ignored),
		now: func() int64 { return o.Now().UnixNano() },
	}
	w.cond.L = &w.mu
	if top != "" && top != root {
		rel, err := filepath.Rel(top, root)
		if err != nil {
			return nil, err
		}
		w.prefix = filepath.ToSlash(rel) + "/"
	}
	var err error
	w.root, err = openPlace(root)
	return w, err
}

// split cuts a slash path into its folder, "" for the root, and its last part.
func split(path string) (dir, name string) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}
