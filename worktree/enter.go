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

// enter turns the listed items into entries and folders still to read, or puts them off.
func (w *worker) enter(ctx context.Context, f folder, d *folderNode, rel string, own *Entry) error {
	var put []putOff
	known := w.cache.cursor(rel)
	if !d.ignored {
		d.files = make([]Entry, 0, w.notFolders())
	}
	for _, it := range w.items {
		path := it.full[len(w.prefix):]
		if own != nil && it.name == ignoreFile {
			d.files = append(d.files, *own)
			if kept, hit := known.find(it.name, &own.stat); hit && kept.digest == own.Digest {
				w.hits.Add(1)
			}
			continue
		}
		if d.ignored {
			if err := w.enterIgnored(f, d, path, it.kind == folderType, &known); err != nil {
				return err
			}
			continue
		}
		if out, why := w.leftOut(d, it, path); out {
			put = append(put, putOff{parent: d, full: it.full, dir: it.kind == folderType, why: why})
			continue
		}
		if it.kind == folderType {
			d.subs = append(d.subs, &folderNode{base: it.full + "/", frame: d.frame, repo: d.repo})
			continue
		}
		e, err := w.entry(f, path, it.name, &known)
		if err != nil {
			return err
		}
		d.files = append(d.files, e)
	}
	if put != nil {
		w.later(put...)
	}
	return nil
}

func (w *worker) notFolders() int {
	n := 0
	for i := range w.items {
		if w.items[i].kind != folderType {
			n++
		}
	}
	return n
}

// later keeps what can only be decided when it is known which paths are tracked.
func (w *walker) later(put ...putOff) {
	w.mu.Lock()
	w.put = append(w.put, put...)
	w.mu.Unlock()
}

// leftOut says whether a rule leaves an item out, and, where it is not .gitignore's or the user's, which one.
func (w *worker) leftOut(d *folderNode, it item, path string) (out bool, why string) {
	if d.frame.ignored(it.full, it.name, it.kind == folderType) || w.leave.match(path) {
		return true, ""
	}
	if it.kind != folderType {
		why = byproduct(path, it.name)
	}
	return why != "", why
}

// byproduct names what people's tools leave beside the work without being part of it.
func byproduct(path, name string) string {
	switch {
	case name == ".DS_Store":
		return "folder settings"
	case strings.HasPrefix(name, ".#"), len(name) > 2 && name[0] == '#' && name[len(name)-1] == '#':
		return "swap file"
	case len(name) > 5 && name[0] == '.' && strings.HasPrefix(name[len(name)-4:], ".sw") && 'a' <= name[len(name)-1] && name[len(name)-1] <= 'z':
		return "swap file"
	case name == "settings.local.json" && (path == ".claude/settings.local.json" || strings.HasSuffix(path, "/.claude/settings.local.json")):
		return "local settings"
	}
	return ""
}

// enterIgnored enters, from a folder that is ignored, what is tracked or named. The list of tracked paths is there.
func (w *walker) enterIgnored(f folder, d *folderNode, path string, dir bool, known *cursor) error {
	_, name := split(path)
	switch tracked := d.repo.has(path); {
	case dir && tracked:
		// A submodule, or a folder in the place of a tracked file: no rule from outside holds in it.
		d.subs = append(d.subs, &folderNode{base: w.prefix + path + "/", repo: d.repo})
	case dir:
		if d.repo.hasBelow(path) || d.names.reach(path) {
			d.subs = append(d.subs, &folderNode{base: w.prefix + path + "/", repo: d.repo, ignored: true, names: d.names})
		}
	case tracked || d.names.match(path):
		e, err := w.entry(f, path, name, known)
		if err != nil {
			return err
		}
		e.Ignored = !tracked
		d.files = append(d.files, e)
	}
	return nil
}

// resolve decides about what was put off from one folder, in the order of its names.
func (w *walker) resolve(put []putOff) error {
	d := put[0].parent
	if t := put[0].tree; t != nil {
		if path := put[0].full[len(w.prefix):]; !d.repo.hasBelow(path) {
			w.left = append(w.left, put[0].why+": "+path)
			return nil
		}
		// A folder of tracked files is not taken out of the tree by laying a work tree over it.
		t.linked = true
		w.queue = append(w.queue, t)
		return nil
	}
	rel := strings.TrimSuffix(d.base[min(len(w.prefix), len(d.base)):], "/")
	var f folder
	var err error
	opened := false
	known := w.cache.cursor(rel)
	subs := len(d.subs)
	for _, p := range put {
		path := p.full[len(w.prefix):]
		names := w.names.naming(path)
		if !d.repo.has(path) && names == nil && !(p.dir && d.repo.hasBelow(path)) {
			if p.why != "" {
				w.left = append(w.left, p.why+": "+path)
			}
			continue
		}
		if !opened {
			if f, err = w.root.folder(rel); err != nil {
				return pathError("open", rel, err)
			}
			defer f.close()
			opened = true
		}
		// As if the folder were an ignored one, with the names that reach this path.
		view := folderNode{repo: d.repo, names: names}
		if err := w.enterIgnored(f, &view, path, p.dir, &known); err != nil {
			return err
		}
		d.files, d.subs = append(d.files, view.files...), append(d.subs, view.subs...)
		d.moved = true
	}
	w.queue = append(w.queue, d.subs[subs:]...)
	return nil
}

