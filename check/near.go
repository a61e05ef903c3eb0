package check

import (
	"path/filepath"
	"strings"

	"factgate/facts"
)

// near writes the absolute paths of results relative to the check's dir, where they lie below the root, and those in texts
// relative to the root: a case has the same identity in every clone. An id that begins with the file's path follows it.
func near(r *facts.Results, root, dir string) {
	places := [][2]string{{root, dir}}
	if realRoot, err := filepath.EvalSymlinks(root); err == nil {
		if real, err := filepath.EvalSymlinks(dir); err == nil && (real != dir || realRoot != root) {
			places = append(places, [2]string{realRoot, real})
		}
	}
	short := func(path string) string {
		if !filepath.IsAbs(path) {
			return path
		}
		for _, top := range []int{1, 0} { // below the dir, else below the root
			for _, p := range places {
				if rel, err := filepath.Rel(p[top], path); err != nil || !filepath.IsLocal(rel) {
					continue
				}
				if rel, err := filepath.Rel(p[1], path); err == nil {
					return filepath.ToSlash(rel)
				}
			}
		}
		return path
	}
	text := func(s *string) {
		for _, p := range places {
			*s = without(*s, "file://"+filepath.ToSlash(p[0])+"/")
			*s = without(*s, p[0]+string(filepath.Separator))
		}
	}
	for i := range r.Cases {
		c := &r.Cases[i]
		file := short(c.File)
		if rest, ok := strings.CutPrefix(c.ID, c.File); ok && c.File != "" {
			c.ID = file + rest
		}
		c.File = file
		for k := range c.Failures {
			f := &c.Failures[k]
			f.File = short(f.File)
			text(&f.Message)
			text(&f.Text)
		}
	}
	for i := range r.Outside {
		o := &r.Outside[i]
		o.Where, o.File = short(o.Where), short(o.File)
		text(&o.Message)
		text(&o.Text)
	}
	for i := range r.Problems { // they name cases
		for _, p := range places {
			r.Problems[i].Detail = strings.ReplaceAll(r.Problems[i].Detail, p[1]+string(filepath.Separator), "")
		}
		text(&r.Problems[i].Detail)
	}
}

// without drops a prefix wherever a path in a text begins with it, and leaves longer paths that only contain it.
func without(s, prefix string) string {
	var out strings.Builder
	for from := 0; ; {
		i := strings.Index(s[from:], prefix)
		if i < 0 || len(prefix) < 3 {
			return out.String() + s[from:]
		}
		out.WriteString(s[from : from+i])
		if before := out.String(); before != "" && (strings.ContainsRune("/\\._-", rune(before[len(before)-1])) || isWord(before[len(before)-1])) {
			out.WriteString(prefix)
		}
		from += i + len(prefix)
	}
}

func isWord(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}
