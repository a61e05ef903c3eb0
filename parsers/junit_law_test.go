package parsers

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"factgate/facts"
)

// redFiles are the captured JUnit files that did not pass because a case did not.
func redFiles(t *testing.T) []capture {
	t.Helper()
	var red []capture
	for _, c := range captures(t) {
		if c.format != "junit" || bytes.HasPrefix(c.bytes, []byte{0x1f, 0x8b}) {
			continue
		}
		if n := parse(t, "junit", c.bytes).Counts; n.Failed+n.Errored > 0 {
			red = append(red, c)
		}
	}
	if len(red) < 10 {
		t.Fatalf("only %d files are red", len(red))
	}
	return red
}

// quiet reads a document of a law; a panic names it.
func quiet(t *testing.T, what string, b []byte) facts.Results {
	t.Helper()
	return quietly(t, capture{format: "junit", name: what}, b)
}

// quietly is quiet for what became of any capture.
func quietly(t *testing.T, c capture, b []byte) facts.Results {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("%s/%s: %v\n%s", c.format, c.name, p, b[:min(len(b), 4000)])
		}
	}()
	return parse(t, c.format, b)
}

var every = flag.Bool("every", false, "try the laws at every byte of every file, however long that takes")

// stepFor keeps a law over the places of long files short.
func stepFor(n int) int {
	places := 1200
	switch {
	case *every:
		return 1
	case testing.Short() || racing:
		places = 200
	}
	return 1 + n/places
}

// TestAddedFailure: a failure put in before any tag never makes it pass.
func TestAddedFailure(t *testing.T) {
	for _, c := range redFiles(t) {
		var tags []int
		for i, b := range c.bytes {
			if b == '<' {
				tags = append(tags, i)
			}
		}
		for k := 0; k < len(tags); k += stepFor(4 * len(tags)) {
			for _, piece := range []string{"<failure/>", "<error message='m'>t</error>", "<testcase name='new'><failure/></testcase>"} {
				b := slices.Concat(c.bytes[:tags[k]], []byte(piece), c.bytes[tags[k]:])
				if r := quiet(t, c.name, b); green(r) {
					t.Errorf("%s: %s at byte %d: passed", c.name, piece, tags[k])
				}
			}
		}
	}
}

// element is where an element lies in a document.
type span struct {
	name     string
	from, to int
	inner    [2]int // between its tags
	children []*span
	fixed    bool // the order of its children says something
}

// spans reads a well-formed document into the places of its elements.
func spans(b []byte) (*span, error) {
	d := xml.NewDecoder(bytes.NewReader(b))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	root := &span{to: len(b), inner: [2]int{0, len(b)}}
	open := []*span{root}
	for {
		from := int(d.InputOffset())
		t, err := d.Token()
		if err == io.EOF {
			return root, nil
		}
		if err != nil {
			return nil, err
		}
		top := open[len(open)-1]
		switch t := t.(type) {
		case xml.StartElement:
			s := &span{name: strings.ToLower(t.Name.Local), from: from}
			s.inner[0] = int(d.InputOffset())
			top.children = append(top.children, s)
			open = append(open, s)
		case xml.EndElement:
			top.inner[1], top.to = from, int(d.InputOffset())
			open = open[:len(open)-1]
		}
	}
}

// shuffled writes the document with the children of every element in another order; what stands between them stays.
func shuffled(b []byte, s *span, order func(n int) []int) []byte {
	if len(s.children) == 0 {
		return b[s.from:s.to]
	}
	out := bytes.Clone(b[s.from:s.inner[0]])
	at := s.inner[0]
	perm := order(len(s.children))
	if s.fixed {
		slices.Sort(perm)
	}
	for i, c := range s.children {
		out = append(out, b[at:c.from]...)
		out = append(out, shuffled(b, s.children[perm[i]], order)...)
		at = c.to
	}
	out = append(out, b[at:s.inner[1]]...)
	return append(out, b[s.inner[1]:s.to]...)
}

