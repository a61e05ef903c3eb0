package madeup

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
)

type jestCase struct {
	AncestorTitles    []string          `json:"ancestorTitles"`
	Duration          float64           `json:"duration"`
	FailureDetails    []json.RawMessage `json:"failureDetails"`
	FailureMessages   []string          `json:"failureMessages"`
	FullName          string            `json:"fullName"`
	Invocations       int               `json:"invocations"`
	Location          *struct{}         `json:"location"`
	NumPassingAsserts int               `json:"numPassingAsserts"`
	RetryReasons      []string          `json:"retryReasons"`
	Status            string            `json:"status"`
	Title             string            `json:"title"`
}

type jestFile struct {
	AssertionResults []jestCase `json:"assertionResults"`
	EndTime          int64      `json:"endTime"`
	Message          string     `json:"message"`
	Name             string     `json:"name"`
	StartTime        int64      `json:"startTime"`
	Status           string     `json:"status"`
	Summary          string     `json:"summary"`
}

// Jest writes what `jest --json` writes for that many tests, of which one in fifty fails and shows a diff and a stack,
// and gives how many failed.
func Jest(w io.Writer, seed uint64, tests int) (failed int, err error) {
	b := bufio.NewWriterSize(w, 1<<20)
	random := rand.New(rand.NewPCG(seed, 2))
	to := json.NewEncoder(b)
	to.SetEscapeHTML(false)
	fmt.Fprintf(b, `{"numTotalTests":%d,"snapshot":{"added":0,"failure":false},"startTime":1764546929909,"testResults":[`, tests)
	bad, badFiles := 0, 0
	for n := 0; n < tests; {
		f := jestFile{Name: fmt.Sprintf("/src/app/__tests__/%s%d.test.ts", words[random.IntN(len(words))], n), Status: "passed", StartTime: 1764546930000, EndTime: 1764546931000}
		for range min(1+random.IntN(60), tests-n) {
			c := jestCase{
				AncestorTitles: []string{words[random.IntN(len(words))], fmt.Sprintf("when \"it\" is %d", n)}, Title: fmt.Sprintf("does what is asked of it, größer %d", n),
				Duration: float64(random.IntN(90)), FailureMessages: []string{}, FailureDetails: []json.RawMessage{}, Invocations: 1, NumPassingAsserts: 2, RetryReasons: []string{}, Status: "passed",
			}
			c.FullName = strings.Join(c.AncestorTitles, " ") + " " + c.Title
			if random.IntN(50) == 0 {
				stack := strings.Repeat("    at Object.<anonymous> (/src/app/__tests__/made.test.ts:12:3)\n", 1+random.IntN(60))
				message := "Error: expect(received).toBe(expected)\n\nExpected: \x1b[32m7\x1b[39m\nReceived: \x1b[31m8\x1b[39m\n" + stack
				c.Status, f.Status, c.FailureMessages = "failed", "failed", []string{message}
				f.Message += message
				bad++
			}
			f.AssertionResults = append(f.AssertionResults, c)
			n++
		}
		if f.Status == "failed" {
			badFiles++
		}
		if err := to.Encode(f); err != nil {
			return bad, err
		}
		if n < tests {
			b.WriteByte(',') // its error is kept for Flush
		}
	}
	fmt.Fprintf(b, `],"numFailedTests":%d,"numPassedTests":%d,"numFailedTestSuites":%d,"success":%v,"wasInterrupted":false}`, bad, tests-bad, badFiles, bad == 0)
	return bad, b.Flush()
}
