package worktree

import (
	"context"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// walker reads the folders below the root, several at once.
//
// Paths inside the walk count from the top of the work tree, as the rules need it; a path from the root is its end.
type walker struct {
	path   string // of the root
	root   place
	top    string
	prefix string // of the root from the top, with a trailing slash; "" when they are the same
	dirs   gitDirs
	asker  asker
	asking *sync.WaitGroup
	slots  chan struct{} // bounds how many repositories are asked at once
	leave  patterns      // Options.Ignore
	names  patterns      // Options.Ignored
	cache  *cache
	now    func() int64
	repo   *repository // that holds the root; nil without git
	frame  *frame      // rules from above the root
	above  []Entry

	mu    sync.Mutex
	cond  sync.Cond
	queue []*folderNode
	busy  int
	err   error
	put   []putOff
	repos []*repository

	hits atomic.Int64
	left []string
	base *folderNode
}

// folderNode is one folder of the walk and what was found in it.
type folderNode struct {
	base  string // path from the top with a trailing slash; "" for the top
	frame *frame
	repo  *repository
	// In a folder that is ignored as a whole only what is tracked or named is entered.
	ignored bool
	names   patterns // those of Options.Ignored that name it
	linked  bool     // a linked work tree that is walked all the same, since the repository tracks paths in it
	files   []Entry
	subs    []*folderNode
	moved   bool // entries were added behind the sorted ones
}

// putOff is a path that a rule leaves out, unless it turns out to be tracked or named.
type putOff struct {
	parent *folderNode
	full   string // from the top
	why    string // for Tree.Left; empty for what is ignored
	dir    bool
	tree   *folderNode // set for a linked work tree
}

// item is one name in a folder.
type item struct {
	full string // from the top
	name string
	kind Type
}

// walk reads the whole tree into w.base.
func (w *walker) walk(ctx context.Context) error {
	w.base = &folderNode{base: w.prefix, frame: w.frame, repo: w.repo}
	w.queue = []*folderNode{w.base}
	for {
		w.run(ctx)
		if w.err != nil {
			return w.err
		}
		// What the rules leave out waits until it is known which paths are tracked; meanwhile git was busy beside us.
		for _, r := range w.repos {
			<-r.done
			if r.err != nil {
				return r.err
			}
		}
		if len(w.put) == 0 {
			return nil
		}
		put := w.put
		w.put = nil
		for len(put) > 0 { // what comes from one folder was put off together
			n := 1
			for n < len(put) && put[n].parent == put[0].parent {
				n++
			}
			if err := w.resolve(put[:n]); err != nil {
				return err
			}
			put = put[n:]
		}
	}
}

// run works until the queue is empty and every worker has stopped.
func (w *walker) run(ctx context.Context) {
	var workers sync.WaitGroup
	for range max(2, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			k := &worker{walker: w, dirents: make([]byte, 32<<10)}
			for d := w.next(ctx); d != nil; d = w.next(ctx) {
				err := k.read(ctx, d)
				w.mu.Lock()
				w.busy--
				if err != nil && w.err == nil {
					w.err = err
				}
				if err == nil {
					w.queue = append(w.queue, d.subs...)
				}
				w.mu.Unlock()
				w.cond.Broadcast()
			}
		})
	}
	workers.Wait()
}

// next waits for a folder to read. It is nil when there is none left or something went wrong.
func (w *walker) next(ctx context.Context) *folderNode {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		if err := ctx.Err(); err != nil && w.err == nil {
			w.err = err
		}
		switch {
		case w.err != nil:
			return nil
		case len(w.queue) > 0:
			d := w.queue[len(w.queue)-1]
			w.queue = w.queue[:len(w.queue)-1]
			w.busy++
			return d
		case w.busy == 0:
			return nil
		}
		w.cond.Wait()
	}
}

// startRepository begins to ask for the tracked paths of the repository whose work tree, seen from the root, is prefix.
func (w *walker) startRepository(ctx context.Context, above *repository, dirs gitDirs, prefix string) *repository {
	r := &repository{above: above, dirs: dirs, prefix: prefix, done: make(chan struct{})}
	w.mu.Lock()
	w.repos = append(w.repos, r)
	w.mu.Unlock()
	dir := filepath.Join(w.path, filepath.FromSlash(prefix))
	w.asking.Go(func() {
		w.slots <- struct{}{}
		defer func() { <-w.slots }()
		r.list(ctx, w.asker, dir)
	})
	return r
}

