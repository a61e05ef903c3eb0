package config

import "time"

// kind is what a key may hold.
type kind string

const (
	kindTable    kind = "table"             // of the keys that the list of keys holds below it
	kindNamed    kind = "tables by name"    // a table per name of the user's own
	kindText     kind = "string"            // not empty
	kindWord     kind = "word"              // one of words
	kindBool     kind = "boolean"           //
	kindInt      kind = "integer"           // min to max
	kindDuration kind = "duration"          // min to max, seconds
	kindSize     kind = "size"              // min to max, bytes
	kindArgv     kind = "argv"              // program and arguments, not empty
	kindArgs     kind = "strings"           // arguments, may be none
	kindEnv      kind = "table of strings"  //
	kindNames    kind = "variable names"    //
	kindChecks   kind = "check names"       //
	kindDir      kind = "path"              // relative to the root
	kindGlobs    kind = "globs"             //
	kindGlob     kind = "glob"              //
	kindExits    kind = "table of meanings" //
	kindLater    kind = "not supported yet" // known, and refused until it is built
)

// key is one key of factgate.toml. Names of the user's own are * in path.
type key struct {
	path     string
	kind     kind
	words    []string // of kindWord
	min, max int64    // of numbers, durations and sizes
	standard string   // the default, as it is shown
	doc      string   // Markdown
	required bool
}

const (
	day = 24 * time.Hour

	maxChecks  = 10_000
	maxTimeout = day
)

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

