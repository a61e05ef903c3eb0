package record

import (
	"time"

	"factgate/facts"
	"factgate/verdict"
)

// Record is the account of one run: what was asked, what was seen, by which rules it was decided, and where it stands in
// the chain. Everything but the collected mark is inside the signed bytes.
type Record struct {
	ID      string        `json:"id"` // ULID of the run, made at its start
	Check   string        `json:"check"`
	Config  string        `json:"config"` // sha256 of factgate.toml, lower-case hex
	Key     string        `json:"key"`    // what the outcome depends on
	Runner  string        `json:"runner"`
	Argv    []string      `json:"argv"`
	Program Program       `json:"program"`
	Dir     string        `json:"dir"` // slash, relative to the root
	Tier    string        `json:"tier,omitempty"`
	Timeout time.Duration `json:"timeout_ns"` // the check's own; 0 means none
	Attempt int           `json:"attempt"`    // 1, or more when the same verify ran it again
	Trigger string        `json:"trigger"`    // who asked: verify
	Rerun   string        `json:"rerun,omitempty"`

	Tree    Tree     `json:"tree"`
	Inputs  Inputs   `json:"inputs"`
	Outputs []string `json:"outputs,omitempty"` // patterns of untracked paths that may change
	Env     []Env    `json:"env,omitempty"`

	Run          facts.Run       `json:"run"`
	Rules        verdict.Rules   `json:"rules"`
	RulesVersion int             `json:"rules_version"` // filled in by Sign
	Verdict      verdict.Verdict `json:"verdict"`       // filled in by Sign; by Open as today's rules decide

	Tools   Tools     `json:"tools"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	Chain   Chain     `json:"chain"` // Position and Previous are filled in by Store.Append

	Collected *Collected `json:"-"` // set when only the tombstone is left: the facts are condensed, cases and texts are gone
}

// Program is what argv[0] was resolved to.
type Program struct {
	Path   string `json:"path,omitempty"`
	SHA256 string `json:"sha256,omitempty"` // of the file, lower-case hex
}

// Tree is the code under test.
type Tree struct {
	ID        string   `json:"id"`              // before the start; empty when it could not be read
	After     string   `json:"after,omitempty"` // after the end; empty when nothing was started
	Head      string   `json:"head,omitempty"`  // commit
	GitTree   string   `json:"git_tree,omitempty"`
	Dirty     bool     `json:"dirty,omitempty"`
	Anomalies []string `json:"anomalies,omitempty"` // what hides changes from git
	LeftOut   []string `json:"left_out,omitempty"`
}

// Inputs are the paths that the check declares, and what they were.
type Inputs struct {
	Patterns []string `json:"patterns,omitempty"` // empty: the whole tree
	Digest   string   `json:"digest"`
}

// Env names one variable that the run saw on purpose. Its value is kept as a keyed digest only (Store.EnvDigest).
type Env struct {
	Name   string `json:"name"`
	Digest string `json:"digest,omitempty"` // empty: not set
	Kept   bool   `json:"kept,omitempty"`   // named in keep_env, else set by env
}

// Tools are the versions at work.
type Tools struct {
	Factgate string `json:"factgate"`
	Runner   string `json:"runner,omitempty"`
	Go       string `json:"go,omitempty"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// Chain is the record's place among those of one repository and root.
type Chain struct {
	Name     string `json:"name"`
	Position int64  `json:"position"`           // from 1, without gaps
	Previous string `json:"previous,omitempty"` // sha256 of the file at Position-1 as it was first written; empty at 1
}

// Collected says that retention replaced the record by a tombstone.
type Collected struct {
	Digest string    `json:"digest"` // sha256 of the whole record as it was first written
	At     time.Time `json:"at"`
}
