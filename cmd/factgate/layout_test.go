package main_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// root is the module's folder, seen from this test.
const root = "../.."

// own is the import table of docs/architecture.md: which of our packages each package may import, floor by floor.
// Tests are exempt: a test may hold a package against any other.
var own = map[string][]string{
	"facts": {},

	"process": {"facts"},
	"parsers": {"facts"},
	"verdict": {"facts"},

	"config":   {"facts", "verdict"},
	"worktree": {"facts", "process"},
	"record":   {"facts", "verdict"},

	"runners": {"facts", "config"},
	"shim":    {"facts", "process"},
	"report":  {"facts", "verdict", "record"},
	"export":  {"facts"},

	"check": {"facts", "process", "parsers", "verdict", "config", "worktree", "record", "runners"},

	"bench/madeup":  {},
	"bench/streams": {"parsers", "bench/madeup"},

	// A program of its own that knows factgate from outside only.
	"campaign": {},

	"cmd/factgate": {"facts", "process", "parsers", "verdict", "config", "worktree", "record", "runners", "shim", "report", "export", "check"},
}

// edges are the words by which a program meets the world. Only cmd may say them; the rest is handed writers, arguments,
// the environment and a clock. Packages with an exception are listed with the reason.
var edges = map[string][]string{
	"fmt":     {"Print", "Printf", "Println"},
	"os":      {"Stdin", "Stdout", "Stderr", "Exit", "Args", "Getenv", "LookupEnv", "Environ", "Setenv"},
	"syscall": {"Exit", "Getenv", "Environ"},
	"time":    {"Now", "Since", "Until"},
	"log":     {"Print", "Printf", "Println", "Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Default", "SetOutput"},
}

var exceptions = map[string][]string{
	// Measures how long a run took and keeps its deadlines; as a stand-in it is the program that it stands in for.
	"process": {"os.Stdin", "os.Stdout", "os.Stderr", "os.Exit", "time.Now", "time.Since", "time.Until"},
	// Stands in for go and for test binaries: their standard streams and their exit are its own.
	"shim": {"os.Stdin", "os.Stdout", "os.Stderr", "os.Exit", "time.Now", "time.Since"},
}

// starters may start programs.
var starters = map[string]bool{
	"process":  true,
	"campaign": true, // starts the built factgate, strace and the scripts of its rows; no part of factgate
}

// programs are folders that are programs: they have arguments, an environment and standard streams of their own.
var programs = []string{"cmd/factgate", "campaign"}

// testOnly are modules that only tests and measurements may import.
var testOnly = []string{"github.com/joshdk/go-junit", "gotest.tools/gotestsum", "github.com/rogpeppe/go-internal", "github.com/google/go-cmp"}

// long are the files, tests aside, of more than maxLines lines, each with the reason why it stays in one piece.
var long = map[string]string{}

const maxLines = 400

type source struct {
	path   string // slash, relative to the root
	folder string
	test   bool
	file   *ast.File
	lines  int
	pos    func(token.Pos) string
}

// load parses every Go file of this module; fixtures and nested modules are not ours.
func load(t *testing.T) []source {
	t.Helper()
	var found []source
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if path == root {
				return nil
			}
			_, nested := os.Stat(filepath.Join(path, "go.mod"))
			if name := entry.Name(); strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || nested == nil {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		relative = filepath.ToSlash(relative)
		file, err := parser.ParseFile(files, relative, text, parser.ParseComments)
		if err != nil {
			return err
		}
		found = append(found, source{
			path:   relative,
			folder: strings.TrimSuffix(strings.TrimSuffix(relative, filepath.Base(path)), "/"),
			test:   strings.HasSuffix(path, "_test.go"),
			file:   file,
			lines:  bytes.Count(text, []byte("\n")),
			pos:    func(at token.Pos) string { return files.Position(at).String() },
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 3 {
		t.Fatalf("only %d Go files below %s: this test looks in the wrong place", len(found), root)
	}
	return found
}

// imports maps the name that a file uses for a package to the package's path.
func (s source) imports(t *testing.T) map[string]string {
	t.Helper()
	names := map[string]string{}
	for _, spec := range s.file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "." {
			t.Errorf("%s: a dot import hides where names come from; import %s by its name", s.pos(spec.Pos()), path)
		}
		if name == "_" {
			name += path
		}
		names[name] = path
	}
	return names
}

// said lists each use of PACKAGE.NAME in a file, with its place.
func (s source) said(t *testing.T, visit func(path, name, place string)) {
	t.Helper()
	imports := s.imports(t)
	ast.Inspect(s.file, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			if ident, ok := selector.X.(*ast.Ident); ok {
				if path, ok := imports[ident.Name]; ok {
					visit(path, selector.Sel.Name, s.pos(selector.Pos()))
				}
			}
		}
		return true
	})
}

