package config

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"factgate/facts"
)

func (r *reader) duration(n *node, k key) {
	s, ok := n.value.(string)
	if !ok {
		hint := ""
		if v, isInt := n.value.(int64); isInt && v > 0 {
			hint = fmt.Sprintf(`write "%ds" for seconds`, v)
		}
		r.problem(n, `must be a duration such as "90s" or "5m", not `+typeOf(n), hint)
		return
	}
	d, err := parseDuration(s)
	limit := time.Duration(k.max) * time.Second
	switch {
	case err != nil:
		r.problem(n, fmt.Sprintf("%q is not a duration", short(s)), `write "90s", "5m", "1h30m" or "30d"`)
	case d < 0:
		r.problem(n, fmt.Sprintf("%s is negative", s), "")
	case d == 0 && n.name() == "timeout":
		r.problem(n, "must be more than 0", "every run is bounded")
	case d > limit:
		r.problem(n, fmt.Sprintf("%s is more than %s", s, duration(limit)), "")
	}
}

// parseDuration reads what time.ParseDuration does, and whole days: "30d".
func parseDuration(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * day, err
	}
	return time.ParseDuration(s)
}

// duration is the shortest way to write d.
func duration(d time.Duration) string {
	if d >= 2*day && d%day == 0 {
		return fmt.Sprintf("%dd", d/day)
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func (r *reader) size(n *node, k key) {
	v, ok := parseSize(n.value)
	switch {
	case !ok:
		r.problem(n, "must be a size: a number of bytes, or a string such as \"64KiB\"", "units are B, KB, KiB, MB, MiB, GB, GiB")
	case v < k.min || v > k.max:
		r.problem(n, fmt.Sprintf("%v is not between %s and %s", n.value, size(k.min), size(k.max)), "")
	}
}

// parseSize reads bytes: an integer, or a string with a unit.
func parseSize(value any) (int64, bool) {
	s, isText := value.(string)
	if !isText {
		v, isInt := value.(int64)
		return v, isInt
	}
	digits := strings.TrimRight(s, "BKMGTi ")
	unit := strings.TrimSpace(s[len(digits):])
	factor, ok := map[string]int64{
		"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
	}[unit]
	v, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || v > math.MaxInt64/factor || v < -math.MaxInt64/factor {
		return 0, false
	}
	return v * factor, true
}

func size(v int64) string {
	for i, unit := range []string{"PiB", "TiB", "GiB", "MiB", "KiB"} {
		if one := int64(1) << (50 - 10*i); v >= one && v%one == 0 {
			return fmt.Sprintf("%d%s", v/one, unit)
		}
	}
	return fmt.Sprintf("%d bytes", v)
}

// path notes what makes s no path below the root, and reports whether it is one.
func (r *reader) path(n *node, s string) bool {
	text, hint := pathProblem(s)
	if text != "" {
		r.problem(n, text, hint)
	}
	return text == ""
}

func pathProblem(s string) (text, hint string) {
	switch {
	case s == "":
		return "is empty", `the root is "."`
	case strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return fmt.Sprintf("%q holds a control character", short(s)), ""
	case len(s) >= 2 && s[1] == ':' && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z'):
		return fmt.Sprintf("%q leaves the root", short(s)), "write a path relative to the root, with /"
	case strings.Contains(s, `\`):
		return fmt.Sprintf("%q holds a backslash", short(s)), "write /, also on Windows"
	case strings.HasPrefix(s, "/"):
		return fmt.Sprintf("%q leaves the root", short(s)), "write a path relative to the root"
	case s == "~" || strings.HasPrefix(s, "~/"):
		return fmt.Sprintf("%q leaves the root", short(s)), "there is no shell that would expand ~"
	case slices.Contains(strings.Split(s, "/"), ".."):
		return fmt.Sprintf("%q leaves the root", short(s)), "paths are relative to the root, and .. is not allowed in them"
	}
	return "", ""
}

func (r *reader) glob(n *node, s string) {
	switch {
	case !r.path(n, s):
	case strings.HasPrefix(s, "!"):
		r.problem(n, fmt.Sprintf("%q is an exclusion, which globs here do not have", short(s)), "list what belongs")
	case !doublestar.ValidatePattern(s) || len(s) > 1024:
		r.problem(n, fmt.Sprintf("%q is not a glob", short(s)), "")
	}
}

// cleanGlob is the form that all later comparing needs: no ./, no doubled or closing slash.
func cleanGlob(s string) string {
	if s = path.Clean(s); s == "." {
		return "**"
	}
	return s
}

// variable checks the name of an environment variable.
func (r *reader) variable(n *node, s string) {
	switch {
	case s == "":
		r.problem(n, "the name of a variable is empty", "")
	case strings.ContainsAny(s, "=\x00"):
		r.problem(n, fmt.Sprintf("%q is not the name of a variable", short(s)), "names have no = and no NUL")
	case s == "FACTGATE_RUN", s == "FACTGATE_RUN_DIR", s == "FACTGATE_NESTED":
		r.problem(n, s+" is set by factgate itself, for every run", "")
	}
}

func (r *reader) environment(n *node) {
	if !n.table {
		r.wrongType(n, "a table of strings")
		return
	}
	for _, e := range n.kids {
		r.variable(e, e.name())
		s, ok := e.value.(string)
		switch {
		case !ok && e.table:
			r.wrongType(e, "a string")
		case !ok:
			r.problem(e, "must be a string, not "+typeOf(e), "write it in quotes")
		case strings.ContainsRune(s, 0):
			r.problem(e, "holds a NUL character", "")
		}
	}
}

func (r *reader) exits(n *node) {
	if !n.table {
		r.wrongType(n, "a table of meanings")
		return
	}
	clean, wrong := false, false
	for _, e := range n.kids {
		if _, ok := parseExit(e.name()); !ok {
			r.problem(e, "an exit code is an integer from 0 to 4294967295", "")
			wrong = true
		}
		s, ok := r.text(e)
		if !ok {
			wrong = true
			continue
		}
		var m facts.Meaning
		if m.UnmarshalText([]byte(s)) != nil {
			hint := r.didYouMean(s, facts.Meanings())
			if hint == "" {
				hint = "the words are " + strings.Join(facts.Meanings(), ", ")
			}
			r.problem(e, fmt.Sprintf("%q is not a meaning", short(s)), hint)
			wrong = true
		}
		if code, ok := parseExit(e.name()); ok && code != 0 && m == facts.Clean {
			r.problem(e, "only 0 can mean clean", `write "tests_failed", "no_tests" or another word for what `+e.name()+" says")
			wrong = true
		}
		clean = clean || m == facts.Clean
	}
	if !clean && !wrong {
		r.problem(n, "no exit code means clean, so that nothing could ever pass", `write 0 = "clean"`)
	}
}

// parseExit reads an exit code as Unix (8 bits) and Windows (32 bits) have it, written in the one usual way.
func parseExit(s string) (int, bool) {
	v, err := strconv.ParseUint(s, 10, 32)
	return int(v), err == nil && strconv.FormatUint(v, 10) == s
}

func meaningWords() string {
	return "The words are " + strings.Join(facts.Meanings(), ", ") + "."
}