// entry looks at one thing that is not a folder. A file's content comes from the cache or is read later.
func (w *walker) entry(f folder, path, name string, known *cursor) (Entry, error) {
	e := Entry{Path: path}
	var err error
	if e.Type, e.stat, err = f.stat(name); err != nil {
		return e, pathError("look at", path, err)
	}
	switch e.Type {
	case folderType:
		return e, pathError("look at", path, errMoved)
	case Link:
		target, err := f.readlink(name)
		if err != nil {
			return e, pathError("read link", path, err)
		}
		c := ofBytes([]byte(target))
		e.Digest, e.blob, e.target = c.digest, c.blob, target
	case File:
		e.Exec = e.stat.exec()
		c, hit := known.find(name, &e.stat)
		if hit {
			e.Digest, e.blob, e.keep = c.digest, c.blob, true
			w.hits.Add(1)
		}
		e.need = !hit
	}
	return e, nil
}

// collect brings all entries into path order.
func (w *walker) collect() []Entry {
	n := 0
	var count func(*folderNode)
	count = func(d *folderNode) {
		n += len(d.files)
		for _, s := range d.subs {
			count(s)
		}
	}
	count(w.base)
	all := make([]Entry, 0, n)
	var add func(*folderNode)
	add = func(d *folderNode) {
		if d.moved {
			slices.SortFunc(d.files, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
			slices.SortFunc(d.subs, func(a, b *folderNode) int { return strings.Compare(a.base, b.base) })
		}
		files := d.files
		for _, s := range d.subs {
			path := s.base[len(w.prefix):]
			for len(files) > 0 && files[0].Path < path {
				all, files = append(all, files[0]), files[1:]
			}
			add(s)
		}
		all = append(all, files...)
	}
	add(w.base)
	return all
}

// readAll reads the files that the cache does not know.
func (w *walker) readAll(ctx context.Context, entries []Entry) error {
	var todo []*Entry
	for i := range entries {
		if entries[i].need {
			todo = append(todo, &entries[i])
		}
	}
	var next atomic.Int64
	var once sync.Once
	var failed error
	stop, cancel := context.WithCancel(ctx)
	defer cancel()
	var workers sync.WaitGroup
	for range min(len(todo), max(2, runtime.GOMAXPROCS(0))) {
		workers.Go(func() {
			h := hasher{buf: make([]byte, 128<<10), now: w.now}
			for i := next.Add(1) - 1; i < int64(len(todo)); i = next.Add(1) - 1 {
				if err := w.readOne(stop, &h, todo[i]); err != nil {
					once.Do(func() { failed = err; cancel() })
					return
				}
			}
		})
	}
	workers.Wait()
	return failed
}

func (w *walker) readOne(ctx context.Context, h *hasher, e *Entry) error {
	f, err := w.root.open(e.Path)
	if err != nil {
		return pathError("open", e.Path, err)
	}
	defer f.Close()
	c, st, old, err := h.read(ctx, f)
	if err != nil {
		return pathError("read", e.Path, err)
	}
	e.Digest, e.blob, e.stat, e.Exec, e.need, e.keep = c.digest, c.blob, st, st.exec(), false, old
	return nil
}

// rulesAbove reads the .gitignore files from the top of the work tree down to the folder above the root. When they
// ignore the root itself they say nothing about what is in it, and none of them counts.
func rulesAbove(ctx context.Context, top, prefix string, now func() int64) (*frame, []Entry, error) {
	var at *frame
	var entries []Entry
	parts := strings.Split(strings.TrimSuffix(prefix, "/"), "/")
	base := ""
	for i, part := range parts {
		if prefix == "" {
			break
		}
		place, err := openPlace(filepath.Join(top, filepath.FromSlash(base)))
		if err != nil {
			return nil, nil, err
		}
		e, rules, err := readAbove(ctx, place, base, now)
		place.close()
		if err != nil {
			return nil, nil, err
		}
		if rules != nil {
			e.Path = strings.Repeat("../", len(parts)-i) + ignoreFile
			entries = append(entries, e)
			at = &frame{rules, at}
		}
		if at.ignored(base+part, part, true) {
			return nil, nil, nil
		}
		base += part + "/"
	}
	return at, entries, nil
}

func readAbove(ctx context.Context, p place, base string, now func() int64) (e Entry, r *rules, err error) {
	f, err := p.open(ignoreFile)
	if err != nil {
		if vanished(err) {
			return e, nil, nil
		}
		return e, nil, err
	}
	defer f.Close()
	text := []byte{}
	h := hasher{buf: make([]byte, 16<<10), now: now, text: &text}
	c, st, _, err := h.read(ctx, f)
	if err != nil {
		return e, nil, pathError("read", base+ignoreFile, err)
	}
	return Entry{Type: File, Exec: st.exec(), Digest: c.digest, stat: st}, parseRules(base, text), nil
}