// measures reports whether a folder holds programs that measure ours. They are not shipped: no package of ours may import
// them, as the import table says.
func measures(folder string) bool { return strings.HasPrefix(folder, "bench/") }

func TestImportTable(t *testing.T) {
	for folder, allowed := range own {
		for _, name := range allowed {
			below, ok := own[name]
			if !ok {
				t.Errorf("the import table lets %s import %s, which it does not have", folder, name)
			}
			if slices.Contains(below, folder) {
				t.Errorf("the import table lets %s and %s import each other; one of them must be the lower floor", folder, name)
			}
		}
	}
	for _, s := range load(t) {
		allowed, ok := own[s.folder]
		if !ok {
			t.Errorf("%s: folder %q is not in the import table; give it a line in docs/architecture.md and in layout_test.go, or put the code where it belongs", s.path, s.folder)
			continue
		}
		if s.test {
			continue
		}
		for _, path := range s.imports(t) {
			if name, ok := strings.CutPrefix(path, "factgate/"); ok && !slices.Contains(allowed, name) {
				t.Errorf("%s: %s must not import %s (it may import: %s); move what is shared to a lower floor, or hand it in from above",
					s.path, s.folder, name, strings.Join(allowed, ", "))
			}
			for _, module := range testOnly {
				if (path == module || strings.HasPrefix(path, module+"/")) && !measures(s.folder) {
					t.Errorf("%s: %s is for tests; the binary must not carry it", s.path, path)
				}
			}
			if path == "os/exec" && !starters[s.folder] {
				t.Errorf("%s: only package process starts programs; call process.Run or process.Output, or have the answer handed in", s.path)
			}
		}
	}
}

func TestOnlyCmdMeetsTheWorld(t *testing.T) {
	for _, s := range load(t) {
		if s.test || slices.Contains(programs, s.folder) || measures(s.folder) {
			continue
		}
		s.said(t, func(path, name, place string) {
			if slices.Contains(edges[path], name) && !slices.Contains(exceptions[s.folder], path+"."+name) {
				t.Errorf("%s: %s.%s belongs to cmd/factgate; take a writer, the arguments, the environment or a Now func() time.Time instead", place, path, name)
			}
		})
		ast.Inspect(s.file, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				if ident, ok := call.Fun.(*ast.Ident); ok && (ident.Name == "print" || ident.Name == "println") && ident.Obj == nil {
					t.Errorf("%s: %s writes to the process's stderr; take a writer instead", s.pos(call.Pos()), ident.Name)
				}
			}
			return true
		})
	}
}

func TestNoHiddenStart(t *testing.T) {
	for _, s := range load(t) {
		if s.test {
			continue
		}
		for _, declared := range s.file.Decls {
			switch d := declared.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					t.Errorf("%s: no init: build the value where it is used, or hand it in", s.pos(d.Pos()))
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					value, ok := spec.(*ast.ValueSpec)
					if !ok || d.Tok != token.VAR {
						continue
					}
					for _, expression := range value.Values {
						if selector, ok := expression.(*ast.SelectorExpr); ok && fmt.Sprint(selector.X) == "time" && selector.Sel.Name == "Now" {
							t.Errorf("%s: a clock in a package variable is shared by all; take a Now func() time.Time instead", s.pos(value.Pos()))
						}
					}
				}
			}
		}
	}
}

