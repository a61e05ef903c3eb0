package parsers

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	junitref "github.com/joshdk/go-junit"

	"factgate/facts"
)

// The classes of difference to go-junit 1.0.0, each a decision of ours.
const (
	outsideSuite = "a case outside of any suite: go-junit drops it"
	insideOther  = "a case or suite in an element of a suite or case: go-junit drops it"
	lastWins     = "several children speak: go-junit takes the last, we the worst"
	flakyChild   = "an earlier attempt failed: go-junit knows no such element"
	offChild     = "disabled or ignored: go-junit knows no such element"
	byAttribute  = "a status or result attribute says that it failed or did not run: go-junit looks at none"
	deepChild    = "a failure deeper in the case: go-junit looks at its children only"
	otherCase    = "names in upper case: go-junit wants them in lower case"
	suiteFails   = "a failure directly in a suite: go-junit drops it"
	fileListed   = "node lists a file in which it saw no test: go-junit takes it for a test"
)

// node is an element, read by encoding/xml: a third reader, which knows nothing of either.
type node struct {
	name, local string // in lower case, and as it is written
	attrs       []xml.Attr
	parent      *node
	children    []*node
}

func (n *node) attr(name string) (string, bool) {
	for _, a := range n.attrs {
		if strings.EqualFold(a.Name.Local, name) {
			return a.Value, true
		}
	}
	return "", false
}

// tree reads a well-formed document, or several in a row.
func tree(b []byte) (*node, error) {
	d := xml.NewDecoder(io.MultiReader(strings.NewReader("<root>"), bytes.NewReader(b), strings.NewReader("</root>")))
	root := new(node)
	for at := root; ; {
		t, err := d.Token()
		switch {
		case err == io.EOF:
			return root.children[0], nil
		case err != nil:
			return nil, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			n := &node{name: strings.ToLower(t.Name.Local), local: t.Name.Local, attrs: t.Attr, parent: at}
			at.children = append(at.children, n)
			at = n
		case xml.EndElement:
			at = at.parent
		}
	}
}

// comparison is what the classes say of one document.
type comparison struct {
	theirs, ours facts.Counts
	classes      map[string]int
}

func (c *comparison) differ(class string) { c.classes[class]++ }

// walk compares what both make of the elements below n. suiteOf is the suite as go-junit sees it: nil where it looks for
// one, seen false where it does not look at all.
func (c *comparison) walk(n *node, inSuite, seen bool) {
	for _, k := range n.children {
		switch k.name {
		case "testsuite":
			known := k.local == "testsuite"
			if seen && !known {
				c.differ(otherCase)
			}
			c.suite(k)
			c.walk(k, seen && known || inSuite && known && seen, seen && (known || !inSuite))
		case "testsuites":
			c.suite(k)
			c.walk(k, false, seen && !inSuite)
		case "testcase":
			c.single(k, inSuite, seen)
			c.walk(k, false, seen && !inSuite)
		default:
			c.walk(k, false, seen && !inSuite)
		}
	}
}

// speaking lists what speaks for n: elements below it that stand in no case or suite of their own.
func speaking(n *node, inText bool, found *[]*node) {
	for _, k := range n.children {
		switch k.name {
		case "testcase", "testsuite", "testsuites":
			continue
		case "failure", "error", "flakyfailure", "flakyerror", "rerunfailure", "rerunerror":
			*found = append(*found, k)
			speaking(k, true, found)
			continue
		case "skipped", "disabled", "ignored":
			if !inText {
				*found = append(*found, k)
			}
			speaking(k, true, found)
			continue
		case "system-out", "system-err":
			speaking(k, true, found)
			continue
		}
		speaking(k, inText, found)
	}
}

func (c *comparison) suite(n *node) {
	var found []*node
	speaking(n, false, &found)
	worst := facts.Status(0)
	for _, k := range found {
		switch {
		case k.name == "error":
			worst = facts.Errored
		case k.name == "failure" && worst == 0:
			worst = facts.Failed
		}
	}
	if worst != 0 {
		c.ours.Add(&facts.Case{Status: worst})
		c.differ(suiteFails)
	}
}

func (c *comparison) single(n *node, inSuite, seen bool) {
	theirs := facts.Passed
	for _, k := range n.children {
		switch k.local {
		case "skipped":
			theirs = facts.Skipped
		case "failure":
			theirs = facts.Failed
		case "error":
			theirs = facts.Errored
		}
	}
	ours, class := expected(n)
	visible := inSuite && seen && n.local == "testcase"
	if visible {
		c.theirs.Add(&facts.Case{Status: theirs})
	}
	c.ours.Add(&facts.Case{Status: ours})
	switch {
	case n.local != "testcase":
		c.differ(otherCase)
	case !visible && seen && !inSuite:
		c.differ(outsideSuite)
	case !visible:
		c.differ(insideOther)
	case ours != theirs:
		c.differ(class)
	}
}

// compare holds our counts and go-junit's against each other by way of the classes. It reports whether the document
// could be compared: go-junit reads it, and it is UTF-8.
func compare(t *testing.T, name string, b []byte, classes map[string]int) bool {
	t.Helper()
	if !utf8.Valid(b) {
		return false
	}
	suites, err := junitref.Ingest(b)
	if err != nil {
		return false
	}
	root, err := tree(b)
	if err != nil {
		return false
	}
	c := comparison{classes: map[string]int{}}
	c.walk(root, false, true)
	theirs := theirCounts(suites)
	theirs.Executed = theirs.Cases - theirs.Skipped
	ours := parse(t, "junit", b).Counts
	ours.Flaky = 0
	if ours != c.ours || theirs != c.theirs {
		t.Errorf("%s: a difference of no class\nours   %+v\nwanted %+v\ngo-junit %+v\nwanted   %+v\n%s", name, ours, c.ours, theirs, c.theirs, b[:min(len(b), 2000)])
	}
	if ours != theirs && len(c.classes) == 0 {
		t.Errorf("%s: a difference of no class\nours     %+v\ngo-junit %+v", name, ours, theirs)
	}
	for class, n := range c.classes {
		classes[class] += n
	}
	return true
}

