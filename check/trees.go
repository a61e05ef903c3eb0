package check

import (
	"context"
	"sync"
	"time"

	"factgate/worktree"
)

// trees takes the identity of the tree. Callers that ask at the same time share one walk, and never one that began
// before they asked.
type trees struct {
	identify func(context.Context) (*worktree.Tree, error)
	now      func() time.Time

	walking sync.Mutex // held during a walk
	mu      sync.Mutex // guards what follows
	next    *walk      // not begun yet
	last    *worktree.Tree
	begun   time.Time // when the walk of last began
	seen    map[*worktree.Tree]*sync.Once
}

type walk struct {
	done chan struct{}
	tree *worktree.Tree
	err  error
}

// take walks the tree, beginning after the call.
func (t *trees) take(ctx context.Context) (*worktree.Tree, error) {
	t.mu.Lock()
	w := t.next
	if w == nil {
		w = &walk{done: make(chan struct{})}
		t.next = w
		t.mu.Unlock()
		t.walk(ctx, w)
	} else {
		t.mu.Unlock()
		<-w.done
	}
	return w.tree, w.err
}

func (t *trees) walk(ctx context.Context, w *walk) {
	t.walking.Lock()
	defer t.walking.Unlock()
	t.mu.Lock()
	t.next = nil
	t.mu.Unlock()
	begun := t.now()
	w.tree, w.err = t.identify(ctx)
	if w.err == nil {
		t.mu.Lock()
		t.last, t.begun = w.tree, begun
		t.mu.Unlock()
	}
	close(w.done)
}

// recent is the newest identity if it is younger than a second, else a new one: a check that waited long for its turn
// must not be held against the bytes of the beginning.
func (t *trees) recent(ctx context.Context) (*worktree.Tree, error) {
	t.mu.Lock()
	last, age := t.last, t.now().Sub(t.begun)
	t.mu.Unlock()
	if last != nil && age >= 0 && age < time.Second {
		return last, nil
	}
	return t.take(ctx)
}

// inspect finds out, once for each tree, what hides changes from git in it and whether its bytes are HEAD's. What cannot
// be found out is left out: the identity does not depend on it.
func (t *trees) inspect(ctx context.Context, tree *worktree.Tree) {
	t.mu.Lock()
	once := t.seen[tree]
	if once == nil {
		once = &sync.Once{}
		t.seen[tree] = once
	}
	t.mu.Unlock()
	once.Do(func() {
		_ = tree.Inspect(ctx)
		_, _ = tree.MatchesHead(ctx)
	})
}

// latest is the newest identity that was taken.
func (t *trees) latest() *worktree.Tree {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}
