package parsers

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	junitref "github.com/joshdk/go-junit"

	"factgate/facts"
)

// TestPage: docs/results.md is printed from its text and from the code, and is not stale.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("testdata/results.md")
	if err != nil {
		t.Fatal(err)
	}
	loss, err := os.ReadFile("../testdata/parsers/byte-loss.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(
		"{captures}", captureTable(t), "{problems}", problemTable(t), "{outer}", outerTable(t), "{limits}", limitTable(t),
		"{countprints}", number(int64(counting().prints)), "{byteloss}", string(loss), "{refused}", refusedTable(), "{gojunit}", goJUnitTable(t), "{gotestsum}", gotestsumTable(),
	).Replace(string(text))
	for _, f := range Formats() {
		if !strings.Contains(want, "\n| `"+f+"` |") {
			t.Errorf("parsers/testdata/results.md has no row of the format %s", f)
		}
	}
	const page = "../docs/results.md"
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, []byte(want)) {
		t.Errorf("docs/results.md is not what the code says: go test ./parsers -run TestPage -update")
	}
}

// rows prints a table.
func rows(head ...string) func(cells ...string) string {
	var b strings.Builder
	line := func(cells []string) {
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(c, "|", "\\|")
		}
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	line(head)
	b.WriteString("|" + strings.Repeat(" --- |", len(head)) + "\n")
	return func(cells ...string) string {
		if len(cells) > 0 {
			line(cells)
		}
		return strings.TrimSuffix(b.String(), "\n")
	}
}

func code(s string) string { return "`" + s + "`" }

func captureTable(t *testing.T) string {
	row := rows("file", "passed / failed / errored / skipped", "flaky", "complete", "problems")
	for _, c := range captures(t) {
		if c.format != "junit" {
			continue
		}
		r := parse(t, "junit", c.bytes)
		var codes []string
		for _, p := range r.Problems {
			if p.Weight.Blocking() {
				codes = append(codes, "**"+code(p.Code)+"**")
			} else {
				codes = append(codes, code(p.Code))
			}
		}
		row(code(c.name), inBrief(r.Counts), strconv.Itoa(r.Counts.Flaky), map[bool]string{true: "yes", false: "no"}[r.Complete], strings.Join(codes, ", "))
	}
	return row()
}

func inBrief(n facts.Counts) string {
	return fmt.Sprintf("%d / %d / %d / %d", n.Passed, n.Failed, n.Errored, n.Skipped)
}

// coded is what the source says of one problem code.
type coded struct{ weights, where map[string]bool }

// source calls see with every call and literal in the files of a folder that are no tests.
func sourceOf(t *testing.T, dir string, see func(file string, n ast.Node)) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no source in %s: %v", dir, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			see(strings.TrimSuffix(filepath.Base(name), ".go"), n)
			return true
		})
	}
}

// literal gives the value of a string literal.
func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}

// computed are the codes that are no literals, by file.
func computed() map[string][]string {
	return map[string][]string{
		"nunit":    {"inconclusive", "warning"},
		"trx":      {"inconclusive", "pending", "warning"},
		"jestjson": {"no_jest_results", "no_vitest_results"},
		"collect":  {}, "probe_line": {"note", "probe", "too_many_problems"},
	}
}

// saidBy names the formats whose reader stands in a file.
func saidBy(file string) string {
	base, _, _ := strings.Cut(file, "_")
	switch {
	case base == "jestjson":
		return "jestjson, vitestjson"
	case base == "xml":
		return "nunit, trx, xunit"
	case base == "jsonfile":
		return "the JSON formats"
	case slices.Contains(Formats(), base):
		return base
	}
	return "all"
}