func TestOnePackageComment(t *testing.T) {
	comments := map[string][]string{}
	for _, s := range load(t) {
		if s.test {
			continue
		}
		if _, ok := comments[s.folder]; !ok {
			comments[s.folder] = nil
		}
		if s.file.Doc == nil {
			continue
		}
		comments[s.folder] = append(comments[s.folder], s.path)
		if name := s.file.Name.Name; name != "main" && !strings.HasPrefix(s.file.Doc.Text(), "Package "+name+" ") {
			t.Errorf("%s: the package comment begins with \"Package %s \"", s.path, name)
		}
	}
	for folder, files := range comments {
		switch {
		case len(files) == 0:
			t.Errorf("%s has no package comment; say in its main file what it is for", folder)
		case len(files) > 1:
			t.Errorf("%s has more than one package comment: %s; keep one, and leave a blank line before the other package clauses", folder, strings.Join(files, ", "))
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range load(t) {
		reason, listed := long[s.path]
		seen[s.path] = true
		switch {
		case s.lines > maxLines && reason == "" && !s.test:
			t.Errorf("%s has %d lines; split it, or list it in layout_test.go with the reason why it stays in one piece", s.path, s.lines)
		case s.lines <= maxLines && listed:
			t.Errorf("%s has %d lines; take it off the list of long files", s.path, s.lines)
		}
	}
	for path := range long {
		if !seen[path] {
			t.Errorf("%s is on the list of long files and does not exist; take it off", path)
		}
	}
}

// requirement is a line of go.mod: a direct requirement has no "// indirect", a tool is direct by its own line.
var requirement = regexp.MustCompile(`(?m)^(?:require)?\s+([^\s/]+\.[^\s/]+/\S+) v\S+(.*)$`)

func TestDependenciesAreDocumented(t *testing.T) {
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	var wanted []string
	for _, match := range requirement.FindAllSubmatch(module, -1) {
		tool := regexp.MustCompile(`(?m)^(?:tool)?\s+` + regexp.QuoteMeta(string(match[1])) + `/\S+$`).Match(module)
		if !bytes.Contains(match[2], []byte("// indirect")) || tool {
			wanted = append(wanted, string(match[1]))
		}
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, match := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\| ([^|]*) \\|").FindAllSubmatch(page, -1) {
		listed = append(listed, string(match[1]))
		if len(bytes.TrimSpace(match[2])) == 0 {
			t.Errorf("docs/dependencies.md: say what %s saves us", match[1])
		}
	}
	if len(wanted) == 0 {
		t.Fatal("found no requirement in go.mod: this test cannot read it any more")
	}
	for _, name := range wanted {
		if !slices.Contains(listed, name) {
			t.Errorf("docs/dependencies.md has no line for %s; say what it saves us, or do without it", name)
		}
	}
	for i, name := range listed {
		if !slices.Contains(wanted, name) {
			t.Errorf("docs/dependencies.md lists %s, which go.mod does not require directly; drop the line", name)
		}
		if slices.Contains(listed[:i], name) {
			t.Errorf("docs/dependencies.md lists %s twice", name)
		}
	}
}

// foreign are words that no file of ours may hold: hosts of registries (whose clients know them) and places that exist on
// one machine only. They are put together here, so that this file does not hold them either.
var foreign = []string{
	"proxy." + "golang.org", "sum." + "golang.org", "registry." + "npmjs.org", "registry." + "yarnpkg.com",
	"pypi." + "org", "files." + "pythonhosted.org", "static." + "crates.io", "index." + "crates.io",
	"repo.maven." + "apache.org", "repo1." + "maven.org", "deb." + "debian.org",
	"/wo" + "rk/main", "/wo" + "rk/wt", "/wo" + "rk/shared", "shared/" + "design", "shared/" + "style", "/tmp/" + "fg/",
}

func TestNoForeignWords(t *testing.T) {
	command := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	command.Dir = root
	listed, err := command.Output()
	if err != nil {
		if os.Getenv("FACTGATE_REQUIRE_TOOLS") != "" {
			t.Fatalf("git ls-files: %v", err)
		}
		t.Skipf("needs git and a clone: %v", err)
	}
	names := strings.Split(strings.TrimRight(string(listed), "\x00"), "\x00")
	if len(names) < 10 {
		t.Fatalf("git lists only %d files", len(names))
	}
	for _, name := range names {
		path := filepath.Join(root, filepath.FromSlash(name))
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			continue // deleted and not committed yet, a link, a submodule
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range foreign {
			if at := bytes.Index(text, []byte(word)); at >= 0 {
				t.Errorf("%s:%d: %q does not belong in this repository", name, 1+bytes.Count(text[:at], []byte("\n")), word)
			}
		}
	}
}
