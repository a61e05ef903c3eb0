package parsers

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// The laws of junit_law_test.go for every other format. What its documents are made of is lines, elements of JSON arrays,
// or XML elements.

// redOthers are the captured files of the other formats that did not pass because a case did not.
func redOthers(t *testing.T) []capture {
	t.Helper()
	seen := map[string]bool{}
	var red []capture
	for _, c := range captures(t) {
		if c.format == "junit" || bytes.HasPrefix(c.bytes, []byte{0x1f, 0x8b}) {
			continue
		}
		if n := parse(t, c.format, c.bytes).Counts; n.Failed+n.Errored > 0 {
			red, seen[c.format] = append(red, c), true
		}
	}
	for _, format := range Formats() {
		if !seen[format] && format != "junit" && format != "dartjson" { // of which no tool was at hand
			t.Errorf("no file of %s is red", format)
		}
	}
	return red
}

// parts reads a document into the places of what it is made of; nil where it is not well-formed.
func parts(c capture) *span {
	switch {
	case c.format == "nunit" || c.format == "trx" || c.format == "xunit":
		root, err := spans(c.bytes)
		if err != nil {
			return nil
		}
		return root
	case json.Valid(c.bytes):
		root := &span{to: len(c.bytes), inner: [2]int{0, len(c.bytes)}, fixed: true}
		d := json.NewDecoder(bytes.NewReader(c.bytes))
		root.children = []*span{value(d, c.bytes)}
		return root
	}
	root := &span{to: len(c.bytes), inner: [2]int{0, len(c.bytes)}}
	at := 0
	for line := range bytes.Lines(c.bytes) {
		root.children = append(root.children, &span{from: at, to: at + len(line)})
		at += len(line)
	}
	return root
}

// value reads one JSON value of a valid document. The order of an object's members is fixed.
func value(d *json.Decoder, b []byte) *span {
	s := &span{from: int(d.InputOffset())}
	for bytes.IndexByte([]byte(" \t\r\n,:"), b[s.from]) >= 0 {
		s.from++
	}
	token, err := d.Token()
	if err != nil {
		panic(err)
	}
	s.to, s.inner[0] = int(d.InputOffset()), int(d.InputOffset())
	open, ok := token.(json.Delim)
	if !ok {
		return s
	}
	s.fixed = open == '{'
	for d.More() {
		if s.fixed {
			if _, err := d.Token(); err != nil { // its name
				panic(err)
			}
		}
		s.children = append(s.children, value(d, b))
	}
	s.inner[1] = int(d.InputOffset())
	if _, err := d.Token(); err != nil {
		panic(err)
	}
	s.to = int(d.InputOffset())
	return s
}

// TestReorderedOthers: no order of the parts makes a red file pass, nor two parts that changed places.
func TestReorderedOthers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	moved := map[string]int{}
	defer func() {
		for _, format := range Formats() {
			if moved[format] < 10 && format != "junit" && format != "dartjson" {
				t.Errorf("only %d documents of %s were reordered", moved[format], format)
			}
		}
	}()
	for _, c := range redOthers(t) {
		root := parts(c)
		if root == nil {
			continue
		}
		for range 20 {
			b := shuffled(c.bytes, root, rnd.Perm)
			if !bytes.Equal(b, c.bytes) {
				moved[c.format]++
			}
			if green(quietly(t, c, b)) {
				t.Errorf("%s/%s passes in another order:\n%s", c.format, c.name, b[:min(len(b), 2000)])
			}
		}
		each(root, func(s *span) {
			for i := 0; i+1 < len(s.children); i += stepFor(20 * len(s.children)) {
				one, two := s.children[i], s.children[i+1]
				b := slices.Concat(c.bytes[:one.from], c.bytes[two.from:two.to], c.bytes[one.to:two.from], c.bytes[one.from:one.to], c.bytes[two.to:])
				if green(quietly(t, c, b)) {
					t.Errorf("%s/%s passes with two parts in each other's place: %.200s", c.format, c.name, c.bytes[one.from:two.to])
				}
			}
		})
	}
}

// TestRepeatedOthers: no part that is there twice makes a red file pass, wherever the second one is.
func TestRepeatedOthers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	for _, c := range redOthers(t) {
		root := parts(c)
		if root == nil {
			continue
		}
		each(root, func(s *span) {
			for i := 0; i < len(s.children); i += stepFor(20 * len(s.children)) {
				one, far := s.children[i], s.children[rnd.IntN(len(s.children))]
				comma := []byte(nil)
				if json.Valid(c.bytes) {
					comma = []byte(",")
				}
				for _, after := range []*span{one, far} {
					b := slices.Concat(c.bytes[:after.to], comma, c.bytes[one.from:one.to], c.bytes[after.to:])
					if green(quietly(t, c, b)) {
						t.Errorf("%s/%s passes with a part twice: %.200s", c.format, c.name, c.bytes[one.from:one.to])
					}
				}
			}
		})
	}
}

// TestReencodedOthers: the same document in another encoding, or packed, is the same document.
func TestReencodedOthers(t *testing.T) {
	for _, c := range captures(t) {
		if c.format == "junit" || c.format == "probe" || bytes.HasPrefix(c.bytes, []byte{0x1f, 0x8b}) {
			continue
		}
		was := parse(t, c.format, c.bytes)
		same := func(how string, b []byte) {
			r := quietly(t, c, b)
			if r.Counts != was.Counts || r.Complete != was.Complete || green(r) != green(was) {
				t.Errorf("%s/%s in %s: %+v, complete %v; it was %+v, %v", c.format, c.name, how, r.Counts, r.Complete, was.Counts, was.Complete)
			}
		}
		for how, e := range map[string]encoding.Encoding{
			"UTF-16LE": unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "UTF-16BE": unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
		} {
			b := declaredAs.ReplaceAll(bytes.TrimPrefix(c.bytes, []byte("\xef\xbb\xbf")), nil)
			if !bytes.Equal(bytes.ToValidUTF8(b, nil), b) || b[0] == 0xff || b[0] == 0xfe {
				continue
			}
			if b, err := e.NewEncoder().Bytes(b); err == nil {
				same(how, b)
			}
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		io.Copy(z, bytes.NewReader(c.bytes)) // never fails
		z.Close()
		same("gzip", packed.Bytes())
		if !bytes.HasPrefix(c.bytes, []byte("\xef\xbb\xbf")) && c.bytes[0] < 0x80 {
			same("UTF-8 with a mark", append([]byte("\xef\xbb\xbf"), c.bytes...))
		}
	}
}

// each calls do for every span whose children may change places.
func each(s *span, do func(*span)) {
	if !s.fixed {
		do(s)
	}
	for _, k := range s.children {
		each(k, do)
	}
}

// TestLostByteOthers: no red file passes when any one byte of it is lost.
func TestLostByteOthers(t *testing.T) {
	for _, c := range redOthers(t) {
		step := stepFor(4 * len(c.bytes))
		for i := len(c.name) % step; i < len(c.bytes); i += step {
			if green(quietly(t, c, slices.Delete(slices.Clone(c.bytes), i, i+1))) {
				t.Errorf("%s/%s passes without byte %d: %q", c.format, c.name, i, c.bytes[max(0, i-30):min(len(c.bytes), i+20)])
			}
		}
	}
}