// codes collects every problem code that the readers can give.
func codes(t *testing.T) map[string]*coded {
	all := map[string]*coded{}
	sourceOf(t, ".", func(file string, n ast.Node) {
		var weight, name ast.Expr
		switch n := n.(type) {
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			switch {
			case ok && f.Sel.Name == "problem" && len(n.Args) > 3:
				weight, name = n.Args[0], n.Args[1]
			case ok && f.Sel.Name == "note" && len(n.Args) > 2:
				name = n.Args[0]
			}
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				kv, ok := e.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				switch fmt.Sprint(kv.Key) {
				case "Code":
					name = kv.Value
				case "Weight":
					weight = kv.Value
				}
			}
		}
		if name == nil {
			return
		}
		found := []string{}
		if s, ok := literal(name); ok {
			found = append(found, s)
		} else if more, known := computed()[file]; known {
			found = more
		} else {
			t.Errorf("%s.go computes a problem code: name its values in computed, so that docs/results.md has them", file)
		}
		for _, s := range found {
			if all[s] == nil {
				all[s] = &coded{map[string]bool{}, map[string]bool{}}
			}
			all[s].where[saidBy(file)] = true
			for _, w := range weights(weight) {
				all[s].weights[w] = true
			}
		}
	})
	return all
}

// weights are those that an expression can give.
func weights(e ast.Expr) []string {
	switch e := e.(type) {
	case nil:
		return []string{"note"}
	case *ast.SelectorExpr:
		return []string{strings.ToLower(e.Sel.Name)}
	case *ast.CallExpr: // contentWeight
		return []string{"malformed", "truncated"}
	}
	return []string{"malformed", "note"}
}

func problemTable(t *testing.T) string {
	row := rows("code", "weight", "said by", "means")
	found, mean := codes(t), meanings()
	for _, c := range slices.Sorted(maps.Keys(found)) {
		if mean[c] == "" {
			t.Errorf("the problem code %q has no meaning in page_words_test.go", c)
		}
		where := slices.Sorted(maps.Keys(found[c].where))
		if slices.Contains(where, "all") {
			where = []string{"all"}
		}
		row(code(c), strings.Join(slices.Sorted(maps.Keys(found[c].weights)), " or "), strings.Join(where, ", "), mean[c])
	}
	for c := range mean {
		if found[c] == nil {
			t.Errorf("page_words_test.go explains %q, which no reader says any more", c)
		}
	}
	return row()
}

// outerTable are the codes of those who open files: check, and factgate parse.
func outerTable(t *testing.T) string {
	found := map[string]bool{}
	for _, dir := range []string{"../check", "../cmd/factgate"} {
		sourceOf(t, dir, func(_ string, n ast.Node) {
			switch n := n.(type) {
			case *ast.CallExpr:
				name := ""
				switch f := n.Fun.(type) {
				case *ast.Ident:
					name = f.Name
				case *ast.SelectorExpr:
					name = f.Sel.Name
				}
				if at := slices.Index([]string{"problem", "bad", "foreign", "refuse"}, name); at >= 0 && len(n.Args) > 1 {
					if s, ok := literal(n.Args[at/3]); ok {
						found[s] = true
					}
				}
			case *ast.KeyValueExpr:
				if s, ok := literal(n.Value); ok && fmt.Sprint(n.Key) == "Code" {
					found[s] = true
				}
			case *ast.AssignStmt:
				if f, ok := n.Lhs[0].(*ast.SelectorExpr); ok && f.Sel.Name == "Code" {
					if s, ok := literal(n.Rhs[0]); ok {
						found[s] = true
					}
				}
			}
		})
	}
	row, mean := rows("code", "means"), outerMeanings()
	for _, c := range slices.Sorted(maps.Keys(found)) {
		if mean[c] == "" {
			t.Errorf("the problem code %q of check or factgate parse has no meaning in page_words_test.go", c)
		}
		row(code(c), mean[c])
	}
	for c := range mean {
		if !found[c] {
			t.Errorf("page_words_test.go explains %q, which nobody says any more", c)
		}
	}
	return row()
}