func report(t *testing.T, what string, classes map[string]int) {
	t.Helper()
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		t.Logf("%s: %d %s", what, classes[class], class)
	}
}

// TestAgainstGoJUnit: on the captured files, and on mutants of them, our counts are go-junit's but for the classes above.
func TestAgainstGoJUnit(t *testing.T) {
	classes := map[string]int{}
	compared, refused := 0, 0
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, c := range captures(t) {
		if c.format != "junit" {
			continue
		}
		if !compare(t, c.name, c.bytes, classes) {
			t.Logf("%s: go-junit cannot read it", c.name)
			refused++
			continue
		}
		compared++
		if len(c.bytes) > 50_000 {
			continue
		}
		for i := range 20 {
			compare(t, fmt.Sprintf("%s, mutant %d", c.name, i), mutant(rnd, c.bytes), classes)
		}
	}
	report(t, "captured files and mutants", classes)
	if compared < 15 || compared < 2*refused {
		t.Errorf("only %d files were compared, %d were not", compared, refused)
	}
}

// mutant puts an element into a document where a tag begins or ends.
func mutant(rnd *rand.Rand, b []byte) []byte {
	for range 1 + rnd.IntN(3) {
		var ends []int
		for _, mark := range []string{"</testcase>", "</testsuite>", "<testcase ", "<testsuite "} {
			for from := 0; ; {
				i := bytes.Index(b[from:], []byte(mark))
				if i < 0 {
					break
				}
				ends = append(ends, from+i)
				from += i + 1
			}
		}
		if len(ends) == 0 {
			return b
		}
		at := ends[rnd.IntN(len(ends))]
		b = slices.Concat(b[:at], []byte(pieces[rnd.IntN(len(pieces))]), b[at:])
	}
	return b
}

var pieces = []string{
	`<failure message="m">t</failure>`, `<error/>`, `<skipped/>`, `<skipped type="x">r</skipped>`, `<flakyFailure/>`, `<flakyError><stackTrace>s</stackTrace></flakyError>`,
	`<rerunFailure/>`, `<disabled/>`, `<ignored/>`, `<FAILURE/>`, `<Skipped/>`, `<testcase name="x"/>`, `<testcase name="x"><failure/></testcase>`,
	`<TestCase name="x"><error/></TestCase>`, `<testsuite name="y"><testcase name="z"/><failure/></testsuite>`, `<system-out>o</system-out>`, `<properties><property name="failure" value="1"/></properties>`,
	`<x><failure/></x>`, `<!-- <failure/> -->`, `<system-out><skipped/></system-out>`, `<testcase name="s" status="notrun"/>`, `<testcase name="s" result="failed"/>`,
	`<testsuites><testcase name="deep"/></testsuites>`,
}

// document of the grammar: any nesting of JUnit's words.
func grammar(rnd *rand.Rand, depth int) string {
	var b strings.Builder
	for range rnd.IntN(4) {
		switch x := rnd.IntN(10); {
		case x < 3 && depth > 0:
			fmt.Fprintf(&b, `<testsuite name="s%d">%s</testsuite>`, rnd.IntN(9), grammar(rnd, depth-1))
		case x < 4 && depth > 0:
			fmt.Fprintf(&b, "<testsuites>%s</testsuites>", grammar(rnd, depth-1))
		case x < 8:
			status := []string{"", "", "", ` status="run"`, ` status="failed"`, ` status="disabled"`, ` result="suppressed"`, ` status="odd"`, ` status="notrun" result="failed"`}[rnd.IntN(9)]
			fmt.Fprintf(&b, `<testcase name="c%d"%s>`, rnd.IntN(99), status)
			for range rnd.IntN(4) {
				b.WriteString(pieces[rnd.IntN(len(pieces))])
			}
			b.WriteString("</testcase>")
		default:
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
	}
	return b.String()
}

// TestGrammarAgainstGoJUnit: the same over documents of a grammar in which every class is met.
func TestGrammarAgainstGoJUnit(t *testing.T) {
	classes := map[string]int{}
	n := 20_000
	if testing.Short() || racing {
		n = 3000
	}
	rnd := rand.New(rand.NewPCG(5, 6))
	compared := 0
	for i := range n {
		doc := fmt.Sprintf(`<testsuites><testsuite name="a">%s</testsuite>%s</testsuites>`, grammar(rnd, 3), grammar(rnd, 2))
		if i%10 == 0 {
			doc += `<testsuite name="second"><testcase name="t"/></testsuite>`
		}
		if compare(t, fmt.Sprint("document ", i), []byte(doc), classes) {
			compared++
		}
		if t.Failed() {
			break
		}
	}
	report(t, fmt.Sprint(compared, " documents"), classes)
	for _, c := range goJUnitClasses() {
		if classes[c.class] == 0 {
			t.Errorf("no document shows: %s", c.class)
		}
	}
	if compared < n*9/10 {
		t.Errorf("only %d of %d documents were compared", compared, n)
	}
}