// TestReordered: the order of children says nothing.
func TestReordered(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	reverse := func(n int) []int {
		p := make([]int, n)
		for i := range p {
			p[i] = n - 1 - i
		}
		return p
	}
	compared := 0
	for _, c := range redFiles(t) {
		root, err := spans(c.bytes)
		if err != nil {
			continue // not well-formed
		}
		compared++
		want := parse(t, "junit", c.bytes).Counts
		for i := range 20 {
			order := reverse
			if i > 0 {
				order = rnd.Perm
			}
			b := shuffled(c.bytes, root, order)
			r := quiet(t, c.name, b)
			if green(r) || r.Counts != want && len(root.children) == 1 {
				t.Errorf("%s in another order: %+v, it was %+v", c.name, r.Counts, want)
			}
		}
	}
	if compared < 10 {
		t.Errorf("only %d files were reordered", compared)
	}
}

// TestRepeatedCase: one more copy of any case is one more case, and never makes it pass.
func TestRepeatedCase(t *testing.T) {
	for _, c := range redFiles(t) {
		root, err := spans(c.bytes)
		if err != nil {
			continue
		}
		want := parse(t, "junit", c.bytes).Counts.Cases + 1
		var walk func(*span)
		walk = func(s *span) {
			for i, k := range s.children {
				if k.name == "testcase" && i%stepFor(20*len(s.children)) == 0 {
					b := slices.Concat(c.bytes[:k.to], c.bytes[k.from:k.to], c.bytes[k.to:])
					if r := quiet(t, c.name, b); green(r) || r.Counts.Cases < want {
						t.Errorf("%s with a case twice: %+v, want %d cases", c.name, r.Counts, want)
					}
				}
				walk(k)
			}
		}
		walk(root)
	}
}

var declaredAs = regexp.MustCompile(`^<\?xml[^>]*\?>`)

