// Package parsers reads what test programs write, one results format per file, into the neutral model of package facts.
//
// A parser never fails for what a file says: everything wrong or odd in it becomes a facts.Problem, and its error means
// only that the bytes could not be read. Each parser holds itself to these laws:
//
//   - A document that was cut anywhere before its end is never complete with passed cases only.
//   - A document that is not of the format is malformed, never a document with no tests.
//   - The worst of what is said about a case wins, wherever it stands, and no failure is dropped while there is room.
//   - Memory is bounded by the caps of limits.go, whatever the size of the file. A cap that hides a case or a status is
//     a blocking problem; one that only shortens a text is a note.
package parsers

import (
	"fmt"
	"io"

	"factgate/facts"
)

// Parser reads one results file. The error is the reader's own and says that the file could not be read to its end.
type Parser func(io.Reader) (facts.Results, error)

// formats is every format with its parser, sorted by name.
func formats() []struct {
	name  string
	parse Parser
} {
	return []struct {
		name  string
		parse Parser
	}{
		{"ctrf", CTRF},
		{"cucumber", Cucumber},
		{"dartjson", DartJSON},
		{"gotestjson", GoTestJSON},
		{"jestjson", JestJSON},
		{"junit", JUnit},
		{"libtestjson", LibtestJSON},
		{"mochajson", MochaJSON},
		{"nunit", NUnit},
		{"playwrightjson", PlaywrightJSON},
		{"probe", probeResults},
		{"reportlog", ReportLog},
		{"rspecjson", RSpecJSON},
		{"tap", TAP},
		{"trx", TRX},
		{"vitestjson", VitestJSON},
		{"xunit", XUnit},
	}
}

// Lookup gives the parser of a format.
func Lookup(format string) (Parser, bool) {
	for _, f := range formats() {
		if f.name == format {
			return f.parse, true
		}
	}
	return nil, false
}

// Formats lists the names of all formats, sorted.
func Formats() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.name)
	}
	return names
}

// Count reads one results file and keeps no case: counts, claims and problems are those that the format's parser finds,
// without the notes on what it cut or replaced in what it kept. For junit there are no caps on cases then, memory
// does not grow with their number, and names are compared among the first 2,000 cases.
func Count(format string, r io.Reader) (facts.Results, error) {
	var got facts.Results
	var err error
	switch parse, ok := Lookup(format); {
	case !ok:
		return facts.Results{}, fmt.Errorf("%q is not a format", format)
	case format == "junit":
		return junit(r, counting())
	default:
		got, err = parse(r)
	}
	got.Cases = nil
	return got, err
}
