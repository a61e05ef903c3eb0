package shim

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"strings"

	"factgate/facts"
)

// maxUnproven is how many tests are named one by one.
const maxUnproven = 20

// proved holds the passed tests of nextest's JUnit against what each of them printed. nextest believes the status of a
// test's process: a test that calls exit(0) passes there. The line "test result: ok. …", the last that libtest prints,
// proves that the test came to its end.
func (c *Call) proved(s *stream, path string) {
	f, err := os.Open(path)
	if err != nil {
		return // said already
	}
	defer f.Close()
	bad, silent := 0, 0
	err = eachPassed(bufio.NewReaderSize(f, 64<<10), func(name, output string) {
		why := unproven(output)
		if why == "" {
			return
		}
		if why == notCaptured {
			silent++
		}
		if bad++; bad <= maxUnproven {
			s.problem("no_result_line", facts.Incomplete, "%s ended with status 0, and %s", name, why)
		}
	})
	if bad > maxUnproven {
		s.problem("no_result_line", facts.Incomplete, "and so did %d more", bad-maxUnproven)
	}
	if silent > 0 {
		s.note("whether a test came to its end shows in what it prints: nextest 0.9.86 and later keep it, but not with --no-capture, nor with store-success-output = false in .config/nextest.toml")
	}
	if err != nil {
		s.problem("junit_unreadable", facts.Incomplete, "read what nextest's tests printed: %v", err)
	}
}

const notCaptured = "nextest kept nothing of what it printed"

// unproven says what of a passed test's output does not show that it came to its end; empty when it does.
func unproven(output string) string {
	output = strings.TrimRight(output, " \r\n\t")
	if output == "" || output == "(stdout not captured)" {
		return notCaptured
	}
	last := output[strings.LastIndexByte(output, '\n')+1:]
	if strings.HasPrefix(last, "test result: ok. 1 passed; 0 failed; ") {
		return ""
	}
	return "without libtest's result line: it called exit, or its harness is another"
}

// eachPassed calls took with every test case that nextest says passed, and what it printed to its standard output.
func eachPassed(r io.Reader, took func(name, output string)) error {
	d := xml.NewDecoder(r)
	var path []string // of elements, below the root
	var name, output string
	passed := false
	var text *strings.Builder
	for {
		token, err := d.RawToken()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			path = append(path, t.Name.Local)
			inCase := len(path) > 1 && path[len(path)-2] == "testcase"
			switch {
			case t.Name.Local == "testcase":
				name, output, passed = caseName(t.Attr), "", true
			case inCase && (t.Name.Local == "failure" || t.Name.Local == "error" || t.Name.Local == "skipped"):
				passed = false
			case inCase && t.Name.Local == "system-out":
				text = &strings.Builder{}
			}
		case xml.CharData:
			if text != nil {
				text.Write(t)
			}
		case xml.EndElement:
			if text != nil {
				output, text = text.String(), nil
			}
			if t.Name.Local == "testcase" && passed {
				took(name, output)
			}
			path = path[:max(0, len(path)-1)]
		}
	}
}

// caseName names a test as nextest does: its binary, then its path.
func caseName(attrs []xml.Attr) string {
	var name, suite string
	for _, a := range attrs {
		switch a.Name.Local {
		case "name":
			name = a.Value
		case "classname":
			suite = a.Value
		}
	}
	return suite + " " + name
}
