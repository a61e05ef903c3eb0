package worktree

import (
	"path/filepath"
	"slices"
	"strings"
)

// maxHops bounds the links on one way, as the system does.
const maxHops = 40

// follow adds to a selection what its links lead to, as long as that lies in the tree: the file, or all below the folder,
// and what the links among these lead to in turn. With it go the links on the way and the .gitignore files above the end
// of it. A link that is an output decides nothing. Of a way that leaves the root only its end counts, where it comes back.
func (t *Tree) follow(sel *selection, p *pattern, out []bool) {
	var todo []int32
	picked := map[int32]bool{} // only what follow added
	add := func(i int32) {
		if _, own := slices.BinarySearch(sel.own, i); !own && !picked[i] {
			picked[i] = true
			todo = append(todo, i)
		}
	}
	ends := map[string]bool{}
	lead := func(folder, target string) {
		on, end, inside := t.resolve(folder, target)
		for _, i := range on {
			picked[i] = true
		}
		if !inside || ends[end] {
			return
		}
		ends[end] = true
		from, to := t.at(end)
		for i := from; i < to; i++ {
			add(int32(i))
		}
		for _, i := range t.ignores {
			if strings.HasPrefix(end+"/", folderOf(t.Entries[i].Path)) {
				sel.rules = append(sel.rules, i)
			}
		}
	}
	if len(sel.own) == 0 && (p.kind == onePath || p.kind == below) && p.plain != "" {
		if on, _, _ := t.resolve("", p.plain); len(on) > 0 {
			lead("", p.plain) // the pattern's own words go through a link
		}
	}
	todo = append(todo, sel.own...)
	done := map[int32]bool{}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if e := &t.Entries[i]; e.Type == Link && !done[i] && (out == nil || !out[i]) {
			done[i] = true
			lead(folderOf(e.Path), e.target)
		}
	}
	if len(done) == 0 && len(picked) == 0 {
		return
	}
	sel.led = true
	for i := range picked {
		sel.own = append(sel.own, i)
	}
	slices.Sort(sel.own)
	sel.own = slices.Compact(sel.own)
}

// resolve walks from a folder to a target, through links in the tree: on are those, and end is where it comes to, a path
// from the root that need not be there. inside is false where that is outside the root, or links lead in a circle.
func (t *Tree) resolve(folder, target string) (on []int32, end string, inside bool) {
	dir := strings.FieldsFunc(folder, isSlash)
	var rest []string
	hops := 0
	turn := func(target string) bool { // to a link's target, seen from dir
		if hops++; hops > maxHops {
			return false
		}
		slash := filepath.ToSlash(target)
		if !filepath.IsAbs(target) {
			rest = append(strings.Split(slash, "/"), rest...)
			return true
		}
		if below, ok := strings.CutPrefix(slash, filepath.ToSlash(t.root)+"/"); ok {
			dir, rest = nil, append(strings.Split(below, "/"), rest...)
			return true
		}
		back, ok := t.comeBack(strings.Join(append([]string{slash}, rest...), "/"))
		dir, rest = nil, back
		return ok
	}
	if !turn(target) {
		return on, "", false
	}
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(dir) > 0 {
				dir = dir[:len(dir)-1]
				continue
			}
			above := strings.Join(append([]string{filepath.Dir(t.root)}, rest...), "/")
			if rest = nil; !turn(above) {
				return on, "", false
			}
			continue
		}
		dir = append(dir[:len(dir):len(dir)], part)
		if i, ok := t.find(strings.Join(dir, "/")); ok && t.Entries[i].Type == Link {
			on, dir = append(on, int32(i)), dir[:len(dir)-1]
			if !turn(t.Entries[i].target) {
				return on, "", false
			}
		}
	}
	return on, strings.Join(dir, "/"), true
}

func isSlash(r rune) bool { return r == '/' }

// comeBack is where a path outside the root leads to, in parts from the root, if that is below it.
func (t *Tree) comeBack(path string) (parts []string, ok bool) {
	end, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, false
	}
	rel, err := filepath.Rel(t.root, end)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, false
	}
	return strings.Split(filepath.ToSlash(rel), "/"), true
}

// find is the place of the entry of that very path.
func (t *Tree) find(path string) (int, bool) {
	return slices.BinarySearchFunc(t.Entries, path, func(e Entry, path string) int { return strings.Compare(e.Path, path) })
}

// at is the range of the entry of that path, or of what lies below it; "" is the root.
func (t *Tree) at(path string) (from, to int) {
	if path == "" {
		return 0, len(t.Entries)
	}
	if i, ok := t.find(path); ok {
		return i, i + 1
	}
	from, _ = t.find(path + "/")
	to, _ = t.find(path + "0") // "0" follows "/"
	return from, to
}