// keys is every key of the file, in the order of docs/config.md, which is printed from it as the schema is.
func keys() []key {
	return []key{
		{path: "version", kind: kindInt, min: 1, max: 1, required: true, doc: "The version of this format."},

		{path: "defaults", kind: kindTable, doc: "What holds for every check that does not say otherwise."},
		{path: "defaults.timeout", kind: kindDuration, min: 0, max: seconds(maxTimeout), standard: `"10m"`, doc: "See `checks.NAME.timeout`."},
		{path: "defaults.grace", kind: kindDuration, min: 0, max: 3600, standard: `"10s"`, doc: "See `checks.NAME.grace`."},
		{path: "defaults.jobs", kind: kindInt, max: 1024, standard: "0", doc: "How many checks run at the same time; 0 is the number of CPUs."},
		{path: "defaults.min_tests", kind: kindInt, max: 1_000_000_000, standard: "1", doc: "See `checks.NAME.min_tests`. Does not reach checks of `runner = \"command\"`, which have no cases."},
		{path: "defaults.flaky", kind: kindWord, words: []string{"refuse", "accept"}, standard: `"refuse"`, doc: "See `checks.NAME.flaky`."},
		{path: "defaults.cached", kind: kindWord, words: []string{"accept", "refuse"}, standard: `"accept"`, doc: "See `checks.NAME.cached`."},
		{path: "defaults.gate", kind: kindWord, words: gates(), standard: `"stop"`, doc: "See `checks.NAME.gate`."},

		{path: "checks", kind: kindNamed, doc: "The checks. A name has letters, digits and `. _ - : /`, 128 at most, and does not start with `-`. What is not a bare TOML key stands in quotes: `[checks.\"unit:web\"]`."},
		{path: "checks.*.runner", kind: kindText, required: true, doc: "The test program: one that `factgate runners` lists, or one of your own, `[runners.NAME]`. `command` is any program without cases: its clean exit is the evidence."},
		{path: "checks.*.dir", kind: kindDir, standard: `"."`, doc: "Where it is started, relative to the root."},
		{path: "checks.*.command", kind: kindArgv, standard: "the runner's own", doc: "Program and arguments, as an array; there is no shell. A relative program is relative to `dir`. See [Shell scripts](#shell-scripts)."},
		{path: "checks.*.args", kind: kindArgs, standard: "`[]`", doc: "Arguments behind the command."},
		{path: "checks.*.env", kind: kindEnv, standard: "`{}`", doc: "Variables to set. An empty text removes the variable: `CI = \"\"`."},
		{path: "checks.*.keep_env", kind: kindNames, standard: "`[]`", doc: "Variables of the caller that matter to the outcome: they are passed on whole, and another value makes an earlier proof void."},
		{path: "checks.*.timeout", kind: kindDuration, min: 0, max: seconds(maxTimeout), standard: `"10m"`, doc: "The longest that it may run. Then it is stopped and has failed."},
		{path: "checks.*.grace", kind: kindDuration, min: 0, max: 3600, standard: `"10s"`, doc: "How long its processes have to end between the request to end and the kill."},
		{path: "checks.*.needs", kind: kindChecks, standard: "`[]`", doc: "Checks that must have passed before."},
		{path: "checks.*.inputs", kind: kindGlobs, standard: "the whole tree", doc: "What the outcome depends on, as globs relative to the root. `**` is any number of folders. A wildcard that matches nothing makes the check unproven; a literal path may be absent. What a symbolic link among them leads to below the root counts too."},
		{path: "checks.*.outputs", kind: kindGlobs, standard: "`[]`", doc: "Untracked paths that may change while it runs, as globs relative to the root."},
		{path: "checks.*.min_tests", kind: kindInt, max: 1_000_000_000, standard: "1", doc: "How many cases must have passed. Not for `runner = \"command\"`."},
		{path: "checks.*.allow_no_tests", kind: kindBool, standard: "false", doc: "A run without any case may pass, and the report says so."},
		{path: "checks.*.flaky", kind: kindWord, words: []string{"refuse", "accept"}, standard: `"refuse"`, doc: "May a case that failed and then passed on the same tree count as passed?"},
		{path: "checks.*.cached", kind: kindWord, words: []string{"accept", "refuse"}, standard: `"accept"`, doc: "May results that the runner replayed from its own cache count? `refuse` also starts the runner with its cache off."},
		{path: "checks.*.gate", kind: kindWord, words: gates(), standard: `"stop"`, doc: "The first moment at which it must be proven: the end of an agent's turn, a push, CI, or never."},
		{path: "checks.*.each", kind: kindLater, doc: "One entry for many folders."},
		{path: "checks.*.requires", kind: kindLater, doc: "Commands that must exit 0 before a test is started."},
		{path: "checks.*.locks", kind: kindLater, doc: "Machine-wide locks to hold meanwhile."},
		{path: "checks.*.retries", kind: kindInt, max: 100, standard: "0", doc: "How often failed cases run again. Only 0 is supported yet."},

		{path: "runners", kind: kindNamed, doc: "Test programs of your own. They are named like checks."},
		{path: "runners.*.command", kind: kindArgv, required: true, doc: "Program and arguments. `{results}` becomes the path of a results file in a new private folder, `{results_dir}` the folder."},
		{path: "runners.*.env", kind: kindEnv, standard: "`{}`", doc: "Variables to set; `{results}` and `{results_dir}` are filled in."},
		{path: "runners.*.results", kind: kindTable, required: true, doc: "What it writes."},
		{path: "runners.*.results.format", kind: kindText, standard: `"junit"`, doc: "The format, such as `\"junit\"`. `factgate parse --help` lists them."},
		{path: "runners.*.results.glob", kind: kindGlob, standard: "none", doc: "Where the results are when the program insists on its own paths, relative to the check's `dir`. Only files that the run wrote count."},
		{path: "runners.*.results.totals", kind: kindWord, words: []string{"check", "ignore"}, standard: `"check"`, doc: "`ignore` where the totals in the file count something else than cases."},
		{path: "runners.*.exits", kind: kindExits, standard: "0 is clean, all else is not", doc: "What each exit code means. A code that is not listed is never clean. " + meaningWords()},

		{path: "tree", kind: kindTable, doc: "What belongs to the tree."},
		{path: "tree.ignore", kind: kindGlobs, standard: "`[]`", doc: "Paths to leave out beside what the `.gitignore` files leave out, as globs relative to the root."},

		{path: "output", kind: kindTable, doc: "How much of a run's output its log keeps. A log is whole up to `spool` bytes; a longer one is cut to its beginning and its end."},
		{path: "output.head", kind: kindSize, min: 1 << 10, max: 64 << 20, standard: `"256KiB"`, doc: "The beginning."},
		{path: "output.tail", kind: kindSize, min: 1 << 10, max: 64 << 20, standard: `"1MiB"`, doc: "The end. It is held in memory while the check runs."},
		{path: "output.spool", kind: kindSize, max: 1 << 40, standard: `"4MiB"`, doc: "Up to this size, and up to head and tail together, a log is whole."},

		{path: "store", kind: kindTable, doc: "How long records are kept. The newest proof of a check always is."},
		{path: "store.runs", kind: kindInt, min: 1, max: 1_000_000_000, standard: "1000", doc: "Runs of one check."},
		{path: "store.age", kind: kindDuration, max: seconds(100 * 365 * day), standard: `"90d"`, doc: "Age; 0 is no limit."},
		{path: "store.bytes", kind: kindSize, max: 1 << 50, standard: `"1GiB"`, doc: "Size of the whole store; 0 is no limit."},

		{path: "include", kind: kindLater, doc: "Files of other folders that belong to this one."},
		{path: "prepare", kind: kindLater, doc: "Commands that run before the tree is taken."},
		{path: "gate", kind: kindLater, doc: "How the end of an agent's turn is held."},
	}
}

func gates() []string { return []string{"stop", "push", "ci", "off"} }
