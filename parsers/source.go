package parsers

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"

	"factgate/facts"
)

// source is a results file on its way to a parser. It tells the errors of the reader below, which are the caller's,
// from those of the content, which are problems.
type source struct {
	r    io.Reader
	err  error // of the reader below
	left int64 // bytes that may still be read
	over bool  // more than that was there

	packed *source // what these bytes were unpacked from, nil where they were not
}

func newSource(r io.Reader, limit int64) *source { return &source{r: r, left: limit} }

func (s *source) Read(p []byte) (int, error) {
	if s.left <= 0 {
		s.over = true
		if s.packed != nil {
			s.packed.over = true
		}
		return 0, io.EOF
	}
	if int64(len(p)) > s.left {
		p = p[:s.left]
	}
	n, err := s.r.Read(p)
	for tries := 0; n == 0 && err == nil && len(p) > 0; tries++ {
		if tries == 100 {
			err = io.ErrNoProgress
			break
		}
		n, err = s.r.Read(p)
	}
	s.left -= int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// window is how much of a document's beginning is looked at to learn how it is written.
const window = 4096

// document gives the text of an XML document as UTF-8, whatever it is packed and written in, and notes what it met.
// exact is false when offsets in the text are not offsets in the file.
func document(src *source, c *collector) (text io.Reader, exact bool) {
	return decoded(src, c, charset)
}

// plainText is document for JSON, for streams and for TAP, which declare no charset: a byte order mark, or UTF-16 that shows
// in the first character, is all there is to go by. PowerShell writes what a program prints as UTF-16.
func plainText(src *source, c *collector) (text io.Reader) {
	text, exact := decoded(src, c, marked)
	c.inexact = !exact
	return text
}

func decoded(src *source, c *collector, of func(head []byte) (encoding.Encoding, string, int)) (text io.Reader, exact bool) {
	exact = true
	b := bufio.NewReaderSize(src, window)
	if magic, _ := b.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(b)
		if err != nil {
			c.problem(contentWeight(err), "gzip", 0, "the gzip header is broken: %v", err)
			return strings.NewReader(""), false
		}
		inner := newSource(&unpack{z, c}, c.lim.input)
		inner.packed = src
		b, exact = bufio.NewReaderSize(inner, window), false
		c.note("gzip", 0, "the file is compressed")
	}
	head, _ := b.Peek(window)
	e, name, skip := of(head)
	if skip > 0 {
		b.Discard(skip) // was peeked
		exact = false
	}
	switch {
	case e == nil && name != "":
		c.note("charset", 0, "the declared charset %q was not used: the bytes are read as UTF-8", name)
	case e != nil:
		c.note("charset", 0, "the text is in %s", name)
		return transform.NewReader(b, e.NewDecoder()), false
	}
	return b, exact
}

// unpack turns what gzip says about the content into problems.
type unpack struct {
	z *gzip.Reader
	c *collector
}

func (u *unpack) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	if err != nil && err != io.EOF {
		u.c.problem(contentWeight(err), "gzip", 0, "the compressed data is broken: %v", err)
		err = io.EOF
	}
	return n, err
}

func contentWeight(err error) facts.Weight {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return facts.Truncated
	}
	return facts.Malformed
}

// marked says how a text that begins with head is written, by its byte order mark or by the first character of an XML or a
// JSON document: nil for UTF-8 and what is read as it. name is what to tell about it, skip the length of the mark.
func marked(head []byte) (e encoding.Encoding, name string, skip int) {
	le, be := unicode.LittleEndian, unicode.BigEndian
	switch {
	case bytes.HasPrefix(head, []byte{0xff, 0xfe, 0, 0}):
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), "UTF-32", 4
	case bytes.HasPrefix(head, []byte{0, 0, 0xfe, 0xff}):
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), "UTF-32", 4
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		return unicode.UTF16(le, unicode.IgnoreBOM), "UTF-16", 2
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		return unicode.UTF16(be, unicode.IgnoreBOM), "UTF-16", 2
	case bytes.HasPrefix(head, []byte("<\x00")), bytes.HasPrefix(head, []byte("{\x00")):
		return unicode.UTF16(le, unicode.IgnoreBOM), "UTF-16 without a byte order mark", 0
	case bytes.HasPrefix(head, []byte("\x00<")), bytes.HasPrefix(head, []byte("\x00{")):
		return unicode.UTF16(be, unicode.IgnoreBOM), "UTF-16 without a byte order mark", 0
	case bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}):
		return nil, "", 3
	}
	return nil, "", 0
}

// charset is marked for an XML document, which may declare how it is written.
func charset(head []byte) (e encoding.Encoding, name string, skip int) {
	if e, name, skip = marked(head); e != nil || skip > 0 {
		return e, name, skip // the bytes say it, whatever is declared
	}
	m := patterns().declaration.FindSubmatch(head)
	if m == nil {
		return nil, "", 0
	}
	name = strings.ToLower(string(m[1]))
	if name == "utf-8" || name == "utf8" {
		return nil, "", 0
	}
	e, err := htmlindex.Get(name)
	if err != nil || e == encoding.Replacement || strings.HasPrefix(name, "utf-") || name == "unicode" {
		return nil, name, 0 // unknown, or the bytes of the declaration prove that it is not so
	}
	return e, name, 0
}