// TestReencoded: the same document in another encoding is the same document.
func TestReencoded(t *testing.T) {
	declare := func(b []byte, name string) []byte {
		return append([]byte(`<?xml version="1.0" encoding="`+name+`"?>`), declaredAs.ReplaceAll(b, nil)...)
	}
	latin := 0
	for _, c := range captures(t) {
		if c.format != "junit" || bytes.HasPrefix(c.bytes, []byte{0x1f, 0x8b}) {
			continue
		}
		was := parse(t, "junit", c.bytes)
		same := func(how string, b []byte) {
			r := quiet(t, c.name, b)
			if r.Counts != was.Counts || r.Complete != was.Complete || green(r) != green(was) {
				t.Errorf("%s in %s: %+v, complete %v; it was %+v, %v", c.name, how, r.Counts, r.Complete, was.Counts, was.Complete)
			}
		}
		for how, e := range map[string]encoding.Encoding{
			"UTF-16LE": unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "UTF-16BE": unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
			"UTF-16LE without a mark": unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
		} {
			if b, err := e.NewEncoder().Bytes(declare(c.bytes, "utf-16")); err == nil && c.bytes[0] == '<' {
				same(how, b)
			}
		}
		if b, err := charmap.ISO8859_1.NewEncoder().Bytes(declare(c.bytes, "ISO-8859-1")); err == nil {
			latin++
			same("ISO-8859-1", b)
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write(c.bytes) // never fails
		z.Close()
		same("gzip", packed.Bytes())
		same("UTF-8 with a mark", append([]byte("\xef\xbb\xbf"), c.bytes...))
	}
	if latin < 10 {
		t.Errorf("only %d files could be written in ISO-8859-1", latin)
	}
}

// TestCutRed: a red file that is cut at any byte never passes.
func TestCutRed(t *testing.T) {
	for _, c := range redFiles(t) {
		want := parse(t, "junit", c.bytes).Counts
		for n := 0; n < len(c.bytes); n += stepFor(len(c.bytes)) {
			r := quiet(t, c.name, c.bytes[:n])
			if green(r) && !wholeAt("junit", c.bytes, n) {
				t.Fatalf("%s cut at byte %d: passed", c.name, n)
			}
			if r.Counts.Cases > want.Cases {
				t.Fatalf("%s cut at byte %d: %d cases of %d", c.name, n, r.Counts.Cases, want.Cases)
			}
		}
	}
}

// place says what the byte at i of a document is part of, for the table of bytes whose loss is not noticed.
func placeOf(b []byte, i int) string {
	lt, gt := bytes.LastIndexByte(b[:i+1], '<'), bytes.LastIndexByte(b[:i], '>')
	if gt > lt || lt < 0 {
		return "text between tags"
	}
	tag := b[lt : i+1]
	switch {
	case bytes.HasPrefix(b[lt:], []byte("<?")):
		return "the XML declaration"
	case bytes.HasPrefix(b[lt:], []byte("<!")):
		return "a comment or CDATA mark"
	case bytes.HasPrefix(b[lt:], []byte("</")):
		return "an end tag"
	}
	name := regexp.MustCompile(`^</?[^\s/>]*`).Find(b[lt:])
	element := strings.ToLower(string(bytes.TrimLeft(name, "</")))
	if len(tag) <= len(name) {
		return "the name in <" + element + ">"
	}
	if m := regexp.MustCompile(`([^\s"'=]+)=["'][^"']*$`).FindSubmatch(tag); m != nil {
		return "the value of " + string(m[1]) + " in <" + element + ">"
	}
	return "between the values of <" + element + ">"
}

var totals = regexp.MustCompile(`\s(?:tests|failures|errors|skipped|skips|skip|disabled|warnings)="[^"]*"`)

// withoutTotals takes the totals out of the tags of suites.
func withoutTotals(b []byte) []byte {
	b = regexp.MustCompile(`<testsuites?\b[^>]*>`).ReplaceAllFunc(b, func(tag []byte) []byte { return totals.ReplaceAll(tag, nil) })
	return regexp.MustCompile(`<!-- (?:tests|pass|fail|cancelled|skipped|todo) \d+ -->\n?`).ReplaceAll(b, nil)
}

// TestLostByte: a red file from which any one byte is lost never passes where it states totals. Without them, what still
// goes unnoticed is listed in a table, by the place of the byte.
func TestLostByte(t *testing.T) {
	slipped := map[string]int{}
	tried, without := 0, 0
	for _, c := range redFiles(t) {
		claims := parse(t, "junit", c.bytes).Claims
		for _, stated := range []bool{true, false} {
			b := c.bytes
			if !stated {
				b = withoutTotals(b)
			} else if claims.Failures == nil && claims.Errors == nil {
				continue
			}
			if r := parse(t, "junit", b); r.Counts.Failed+r.Counts.Errored == 0 {
				t.Fatalf("%s: not red any more", c.name)
			}
			for i := 0; i < len(b); i += stepFor(len(b)) {
				r := quiet(t, c.name, slices.Concat(b[:i], b[i+1:]))
				if stated {
					if tried++; green(r) {
						t.Errorf("%s without byte %d (%s): passed", c.name, i, placeOf(b, i))
					}
					continue
				}
				without++
				if green(r) {
					slipped[placeOf(b, i)]++
				}
			}
		}
	}
	var table strings.Builder
	fmt.Fprintf(&table, "One byte is lost from a file with failed cases, and the file reads as passed:\n\n")
	total := 0
	for _, n := range slipped {
		total += n
	}
	fmt.Fprintf(&table, "where suites state totals: 0\nwhere no totals are stated: %d\n", total)
	var rows []string
	for place, n := range slipped {
		rows = append(rows, fmt.Sprintf("    %s: %d\n", place, n))
	}
	slices.Sort(rows)
	table.WriteString(strings.Join(rows, ""))
	t.Logf("%d bytes with totals, %d without; %d unnoticed", tried, without, total)
	if testing.Short() || racing {
		return
	}
	golden := filepath.Join("..", "testdata", "parsers", "byte-loss.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != table.String() {
		t.Errorf("%s says\n%s\nit is\n%s", golden, want, table.String())
	}
}
