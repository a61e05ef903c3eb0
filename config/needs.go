package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// needs checks that every need is a check, and that none needs itself over any way.
func (r *reader) needs(checks []Check) {
	index := make(map[string]int, len(checks))
	names := make([]string, len(checks))
	for i, c := range checks {
		index[c.Name] = i
		names[i] = c.Name
	}
	for _, c := range checks {
		for i, need := range c.Needs {
			if _, ok := index[need]; ok {
				continue
			}
			at := []string{"checks", c.Name, "needs", element + strconv.Itoa(i)}
			r.problemAt(at, fmt.Sprintf("there is no check %q", short(need)), r.didYouMean(need, names))
		}
	}
	for _, cycle := range cycles(checks, index) {
		var way []string
		for _, i := range cycle {
			way = append(way, checks[i].Name)
		}
		const shown = 12
		first := way[0]
		if len(way) > shown {
			way = append(way[:shown:shown], "…")
		}
		r.problemAt([]string{"checks", first, "needs"}, "a cycle: "+strings.Join(append(way, first), " → "), "")
	}
}

// cycles returns one cycle for each edge that closes one, at most 20. It keeps its own stack: ten thousand checks may need each other in a row.
func cycles(checks []Check, index map[string]int) [][]int {
	const onStack, done = 1, 2
	type frame struct{ check, next int }
	state := make([]int, len(checks))
	var found [][]int
	for start := range checks {
		if state[start] != 0 {
			continue
		}
		stack := []frame{{check: start}}
		state[start] = onStack
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next == len(checks[top.check].Needs) {
				state[top.check] = done
				stack = stack[:len(stack)-1]
				continue
			}
			to, ok := index[checks[top.check].Needs[top.next]]
			top.next++
			switch {
			case !ok || state[to] == done:
			case state[to] == onStack:
				var cycle []int
				for i := len(stack) - 1; ; i-- {
					cycle = append(cycle, stack[i].check)
					if stack[i].check == to {
						break
					}
				}
				slices.Reverse(cycle)
				if found = append(found, cycle); len(found) == 20 {
					return found // more would not help anyone
				}
			default:
				state[to] = onStack
				stack = append(stack, frame{check: to})
			}
		}
	}
	return found
}

// folder notes a dir that leaves the root by a symbolic link: its tests would not be the tree's. A dir that is not there
// is not a mistake of the file; the run says so.
func (r *reader) folder(n *node, dir, root string) {
	at := n.kid("dir")
	if root == "" || at == nil || dir == "." {
		return
	}
	target, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(dir)))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		r.problem(at, fmt.Sprintf("%q cannot be looked into: %v", short(dir), err), "")
		return
	}
	if inside, err := below(root, target); err != nil || !inside {
		r.problem(at, fmt.Sprintf("%q leaves the root over a symbolic link", short(dir)), "")
	}
}