// limitTable prints the caps with the words that stand beside them in the code.
func limitTable(t *testing.T) string {
	words := map[string]string{}
	f, err := parser.ParseFile(token.NewFileSet(), "limits.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.StructType); ok {
			for _, x := range s.Fields.List {
				words[x.Names[0].Name] = strings.TrimSpace(x.Comment.Text())
			}
		}
		return true
	})
	row := rows("cap", "value", "of what")
	v := reflect.ValueOf(standard())
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		if v.Field(i).CanInt() {
			row(code(name), number(v.Field(i).Int()), words[name])
		}
		if words[name] == "" {
			t.Errorf("limits.go says nothing of %s", name)
		}
	}
	return row()
}

// number writes a cap: a power of two in its unit, another with commas.
func number(n int64) string {
	for _, u := range []struct {
		unit  string
		shift int
	}{{"GiB", 30}, {"MiB", 20}, {"KiB", 10}} {
		if n >= 1<<u.shift && n%(1<<u.shift) == 0 {
			return fmt.Sprintf("%d %s", n>>u.shift, u.unit)
		}
	}
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// theirCounts are go-junit's.
func theirCounts(suites []junitref.Suite) (n facts.Counts) {
	for _, s := range suites {
		for _, x := range s.Tests {
			n.Add(&facts.Case{Status: map[junitref.Status]facts.Status{
				junitref.StatusPassed: facts.Passed, junitref.StatusFailed: facts.Failed,
				junitref.StatusError: facts.Errored, junitref.StatusSkipped: facts.Skipped,
			}[x.Status]})
		}
		below := theirCounts(s.Suites)
		n = facts.Counts{Passed: n.Passed + below.Passed, Failed: n.Failed + below.Failed, Errored: n.Errored + below.Errored, Skipped: n.Skipped + below.Skipped, Cases: n.Cases + below.Cases}
	}
	return n
}

func goJUnitTable(t *testing.T) string {
	row := rows("difference", "input", "go-junit", "factgate")
	for _, c := range goJUnitClasses() {
		suites, err := junitref.Ingest([]byte(c.input))
		if err != nil {
			t.Errorf("%s: %v", c.class, err)
		}
		row(c.class, code(c.input), inBrief(theirCounts(suites)), inBrief(parse(t, "junit", []byte(c.input)).Counts))
	}
	return row()
}

// TestPageClasses: each row of the page shows the class that it is said to show, and no other.
func TestPageClasses(t *testing.T) {
	for _, c := range goJUnitClasses() {
		classes := map[string]int{}
		if !compare(t, c.class, []byte(c.input), classes) || len(classes) != 1 || classes[c.class] == 0 {
			t.Errorf("%s: %s shows %v", c.class, c.input, classes)
		}
	}
	for _, c := range gotestsumClasses() {
		w := readTwice(t, []byte(c.input))
		shown := false
		keys := maps.Clone(w.ours)
		maps.Copy(keys, w.theirs)
		for k := range keys {
			shown = shown || w.ours[k] != w.theirs[k] && w.class(k) == c.class
		}
		if !shown {
			t.Errorf("%s: not shown by %s: ours %v, theirs %v", c.class, c.input, w.ours, w.theirs)
		}
	}
}

func refusedTable() string {
	row := rows("what", "input")
	for _, c := range goJUnitRefuses() {
		row(c.class, code(strings.Trim(strconv.QuoteToASCII(c.input), `"`)))
	}
	return row()
}

// TestPageRefused: go-junit does refuse each of these, and we read all its cases.
func TestPageRefused(t *testing.T) {
	for _, c := range goJUnitRefuses() {
		if _, err := junitref.Ingest([]byte(c.input)); err == nil {
			t.Errorf("%s: go-junit reads it", c.class)
		}
		if n := parse(t, "junit", []byte(c.input)).Counts; n.Failed != 1 {
			t.Errorf("%s: %+v", c.class, n)
		}
	}
}

func gotestsumTable() string {
	row := rows("difference", "why", "stream that shows it")
	for _, c := range gotestsumClasses() {
		row(c.class, c.why, code(strings.ReplaceAll(strings.TrimSpace(c.input), "\n", "` `")))
	}
	return row()
}
