package parsers

import (
	"strings"

	"factgate/facts"
)

// expected says how a case ended by our rules, and why go-junit could see it in another way.
func expected(n *node) (s facts.Status, class string) {
	var found []*node
	speaking(n, false, &found)
	rank := map[string]int{"error": 5, "failure": 4, "flakyfailure": 3, "flakyerror": 3, "rerunfailure": 3, "rerunerror": 3, "skipped": 2, "disabled": 2, "ignored": 2}
	best, direct, shouted := 0, 0, false
	var why *node
	for _, k := range found {
		if r := rank[k.name]; r > best {
			best, why = r, k
		}
		if k.parent == n {
			direct++
		}
		shouted = shouted || k.local != k.name && rank[k.name] != 3
	}
	switch {
	case why == nil:
	case why.parent != n:
		class = deepChild
	case best == 3:
		class = flakyChild
	case why.name == "disabled" || why.name == "ignored":
		class = offChild
	case shouted:
		class = otherCase
	case direct > 1:
		class = lastWins
	}
	switch best {
	case 5:
		return facts.Errored, class
	case 4:
		return facts.Failed, class
	case 3:
		return facts.Passed, class
	case 2:
		return facts.Skipped, class
	}
	s = facts.Passed
	for _, name := range []string{"status", "result"} {
		v, ok := n.attr(name)
		if !ok {
			continue
		}
		switch strings.ToLower(v) {
		case "run", "completed", "passed":
		case "failed":
			s = facts.Failed
		case "notrun", "disabled", "suppressed", "skipped":
			if s == facts.Passed {
				s = facts.Skipped
			}
		default:
			return facts.StatusUnknown, byAttribute
		}
	}
	if s == facts.Passed && listsFile(n) {
		return facts.Skipped, fileListed
	}
	return s, byAttribute
}

// listsFile reports whether node wrote a case for a whole file.
func listsFile(n *node) bool {
	name, _ := n.attr("name")
	class, _ := n.attr("classname")
	for p := n.parent; p != nil && p.name != "testsuites"; p = p.parent {
		if p.name == "testsuite" {
			return false
		}
	}
	return class == "test" && strings.HasPrefix(name, "/") && strings.HasSuffix(name, ".test.js")
}
