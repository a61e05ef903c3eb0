package record

import (
	"time"

	"factgate/facts"
)

// ReportSchema names the JSON of one verify or status. New keys may come; none changes its meaning.
const ReportSchema = "factgate/report/1"

// Report is what one verify or status says. What it looks like is package report's matter.
type Report struct {
	Schema  string        `json:"schema"`
	Verdict string        `json:"verdict"` // none, failed, running, unproven, passed
	Exit    int           `json:"exit"`    // equals the process's exit
	Tier    string        `json:"tier"`    // the tier that it answers for: stop, push, ci; empty when checks were named
	Tree    ReportTree    `json:"tree"`
	Checks  []ReportCheck `json:"checks"`
	Open    []string      `json:"open"` // checks that this answer does not cover: other tiers, or not named
}

// ReportTree names the tree that a report is about.
type ReportTree struct {
	ID        string   `json:"id"`
	Head      string   `json:"head"`
	Dirty     bool     `json:"dirty"`
	Anomalies []string `json:"anomalies"`
}

// ReportCheck is one check in a report.
type ReportCheck struct {
	Name       string          `json:"name"`
	Runner     string          `json:"runner"`
	Outcome    string          `json:"outcome"` // failed, unproven, passed, running
	Reasons    []string        `json:"reasons"` // worst first
	Record     string          `json:"record"`  // the run's id; empty when there is none
	ReusedFrom *Reused         `json:"reused_from"`
	Focused    bool            `json:"focused"`
	Counts     ReportCounts    `json:"counts"`
	NoCases    bool            `json:"no_cases,omitempty"` // a clean exit is the evidence
	End        *ReportEnd      `json:"end"`                // null when nothing was started
	DurationMS int64           `json:"duration_ms"`
	Failures   []ReportFailure `json:"failures"`
	Notes      []string        `json:"notes"`
	Details    []string        `json:"details,omitempty"` // a sentence per reason, with numbers, paths and names
	Advice     []string        `json:"advice,omitempty"`  // what to type next
	Log        string          `json:"log,omitempty"`     // path of the kept output
	Tail       string          `json:"tail,omitempty"`    // last lines of the output, where no failure speaks for itself
	Time       time.Time       `json:"time,omitzero"`     // when the run ended
	TreeID     string          `json:"tree,omitempty"`    // set by log
	Rerun      string          `json:"rerun,omitempty"`   // the reason given for trying again
	More       int             `json:"more,omitempty"`    // failures that are not listed
}

// Reused says that a result is an earlier run's, not executed now.
type Reused struct {
	Record string    `json:"record"`
	At     time.Time `json:"at"`
}

// ReportCounts are facts.Counts in the words of the report.
type ReportCounts struct {
	Cases    int `json:"cases"`
	Executed int `json:"executed"`
	Passed   int `json:"passed"`
	Failed   int `json:"failed"`
	Errored  int `json:"errored"`
	Skipped  int `json:"skipped"`
	Flaky    int `json:"flaky"`
	Cached   int `json:"cached"`
}

// ReportEnd is how the process ended.
type ReportEnd struct {
	Code     *int          `json:"code"`   // null when a signal ended it or it never started
	Signal   *string       `json:"signal"` // null when it ended with a code
	Meaning  facts.Meaning `json:"meaning"`
	TimedOut bool          `json:"timed_out"`
	Strays   int           `json:"strays"`
}

// ReportFailure is one failing case, or a failure outside cases.
type ReportFailure struct {
	ID      string `json:"id"`
	File    string `json:"file"` // relative to the root where it lies below it
	Line    int    `json:"line"`
	Message string `json:"message"`
	Text    string `json:"text,omitempty"` // short excerpt
}
