package runners

import (
	"slices"
	"sort"

	"factgate/config"
)

// Tools lists our files and shims that the runners of the set need under the tools directory.
func (s Set) Tools() (files []ToolFile, shims []string) {
	for _, name := range s.names {
		files = append(files, s.byName[name].Files...)
		shims = append(shims, s.byName[name].Shims...)
	}
	sort.Slice(files, func(i, j int) bool { return files[i].Path < files[j].Path })
	slices.Sort(shims)
	return slices.CompactFunc(files, func(a, b ToolFile) bool { return a.Path == b.Path }), slices.Compact(shims)
}

// Outputs are the untracked paths, as globs from the root, that a check may change: its runner's and its own.
func (s Set) Outputs(c config.Check) []string { return outputs(c, s.byName[c.Runner]) }
