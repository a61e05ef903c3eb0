package parsers

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// Sniff names what a file that begins with prefix is: one of Formats, or, where it is none of them, a word that Describe
// makes a sentence of: html, cobertura, clover, jacoco, coverage, lcov, failsafe-summary, checkstyle, sarif, …, xml, json,
// text, gzip, empty, or "" when nothing can be said. It only makes an error message better or saves a --as: in a check
// the format is declared.
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
		is := sniffJSON(text)
		if is == "json" && bytes.Contains(text, []byte("sarif")) && bytes.Contains(text, []byte(`"$schema"`)) {
			return "sarif"
		}
		return is
	}
	if tapWords().first.Match(text) {
		return "tap"
	}
	if is := sniffXML(text); is != "" {
		return is
	}
	return sniffText(text)
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
	if is := sniffLine(line); is != "" {
		return is
	}
	return sniffDocument(text)
}

// sniffLine looks at the keys of the first object of a stream.
func sniffLine(line []byte) string {
	var e map[string]json.RawMessage
	if json.Unmarshal(line, &e) != nil {
		return ""
	}
	has := func(keys ...string) bool {
		for _, k := range keys {
			if _, ok := e[k]; !ok {
				return false
			}
		}
		return true
	}
	kind := strings.Trim(string(e["type"]), `"`)
	switch {
	case has("$report_type"):
		return "reportlog"
	case has("type", "time"), has("type", "protocolVersion"):
		return "dartjson"
	case has("type", "event") && (kind == "suite" || kind == "test"):
		return "libtestjson"
	case has("meta") && len(e) == 1:
		return "cucumber"
	}
	return ""
}

// sniffDocument looks for the keys that only one format begins with.
func sniffDocument(text []byte) string {
	first := func(key string) int { return bytes.Index(text, []byte(`"`+key+`"`)) }
	total, failed := first("numTotalTestSuites"), first("numFailedTestSuites")
	switch {
	case total >= 0 && (failed < 0 || total < failed): // vitest writes it first, jest last
		return "vitestjson"
	case failed >= 0, first("numTotalTests") >= 0:
		return "jestjson"
	case first("reportFormat") >= 0, first("results") >= 0 && first("tool") >= 0 && first("summary") >= 0:
		return "ctrf"
	case first("config") >= 0 && first("rootDir") >= 0 && first("forbidOnly") >= 0:
		return "playwrightjson"
	case first("stats") >= 0 && first("passes") >= 0 && first("pending") >= 0:
		return "mochajson"
	case first("version") >= 0 && (first("examples") >= 0 || first("summary_line") >= 0 || first("seed") >= 0):
		return "rspecjson"
	case first("testResults") >= 0:
		return "jestjson"
	}
	return "json"
}

// sniffXML looks for the first element that says what the document is.
func sniffXML(text []byte) string {
	lower := strings.ToLower(string(text))
	first, at := "", len(lower)
	for _, d := range documents() {
		if i := tagIndex(lower, d.root); i >= 0 && i < at {
			first, at = d.name, i
		}
	}
	if i := strings.Index(lower, "<!doctype html"); i >= 0 && i < at {
		first = "html"
	}
	switch {
	case first == "coverage" && strings.Contains(lower[at:], "line-rate="):
		return "cobertura"
	case first == "coverage" && (strings.Contains(lower[at:], "clover=") || strings.Contains(lower[at:], "generated=")):
		return "clover"
	case first == "jacoco" && !strings.Contains(lower, "<!doctype report") && !strings.Contains(lower, "<counter") && !strings.Contains(lower, "<sessioninfo"):
		return "xml"
	case first != "":
		return first
	case strings.HasPrefix(lower, "<?xml") || len(lower) > 1 && lower[0] == '<' && nameStart(lower[1]):
		return "xml"
	}
	return ""
}

// sniffText tells what is no markup: a coverage report of lines, JSON that is no object, or text.
func sniffText(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	switch {
	case bytes.HasPrefix(line, []byte("TN:")), bytes.HasPrefix(line, []byte("SF:")):
		return "lcov"
	case text[0] == '[' && (json.Valid(text) || bytes.IndexByte([]byte("[{]\""), text[min(1, len(text)-1)]) >= 0):
		return "json"
	}
	if last := lastRune(text); !utf8.FullRune(last) {
		text = text[:len(text)-len(last)] // the prefix may end within a character
	}
	if utf8.Valid(text) && bytes.IndexByte(text, 0) < 0 {
		return "text"
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
