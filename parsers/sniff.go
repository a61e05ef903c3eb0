package parsers

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strings"

	"golang.org/x/text/transform"
)

// Sniff names what a file that begins with prefix is: one of Formats, or, where it is none of them, the words html,
// coverage-xml, failsafe-summary, xml, json, gzip, empty, or "" when nothing can be said. It only makes an error
// message better or saves a --as: in a check the format is declared.
func Sniff(prefix []byte) string {
	if bytes.HasPrefix(prefix, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(prefix))
		if err != nil {
			return "gzip"
		}
		inner, _ := io.ReadAll(io.LimitReader(z, window)) // the prefix ends before the data does
		if len(inner) == 0 {
			return "gzip"
		}
		prefix = inner
	}
	prefix = prefix[:min(len(prefix), 64<<10)]
	e, _, skip := charset(prefix)
	prefix = prefix[skip:]
	if e != nil {
		plain, _, _ := transform.Bytes(e.NewDecoder(), prefix) // what could be decoded
		prefix = plain
	}
	text := bytes.TrimSpace(prefix)
	if len(text) == 0 {
		return "empty"
	}
	if text[0] == '{' {
		return sniffJSON(text)
	}
	return sniffXML(text)
}

// sniffJSON looks at the first object: a line of a stream, or the beginning of a document.
func sniffJSON(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	var e struct {
		E, Action, Package, ImportPath string
	}
	if json.Unmarshal(line, &e) == nil {
		switch {
		case e.Action != "" && (e.Package != "" || e.ImportPath != ""):
			return "gotestjson"
		case e.E != "":
			return "probe"
		}
	}
	for _, key := range []string{`"numFailedTestSuites"`, `"numTotalTests"`, `"testResults"`} {
		if bytes.Contains(text, []byte(key)) {
			return "jestjson"
		}
	}
	return "json"
}

// sniffXML looks for the first element that says what the document is.
func sniffXML(text []byte) string {
	lower := strings.ToLower(string(text))
	first, at := "", len(lower)
	for _, x := range []struct{ mark, is string }{
		{"testsuites", "junit"}, {"testsuite", "junit"}, {"testcase", "junit"},
		{"html", "html"}, {"!doctype html", "html"}, {"coverage", "coverage-xml"}, {"failsafe-summary", "failsafe-summary"},
	} {
		if i := tagIndex(lower, x.mark); i >= 0 && i < at {
			first, at = x.is, i
		}
	}
	switch {
	case first != "":
		return first
	case strings.HasPrefix(lower, "<?xml"):
		return "xml"
	}
	return ""
}

// tagIndex finds a start tag of that name, with or without a namespace prefix.
func tagIndex(text, name string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return -1
		}
		i += from
		from = i + len(name)
		if from < len(text) && nameByte(text[from]) && text[from] != ':' {
			continue
		}
		k := i - 1
		if k >= 0 && text[k] == ':' {
			for k--; k >= 0 && nameByte(text[k]); k-- {
			}
		}
		if k >= 0 && text[k] == '<' {
			return k
		}
	}
}
