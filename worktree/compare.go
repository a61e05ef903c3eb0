package worktree

import (
	"slices"
	"strings"
)

// Compare holds the same inputs of two trees of one root against each other, those less that match outputs and are
// untracked both times: a tracked output counts. Without inputs it holds all. Moved are paths that appeared, vanished or
// have other bytes, type or mode; touched are those with the same bytes that were written or replaced meanwhile, as
// their change time or inode shows. Both are in byte order.
func Compare(before, after *Tree, inputs, outputs []string) (moved, touched []string) {
	out := newPatterns(outputs)
	was, is := before.chosen(inputs, outputs), after.chosen(inputs, outputs)
	report := func(a, b *Entry) {
		e := a
		if e == nil {
			e = b
		}
		if (a == nil || !a.Tracked) && (b == nil || !b.Tracked) && out.match(e.Path) {
			return
		}
		switch {
		case a == nil || b == nil || a.Type != b.Type || a.Exec != b.Exec || a.Digest != b.Digest:
			moved = append(moved, e.Path)
		default:
			touched = append(touched, e.Path)
		}
	}
	for len(was) > 0 || len(is) > 0 {
		switch {
		case len(is) == 0 || len(was) > 0 && was[0].Path < is[0].Path:
			report(was[0], nil)
			was = was[1:]
		case len(was) == 0 || is[0].Path < was[0].Path:
			report(nil, is[0])
			is = is[1:]
		default:
			if a, b := was[0], is[0]; a.Type != b.Type || a.Exec != b.Exec || a.Digest != b.Digest || a.stat != b.stat {
				report(a, b)
			}
			was, is = was[1:], is[1:]
		}
	}
	return moved, touched
}

// chosen are the entries that the inputs pick, with the .gitignore files that hold for them, in byte order.
func (t *Tree) chosen(inputs, outputs []string) []*Entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := t.mask(outputs)
	var places []int32
	rulesAbove := len(inputs) == 0
	for _, p := range inputs {
		sel := t.pick(p, outputs, out)
		places = append(append(places, sel.own...), sel.rules...)
		rulesAbove = rulesAbove || sel.ruled()
	}
	var chosen []*Entry
	if rulesAbove {
		for i := range t.above {
			chosen = append(chosen, &t.above[i])
		}
	}
	if len(inputs) == 0 {
		for i := range t.Entries {
			chosen = append(chosen, &t.Entries[i])
		}
	} else {
		slices.Sort(places)
		for _, i := range slices.Compact(places) {
			chosen = append(chosen, &t.Entries[i])
		}
	}
	if rulesAbove && len(t.above) > 0 {
		slices.SortFunc(chosen, func(a, b *Entry) int { return strings.Compare(a.Path, b.Path) })
	}
	return chosen
}
