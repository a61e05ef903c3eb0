package config

import "time"

// These take a value where it is well-formed, and the default where it is not there or is not.

func text(n *node, standard string) string {
	if n != nil {
		if s, ok := n.value.(string); ok {
			return s
		}
	}
	return standard
}

func boolean(n *node) bool {
	if n == nil {
		return false
	}
	b, _ := n.value.(bool)
	return b
}

func integer(n *node, standard int64) int64 {
	if n != nil {
		if v, ok := n.value.(int64); ok {
			return v
		}
	}
	return standard
}

func span(n *node, standard time.Duration) time.Duration {
	if d, err := parseDuration(text(n, "")); err == nil {
		return d
	}
	return standard
}

func bytesOf(n *node, standard int64) int64 {
	if n != nil {
		if v, ok := parseSize(n.value); ok {
			return v
		}
	}
	return standard
}

func texts(n *node) []string {
	if n == nil {
		return nil
	}
	var list []string
	for _, k := range n.kids {
		if s, ok := k.value.(string); ok {
			list = append(list, s)
		}
	}
	return list
}

func globs(n *node) []string {
	list := texts(n)
	for i, s := range list {
		list[i] = cleanGlob(s)
	}
	return list
}

func environment(n *node) map[string]string {
	if n == nil || !n.table {
		return nil
	}
	env := map[string]string{}
	for _, k := range n.kids {
		if s, ok := k.value.(string); ok {
			env[k.name()] = s
		}
	}
	return env
}
