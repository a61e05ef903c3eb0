// Streams makes long results files and reads them with one reader each, so that bench/streams.py can measure a process
// that does nothing else.
//
//	streams make gotestjson SEED EVENTS > FILE
//	streams make jestjson SEED TESTS > FILE
//	streams read READER FILE
//
// READER is one of ours (a format), gotestsum (testjson.ScanTestOutput of gotest.tools/gotestsum), encoding-json (every
// line decoded into a struct), tokens (encoding/json's decoder, token by token), unmarshal (the whole document decoded at
// once into the fields that we read) or memchr (every line end looked for).
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"gotest.tools/gotestsum/testjson"

	"factgate/bench/madeup"
	"factgate/parsers"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "streams:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("usage: streams make gotestjson|jestjson SEED COUNT | streams read READER FILE")

func run(args []string) error {
	switch {
	case len(args) == 4 && args[0] == "make":
		return write(args[1], args[2], args[3])
	case len(args) == 3 && args[0] == "read":
		f, err := os.Open(args[2])
		if err != nil {
			return err
		}
		defer f.Close()
		what, err := read(args[1], f)
		if err != nil {
			return err
		}
		fmt.Printf("%s, peak %d KiB\n", what, peak())
		return nil
	}
	return errUsage
}

// write makes a stream of that format.
func write(format, seed, count string) error {
	n, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return err
	}
	many, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	switch format {
	case "gotestjson":
		_, err = madeup.GoTest(os.Stdout, n, many)
	case "jestjson":
		_, err = madeup.Jest(os.Stdout, n, many)
	default:
		err = errUsage
	}
	return err
}

// read reads all of r and says what was found.
func read(reader string, r io.Reader) (string, error) {
	switch reader {
	case "gotestsum":
		e, err := testjson.ScanTestOutput(testjson.ScanConfig{Stdout: r})
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%d tests, %d failed, %d skipped", e.Total(), len(e.Failed()), len(e.Skipped())), nil
	case "encoding-json":
		return decoded(r)
	case "memchr":
		return counted(r)
	case "tokens":
		return tokens(r)
	case "unmarshal":
		return unmarshalled(r)
	}
	parse, ok := parsers.Lookup(reader)
	if !ok {
		return "", fmt.Errorf("no reader %q; %w", reader, errUsage)
	}
	found, err := parse(r)
	if err != nil {
		return "", err
	}
	n := found.Counts
	return fmt.Sprintf("%d cases, %d passed, %d failed, %d skipped, %d problems", n.Cases, n.Passed, n.Failed+n.Errored, n.Skipped, len(found.Problems)), nil
}

// decoded decodes every line into the struct of go doc cmd/test2json, and does nothing else.
func decoded(r io.Reader) (string, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 8<<20)
	n := 0
	for lines.Scan() {
		var e struct {
			Time                         string
			Action, Package, Test        string
			Elapsed                      float64
			Output, ImportPath, FailedBy string
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return "", err
		}
		n++
	}
	return fmt.Sprintf("%d events", n), lines.Err()
}

// tokens walks a document with encoding/json's decoder.
func tokens(r io.Reader) (string, error) {
	d := json.NewDecoder(r)
	for n := 0; ; n++ {
		_, err := d.Token()
		if err == io.EOF {
			return fmt.Sprintf("%d tokens", n), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// unmarshalled decodes a document of jest at once.
func unmarshalled(r io.Reader) (string, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	var v struct {
		TestResults []struct {
			Name, Message, Status string
			AssertionResults      []struct {
				Status, Title                                 string
				AncestorTitles, FailureMessages, RetryReasons []string
				Invocations                                   int
				Duration                                      float64
			}
		}
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d files", len(v.TestResults)), nil
}

// counted looks for line ends, the least that any reader of lines does.
func counted(r io.Reader) (string, error) {
	buf := make([]byte, 128<<10)
	n := 0
	for {
		k, err := r.Read(buf)
		for b := buf[:k]; ; n++ {
			i := bytes.IndexByte(b, '\n')
			if i < 0 {
				break
			}
			b = b[i+1:]
		}
		if err == io.EOF {
			return fmt.Sprintf("%d lines", n), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// peak is the most memory that this process ever held, in KiB, 0 where the system does not say.
func peak() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, _ := strconv.Atoi(strings.Fields(rest)[0]) // written by the kernel
			return n
		}
	}
	return 0
}
