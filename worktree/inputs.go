package worktree

import (
	"slices"
	"sort"
	"strings"
)

// selection is what one pattern picks, as places in Tree.Entries, ascending.
type selection struct {
	own   []int32 // what matches
	rules []int32 // .gitignore files that decide what else could match and are not in own
	plain bool    // the pattern names one file, present or not: no rule has a say in it
	glob  bool    // it has a wildcard
	led   bool    // links led to what is in own
}

// ruled says whether .gitignore files have a say in it.
func (s *selection) ruled() bool { return !s.plain || s.led }

// Inputs is the digest of the entries that the patterns pick, SHA-256 in lower-case hex. Patterns are globs from the
// root; one without a wildcard names a file, or a folder and all below it. A symbolic link that is picked brings along what
// it leads to in the tree, see follow. The .gitignore files that hold for what is picked are part of it, since they can
// hide a file from it. Without patterns it is the ID. The absence of a path that a pattern names without a wildcard is part
// of the digest; a pattern with a wildcard that matches nothing is unmatched.
func (t *Tree) Inputs(patterns []string) (digest string, unmatched []string) {
	return t.Digest(patterns, nil)
}

// Digest is Inputs less the untracked entries that match outputs: what a run may write there does not change it.
func (t *Tree) Digest(inputs, outputs []string) (digest string, unmatched []string) {
	if len(inputs) == 0 && len(outputs) == 0 {
		return t.ID, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	out := t.mask(outputs)
	if len(inputs) == 0 {
		s := newSum("factgate tree less outputs 1\n")
		for i := range t.above {
			s.entry(&t.above[i])
		}
		for i := range t.Entries {
			if !out[i] {
				s.entry(&t.Entries[i])
			}
		}
		return s.hex(), nil
	}
	var sums []string
	for _, p := range inputs {
		sel := t.pick(p, outputs, out)
		if sel.glob && len(sel.own) == 0 {
			unmatched = append(unmatched, p)
		}
		sums = append(sums, t.sumOf(p, sel, outputs, out))
	}
	// The order of the patterns, and naming one twice, makes no difference.
	slices.Sort(sums)
	s := newSum("factgate inputs 1\n")
	for _, v := range slices.Compact(sums) {
		s.text(v)
	}
	return s.hex(), unmatched
}

// Files are the paths that the patterns pick, in byte order; without patterns all.
func (t *Tree) Files(patterns []string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var places []int32
	if len(patterns) == 0 {
		patterns = []string{"**"}
	}
	for _, p := range patterns {
		places = append(places, t.pick(p, nil, nil).own...)
	}
	slices.Sort(places)
	var paths []string
	for _, i := range slices.Compact(places) {
		paths = append(paths, t.Entries[i].Path)
	}
	return paths
}

// sumOf is the digest of one pattern's selection. Checks share patterns, so it is kept.
func (t *Tree) sumOf(text string, sel *selection, outputs []string, out []bool) string {
	key := text + "\x00" + maskKey(outputs)
	if known, ok := t.sums[key]; ok {
		return known
	}
	s := newSum("factgate pattern 1\n")
	if sel.ruled() {
		for i := range t.above {
			s.entry(&t.above[i])
		}
	}
	if sel.plain && len(sel.own) == 0 {
		s.text(newPattern(text).plain)
		s.text("absent")
	}
	for _, places := range [...][]int32{sel.rules, sel.own} {
		s.text("entries")
		for _, i := range places {
			if out == nil || !out[i] {
				s.entry(&t.Entries[i])
			}
		}
	}
	t.sums[key] = s.hex()
	return t.sums[key]
}

// mask marks the untracked entries that match outputs. It is nil when there are none to match.
func (t *Tree) mask(outputs []string) []bool {
	if len(outputs) == 0 {
		return nil
	}
	key := maskKey(outputs)
	if known, ok := t.masks[key]; ok {
		return known
	}
	ps := newPatterns(outputs)
	m := make([]bool, len(t.Entries))
	for i := range t.Entries {
		m[i] = !t.Entries[i].Tracked && ps.match(t.Entries[i].Path)
	}
	t.masks[key] = m
	return m
}

func maskKey(outputs []string) string { return strings.Join(outputs, "\x00") }

// pick finds what a pattern picks, where out marks the entries that match outputs. The caller holds t.mu.
func (t *Tree) pick(text string, outputs []string, out []bool) *selection {
	key := text + "\x00" + maskKey(outputs)
	if known, ok := t.memo[key]; ok {
		return known
	}
	p := newPattern(text)
	sel := &selection{glob: p.kind != onePath && p.text != ""}
	from, to := t.span(&p)
	for i := from; i < to; i++ {
		if p.match(t.Entries[i].Path) {
			sel.own = append(sel.own, int32(i))
		}
	}
	folder := p.prefix
	if p.kind == onePath {
		folder = p.plain + "/"
		// The only entry of that very path is a file; anything else is a folder's content.
		sel.plain = len(sel.own) == 0 || t.Entries[sel.own[0]].Path == p.plain
	}
	if !sel.plain {
		for _, i := range t.ignores {
			at := folderOf(t.Entries[i].Path)
			if !strings.HasPrefix(folder, at) && !strings.HasPrefix(at, folder) {
				continue
			}
			sel.rules = append(sel.rules, i)
		}
	}
	t.follow(sel, &p, out)
	slices.Sort(sel.rules)
	sel.rules = slices.DeleteFunc(slices.Compact(sel.rules), func(i int32) bool {
		_, picked := slices.BinarySearch(sel.own, i)
		return picked
	})
	t.memo[key] = sel
	return sel
}

// span is the range of entries in which every match of the pattern lies.
func (t *Tree) span(p *pattern) (from, to int) {
	at := func(path string) int {
		return sort.Search(len(t.Entries), func(i int) bool { return t.Entries[i].Path >= path })
	}
	switch p.kind {
	case onePath:
		// The path itself, or else what lies below it; both cannot be.
		if i := at(p.plain); i < len(t.Entries) && t.Entries[i].Path == p.plain {
			return i, i + 1
		}
		return at(p.plain + "/"), at(p.plain + "0") // "0" follows "/"
	case below:
		if p.plain != "" {
			if i := at(p.plain); i < len(t.Entries) && t.Entries[i].Path == p.plain {
				return i, i + 1
			}
		}
		return at(p.prefix), at(p.plain + "0")
	}
	if p.prefix == "" {
		return 0, len(t.Entries)
	}
	folder := strings.TrimSuffix(p.prefix, "/")
	return at(folder), at(folder + "0") // a/*/** may match a itself
}
