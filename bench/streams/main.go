// Streams makes long results files and reads them with one reader each, so that bench/streams.py can measure a process
// that does nothing else.
//
//	streams make gotestjson SEED EVENTS > FILE
//	streams read READER FILE
//
// READER is one of ours (a format), gotestsum (testjson.ScanTestOutput of gotest.tools/gotestsum), encoding-json (every
// line decoded into a struct) or memchr (every line end looked for).
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

var errUsage = errors.New("usage: streams make gotestjson SEED EVENTS | streams read READER FILE")

func run(args []string) error {
	switch {
	case len(args) == 4 && args[0] == "make" && args[1] == "gotestjson":
		seed, err := strconv.ParseUint(args[2], 10, 64)
		if err != nil {
			return err
		}
		events, err := strconv.Atoi(args[3])
		if err != nil {
			return err
		}
		n, err := madeup.GoTest(os.Stdout, seed, events)
		fmt.Fprintln(os.Stderr, n, "events")
		return err
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
