package parsers

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"math/bits"
	"path"
	"strings"
)

// separator stands between the parts of an id that tools do not write themselves.
const separator = " › "

// group is what the cases of one class in one suite share: nearly all stand beside another of theirs.
type group struct {
	known, built      bool // its print is there, and the rest too
	in                *junitSuite
	rawClass, rawFile []byte // as the document writes them

	class, file string
	shown       string // the file, or the suite's
	module      string // of a Python file
	prefix      []byte // of the ids, up to the name
	print       uint64 // of what they are made of
	suiteWord   wordID // of a case, which is its class or the path of its suites
	fileWord    wordID
	pytest      bool // pytest wrote it, and counts lines from 0
	nodeID      bool // ids are pytest's node ids
}

// identity gives a case its id: pytest's node id where the document shows it, else file or suite, class and name.
func (d *junitDoc) identity(k *junitCase, a caseAttrs, hasLine bool) {
	g := d.enter(d.owner(), a.class, a.file)
	if d.counting() { // the id is made when it is to be told
		k.print = g.of(d.seed, a.name)
		k.spelt, k.nameLen, k.classLen = append(append(append(k.spelt[:0], a.name...), a.class...), a.file...), len(a.name), len(a.class)
		if len(a.name) == 0 {
			d.note("no_name", 0, "a case has no name")
		}
		return
	}
	d.makeID(g, k, a, hasLine)
}

// called gives the id of a case, for a message.
func (d *junitDoc) called(k *junitCase) []byte {
	if len(k.id) == 0 && len(k.spelt) > 0 {
		class := k.spelt[k.nameLen:]
		a := caseAttrs{name: k.spelt[:k.nameLen], class: class[:k.classLen], file: class[k.classLen:]}
		d.makeID(d.enter(d.owner(), a.class, a.file), k, a, false)
	}
	return k.id
}

func (d *junitDoc) makeID(g *group, k *junitCase, a caseAttrs, hasLine bool) {
	if !g.built {
		d.build(a.class, a.file)
	}
	k.suite, k.file = g.suiteWord, g.fileWord
	if g.pytest && hasLine {
		k.line++
	}
	k.print = g.of(d.seed, a.name)
	if n := a.name; len(n) > 0 && len(g.prefix)+len(n) <= d.lim.name && (g.class != "" || !g.pytest) && (g.class != "test" || !scriptPath(string(n))) {
		k.nameFrom = len(g.prefix)
		k.id = append(append(k.id, g.prefix...), n...)
		fine := plain(n)
		if !fine {
			k.id = unescape(k.id[:k.nameFrom], n, true)
			fine = wellFormed(k.id[k.nameFrom:])
		}
		if fine && string(k.id[k.nameFrom:]) != g.class {
			return
		}
		k.id = k.id[:0]
	}
	k.name = d.label(resolve(a.name))
	if k.name == "" {
		d.note("no_name", 0, "a case has no name")
	}
	k.id = append(k.id, d.label([]byte(g.id(k.name, d.path(g.in))))...)
	if k.nameFrom = -1; bytes.HasSuffix(k.id, []byte(k.name)) {
		k.nameFrom = len(k.id) - len(k.name)
	}
}

// counted notes the identity of a case of which nothing else is wanted.
func (d *junitDoc) counted(s *junitSuite, a caseAttrs) {
	if len(a.name) == 0 {
		d.note("no_name", 0, "a case has no name")
	}
	if d.prints.n < d.lim.prints {
		d.print(d.enter(s, a.class, a.file).of(d.seed, a.name))
	}
}

// of makes the print of the identity of a case in the group, by its name as it is written.
func (g *group) of(seed maphash.Seed, name []byte) uint64 {
	return bits.RotateLeft64(g.print, 17) ^ maphash.Bytes(seed, name)
}

