package check

import (
	"context"
	"sync"

	"factgate/worktree"
)

// trees takes the identity of the tree. Callers that ask at the same time share one walk, and never one that began
// before they asked.
type trees struct {
	identify func(context.Context) (*worktree.Tree, error)

	walking sync.Mutex // held during a walk
	mu      sync.Mutex // guards what follows
	next    *walk      // not begun yet
	last    *worktree.Tree
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
	w.tree, w.err = t.identify(ctx)
	if w.err == nil {
		t.mu.Lock()
		t.last = w.tree
		t.mu.Unlock()
	}
	close(w.done)
}

// latest is the newest identity that was taken.
func (t *trees) latest() *worktree.Tree {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}
