// Package runners knows the test programs: one file each, plain data, and a pure plan of what to start.
//
// A runner is data: default command, injection, results, exit-code table, words in the environment that silently change
// what runs, what it leaves in the tree, what it depends on. Nothing here starts a program or reads the machine: what
// must be asked first is listed as probes, which the caller answers. A runner declared in factgate.toml is the same data.
package runners

import "factgate/facts"

// Runner is one test program.
type Runner struct {
	Name    string
	Title   string   // one line for factgate runners
	Link    string   // the tool's own page of exit codes
	Command []string // what is started when a check gives no command
	Prefer  string   // ID of a probe: where it finds its program, the default is the one that preferNextest makes of Command

	Programs []string              // base names by which argv names this runner (pytest, py.test); "python -m" forms are Modules
	Scripts  []string              // ends of paths by which an interpreter's script is this runner (jest/bin/jest.js)
	Modules  []string              // python -m NAME
	Sub      []string              // words that must follow the program for it to be this runner (go: test)
	Exits    map[int]facts.Meaning // every documented code; any other is facts.Unknown. None at all: 0 is clean, any other not clean

	Env      map[string]string // set for the run; {tools}, {run_dir}, {self} and answers {probe:ID} are filled in, in a name as A-Z, 0-9 and _
	EnvAdd   []Word            // words added to a variable that may already hold some (NODE_OPTIONS, PYTHONPATH, PATH)
	Args     []string          // appended to argv where argv names the runner; {results} and {results_dir} are filled in
	Fresh    Fresh             // what defeats the runner's own cache
	Reads    []string          // variables whose value, less what Scrub takes out, changes what runs: it enters the key; a name may end in *
	Scrub    []Scrub           // words of the environment that select, skip, preload, redirect or rewrite
	Probes   []Probe           // what must be asked of the machine before the plan is made
	Files    []ToolFile        // files of ours that it needs under the tools directory
	Shims    []string          // names under which the factgate executable is put into {tools}/bin
	NoCases  bool              // writes no results: a clean exit is the evidence
	Results  Source            // what is read afterwards
	Outputs  []string          // untracked paths that the runner leaves in the tree, relative to dir, a folder above or any below it; with "/" first, to any folder of the root
	Witness  []string          // files that name the installed dependencies, relative to dir or a folder above it; a name with a * enters by the names that match
	Daemons  []string          // program names that outlive a run on purpose
	Version  []string          // argv that prints the version, when the probe stream does not say it
	Limits   []string          // known limits and costs, for docs/runners.md
	Replaces string            // what of the user's own output the injection replaces; empty: nothing
}

// Source says where results are and how they are read.
type Source struct {
	Probe         bool   // probe streams in the private directory, with what they attach
	Sealed        bool   // and the probe seals their ends
	Format        string // a name in parsers.Formats, where Probe is false
	Glob          string // relative to dir; empty: the private {results} and {results_dir}
	TotalsIgnored bool   // totals in the file count something else than cases

	File, Dir string // in a plan only: the private paths behind {results} and {results_dir}; the caller makes Dir
}

// Word adds one word to a variable.
type Word struct {
	Name  string // NODE_OPTIONS
	Text  string // --require {tools}/jest/probe.cjs
	Sep   string // " " or ":" (the list separator of the platform when it is ":")
	First bool   // before what is there, else behind it
}

// Fresh is what makes the runner execute all the same (--fresh, cached = "refuse").
type Fresh struct {
	Args []string
	Env  map[string]string
}

// ToolFile is a file of ours under the tools directory.
type ToolFile struct {
	Path string // slash, relative to the tools directory
	Data string
}

// Unasked is the answer of a program that is there and was not asked, which is enough for a key.
const Unasked = "?"

// Probe is one question to the machine. Answers are kept by ID.
type Probe struct {
	ID      string   // rustc_host
	Argv    []string // a program to start, in the check's dir
	File    string   // or a file to read, relative to the check's dir or the nearest folder above it
	Program string   // or a program to find, in Folders and then on PATH: the answer is what it prints when it is started with Argv
	Folders []string // $NAME is filled in; one whose variable is not set is none, and of the others the first counts
}

// Scrub names what is taken out of one variable. The rest of its value stays; what was taken out is a note.
type Scrub struct {
	Name  string   // PYTEST_ADDOPTS
	Whole bool     // the variable goes as a whole
	Flags []string // words that go: "-k" and "--deselect" with the value that follows or is joined by "=", "-x" alone when it ends with "!"; "-p no:" only with a value of that beginning; "*.py::*" a word of that shape
	Bare  string   // single letters that take no value, so that they may stand before a flag in one word (-qk NAME)
}

// builtin is the table, sorted by name.
func builtin() []Runner {
	return []Runner{
		cargoTest(),
		command(),
		goTest(),
		jest(),
		pytest(),
	}
}