// enter gives the group of the cases from here on.
func (d *junitDoc) enter(s *junitSuite, class, file []byte) *group {
	g := &d.group
	if g.known && g.in == s && bytes.Equal(g.rawClass, class) && bytes.Equal(g.rawFile, file) {
		return g
	}
	*g = group{known: true, in: s, rawClass: append(g.rawClass[:0], class...), rawFile: append(g.rawFile[:0], file...), prefix: g.prefix[:0]}
	where := maphash.Bytes(d.seed, file)
	if len(file) == 0 && s != nil {
		where = maphash.String(d.seed, cmp.Or(s.file, s.path))
	}
	g.print = bits.RotateLeft64(where, 23) ^ maphash.Bytes(d.seed, class)
	return g
}

// build learns what the cases of the group share.
func (d *junitDoc) build(class, file []byte) {
	g, s := &d.group, d.group.in
	g.built, g.class, g.file = true, d.label(resolve(class)), d.label(resolve(file))
	suite := g.class
	if g.shown = g.file; s != nil {
		g.pytest = s.name == "pytest"
		g.shown = cmp.Or(g.file, s.file)
	}
	if suite == "" {
		suite = d.path(s)
	}
	g.suiteWord, g.fileWord = d.wordID(suite), d.wordID(g.shown)
	g.module = strings.ReplaceAll(strings.TrimSuffix(strings.ReplaceAll(g.file, "\\", "/"), ".py"), "/", ".")
	inner, ok := strings.CutPrefix(g.class, g.module)
	g.nodeID = strings.HasSuffix(g.file, ".py") && ok && (inner == "" || inner[0] == '.')
	const name = "\x00" // stands in no label
	g.prefix = append(g.prefix, strings.TrimSuffix(g.id(name, d.path(s)), name)...)
	g.pytest = g.pytest || g.nodeID
}

// id makes the id of the case of that name. suites are those around it.
func (g *group) id(name, suites string) string {
	switch {
	case g.pytest && g.class == "" && name == g.module:
		return g.file // a file that does not load
	case g.nodeID:
		return g.file + strings.ReplaceAll(strings.TrimPrefix(g.class, g.module), ".", "::") + "::" + name
	case g.pytest && g.class != "":
		return g.class + "::" + name
	case g.pytest:
		return name
	case g.class == "test" && scriptPath(name): // node, of a file that does not load
		name = unrooted(name)
	}
	return join(cmp.Or(g.shown, suites), g.class, name)
}

// unrooted gives what is the same in every clone of an absolute path, its last part; another path stays.
func unrooted(file string) string {
	if strings.HasPrefix(file, "/") || strings.HasPrefix(file, "file://") || len(file) > 2 && file[1] == ':' && (file[2] == '\\' || file[2] == '/') {
		return file[strings.LastIndexAny(file, `/\`)+1:]
	}
	return file
}

// scriptPath reports whether a name is the absolute path of a script.
func scriptPath(name string) bool {
	return unrooted(name) != name && !strings.Contains(name, " ") && script(path.Ext(name))
}

// silentFile reports whether a case stands for a file that node ran: where it saw no test in it, it lists the file as one.
func (d *junitDoc) silentFile(a caseAttrs) bool {
	if string(a.class) != "test" || len(a.file) > 0 || !script(path.Ext(string(a.name))) {
		return false
	}
	name := string(resolve(a.name))
	s := d.owner()
	return (s == nil || s.kind == suites) && unrooted(name) != name
}

// join makes an id of its parts, without those that say nothing new.
func join(where, class, name string) string {
	if class == where || class == name {
		class = ""
	}
	id := ""
	for _, part := range []string{where, class, name} {
		if part == "" {
			continue
		}
		if id != "" {
			id += separator
		}
		id += part
	}
	return id
}

// path gives the names of the suites around a case, the root's own left out.
func (d *junitDoc) path(s *junitSuite) string {
	if s == nil {
		return ""
	}
	return s.path
}
