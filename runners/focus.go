package runners

import (
	"fmt"
	"slices"
	"strings"
)

// focused puts the extra arguments of one verify where the runner will read them. It refuses where nobody would read
// them, or where they would mean something else.
func focused(argv, args []string, at int, direct bool) ([]string, error) {
	if len(args) == 0 {
		return argv, nil
	}
	if direct {
		return insert(argv, args, at), nil
	}
	name := program(argv[0])
	switch name {
	case "make", "gmake", "mingw32-make", "ninja":
		return nil, fmt.Errorf("extra arguments do not reach the runner through %s, which would take them for targets", name)
	case "sh", "bash", "dash", "zsh", "ksh", "fish", "busybox":
		if slices.ContainsFunc(argv[1:], func(w string) bool {
			return strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.Contains(w, "c")
		}) {
			return nil, fmt.Errorf("extra arguments do not reach the runner through %s -c", name)
		}
	case "npm", "tox", "nox":
		if !slices.Contains(argv, "--") {
			argv = append(slices.Clone(argv), "--")
		}
	}
	return append(slices.Clone(argv), args...), nil
}

// insert adds args behind what argv gives the runner, and before a bare "--" or "-args", behind which the words belong
// to somebody else. What args has behind its own "--" goes there too.
func insert(argv, args []string, at int) []string {
	stop := func(w string) bool { return w == "--" || w == "-args" || w == "--args" }
	cut := len(argv)
	if i := slices.IndexFunc(argv[at:], stop); i >= 0 {
		cut = at + i
	}
	front, back := args, []string(nil)
	if i := slices.IndexFunc(args, stop); i >= 0 {
		front, back = args[:i], args[i:]
	}
	if cut < len(argv) && len(back) > 0 {
		back = back[1:]
	}
	return slices.Concat(argv[:cut], front, argv[cut:], back)
}