// worker reads folders, one at a time.
type worker struct {
	*walker
	dirents []byte
	arena   []byte
	ends    []int
	kinds   []Type
	items   []item
}

// read lists one folder and enters what belongs to the tree.
func (w *worker) read(ctx context.Context, d *folderNode) error {
	rel := strings.TrimSuffix(d.base[min(len(w.prefix), len(d.base)):], "/")
	f, err := w.root.folder(rel)
	if err != nil {
		return pathError("open", rel, err)
	}
	defer f.close()
	hasGit, rulesAt, err := w.list(f, d)
	if err != nil {
		return pathError("list", rel, err)
	}
	if hasGit && d.base != "" && !d.ignored {
		if out, err := w.nested(ctx, d, rel); out || err != nil {
			return err
		}
	}
	var own *Entry
	if rulesAt >= 0 && !d.ignored {
		if own, err = w.readRules(ctx, f, d); err != nil {
			return err
		}
	}
	return w.enter(ctx, f, d, rel, own)
}

// list reads the names in a folder into w.items, sorted as the tree is. It says whether there is a .git, and the place
// of a .gitignore file or -1.
func (w *worker) list(f folder, d *folderNode) (hasGit bool, rulesAt int, err error) {
	w.arena, w.ends, w.kinds, w.items = w.arena[:0], w.ends[:0], w.kinds[:0], w.items[:0]
	err = f.list(w.dirents, func(name []byte, kind Type) {
		if string(name) == ".git" {
			hasGit = true
			return
		}
		w.arena = append(append(w.arena, d.base...), name...)
		w.ends, w.kinds = append(w.ends, len(w.arena)), append(w.kinds, kind)
	})
	if err != nil {
		return false, -1, err
	}
	all := string(w.arena) // one allocation for the folder's paths
	start := 0
	for i, end := range w.ends {
		full := all[start:end]
		name := full[len(d.base):]
		kind := w.kinds[i]
		if kind == unknownType {
			if kind, _, err = f.stat(name); err != nil {
				return false, -1, err
			}
		}
		w.items = append(w.items, item{full, name, kind})
		start = end
	}
	slices.SortFunc(w.items, compareItems)
	rulesAt = slices.IndexFunc(w.items, func(i item) bool { return i.name == ignoreFile && i.kind == File })
	return hasGit, rulesAt, nil
}

// compareItems orders a folder's names so that walking them in turn gives all paths in byte order: a folder stands
// where its name with a slash would.
func compareItems(a, b item) int {
	n := min(len(a.name), len(b.name))
	if c := strings.Compare(a.name[:n], b.name[:n]); c != 0 {
		return c
	}
	at := func(i item) int {
		switch {
		case len(i.name) > n:
			return int(i.name[n])
		case i.kind == folderType:
			return '/'
		}
		return -1
	}
	return at(a) - at(b)
}

// nested deals with a .git below the top. A linked work tree of the same repository is put off: out is true. Any other
// repository has rules and tracked paths of its own.
func (w *worker) nested(ctx context.Context, d *folderNode, rel string) (out bool, err error) {
	abs := filepath.Join(w.path, filepath.FromSlash(rel))
	dirs, err := readGitDir(filepath.Join(abs, ".git"))
	if err != nil {
		return false, nil // not a repository: a folder like others
	}
	if !d.linked && dirs.linkedTo(w.dirs.common, abs) {
		w.later(putOff{full: d.base[:len(d.base)-1], why: "linked worktree", dir: true, tree: d, parent: d})
		return true, nil
	}
	d.frame = nil
	d.repo = w.startRepository(ctx, d.repo, dirs, rel+"/")
	return false, nil
}

// readRules reads the folder's .gitignore. The rules in force and the bytes in the identity are the same read.
func (w *worker) readRules(ctx context.Context, f folder, d *folderNode) (*Entry, error) {
	full := d.base + ignoreFile
	file, err := f.open(ignoreFile)
	if err != nil {
		return nil, pathError("read", full[len(w.prefix):], err)
	}
	defer file.Close()
	text := []byte{}
	h := hasher{buf: make([]byte, 16<<10), now: w.now, text: &text}
	c, st, old, err := h.read(ctx, file)
	if err != nil {
		return nil, pathError("read", full[len(w.prefix):], err)
	}
	d.frame = &frame{parseRules(d.base, text), d.frame}
	return &Entry{
		Path: full[len(w.prefix):], Type: File, Exec: st.exec(), Digest: c.digest, blob: c.blob, stat: st, keep: old,
		Ignored: d.frame.ignored(full, ignoreFile, false),
	}, nil
}
