package check

import (
	"context"
	"fmt"
	"sync"
	"time"

	"factgate/process"
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

	asking sync.Mutex // held while git is asked about a tree
	asked  map[*worktree.Tree]asked
}

// asked is what git has been asked about a tree.
type asked struct{ head, inspected bool }

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

// latest is the newest identity that was taken.
func (t *trees) latest() *worktree.Tree {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// headPatience bounds the question whether the bytes are HEAD's.
const headPatience = 30 * time.Second

// holdAgainstHead finds out whether the bytes of a tree are those of HEAD, once. Where git cannot say, they are not known
// to be: the tree stays dirty. A tree's Dirty and GitTree may be read after it.
func (t *trees) holdAgainstHead(tree *worktree.Tree) {
	t.ask(tree, func(a *asked) {
		if a.head {
			return
		}
		a.head = true
		for other, b := range t.asked { // the same bytes and the same HEAD: the same answer
			if b.head && other.ID == tree.ID && other.Head == tree.Head {
				tree.Dirty, tree.GitTree = other.Dirty, other.GitTree
				return
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), headPatience)
		defer cancel()
		_, _ = tree.MatchesHead(ctx)
	})
}

// inspect lists what hides changes from git, once, for the record of a run. The identity does not depend on it, so that an
// answer that git does not give takes nothing away from a proof.
func (t *trees) inspect(ctx context.Context, tree *worktree.Tree) {
	t.ask(tree, func(a *asked) {
		if !a.inspected {
			a.inspected = true
			_ = tree.Inspect(ctx)
		}
	})
}

func (t *trees) ask(tree *worktree.Tree, question func(*asked)) {
	if tree == nil {
		return
	}
	t.asking.Lock()
	defer t.asking.Unlock()
	if t.asked == nil {
		t.asked = map[*worktree.Tree]asked{}
	}
	a := t.asked[tree]
	question(&a)
	t.asked[tree] = a
}

// git starts git for the tree's identity.
func (k Checker) git(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	out, code, err := process.Output(ctx, dir, env, append([]string{"git"}, args...), 1<<30)
	if err != nil {
		return nil, err
	}
	if code != 0 {
		return nil, fmt.Errorf("git exited with %d", code)
	}
	return out, nil
}
