package verdict

import "factgate/facts"

// Reason names one cause why an outcome is not a pass. The words are a promise: they stand in records and reports.
type Reason string

// The reasons of a failed run.
const (
	TestsFailed        Reason = "tests_failed"
	ExitSaysFailed     Reason = "exit_says_failed"
	BuildFailed        Reason = "build_failed"
	CollectionFailed   Reason = "collection_failed"
	ThresholdFailed    Reason = "threshold_failed"
	ErrorsOutsideTests Reason = "errors_outside_tests"
	TimedOut           Reason = "timed_out"
	Cancelled          Reason = "cancelled"
	Crashed            Reason = "crashed"
	OutOfMemory        Reason = "out_of_memory"
)

// The reasons of an unproven run.
const (
	NoTests           Reason = "no_tests"
	AllSkipped        Reason = "all_skipped"
	BelowMinTests     Reason = "below_min_tests"
	ResultsMissing    Reason = "results_missing"
	ResultsStale      Reason = "results_stale"
	ResultsMalformed  Reason = "results_malformed"
	ResultsTruncated  Reason = "results_truncated"
	ResultsIncomplete Reason = "results_incomplete"
	ResultsContradict Reason = "results_contradict"
	Misused           Reason = "misused"
	Broke             Reason = "broke"
	Interrupted       Reason = "interrupted"
	UnknownExit       Reason = "unknown_exit"
	StartFailed       Reason = "start_failed"
	NeedNotPassed     Reason = "need_not_passed"
	RequirementFailed Reason = "requirement_failed"
	InputsEmpty       Reason = "inputs_empty"
	TreeUnknown       Reason = "tree_unknown"
	TreeMoved         Reason = "tree_moved"
	WrongTree         Reason = "wrong_tree"
	StraysLeft        Reason = "strays_left"
	WiringMoved       Reason = "wiring_moved"
	FocusedRun        Reason = "focused"
	CachedResults     Reason = "cached_results"
	FlakyCases        Reason = "flaky_cases" // in a retry of the run; standing when an earlier run of the key failed
	Unrecorded        Reason = "unrecorded"
)

// The standing reasons: they come from other records and from now, are added by Verdict.With, and never stand in a record.
const (
	NotRun            Reason = "not_run"
	FlakyTree         Reason = "flaky_tree"
	CasesVanished     Reason = "cases_vanished"
	CasesNewlySkipped Reason = "cases_newly_skipped"
	CanarySurvived    Reason = "canary_survived"
	ConfigWeakened    Reason = "config_weakened"
)

// Description is what a reason means to the one who reads it.
type Description struct {
	Outcome  Outcome
	Means    string // one plain sentence
	Next     string // what to do or to type
	Standing bool   // comes from other records and from now, not from the run alone
}

// Describe explains a reason. A word that is not in the table is unproven, and the description says that it is unknown.
func Describe(r Reason) Description {
	if i := rank(r); i < len(table) {
		return table[i].Description
	}
	return Description{
		Means: "This factgate does not know the reason.",
		Next:  "Read the record with the factgate that wrote it.",
	}
}

// Reasons lists every reason, the worst first.
func Reasons() []Reason {
	all := make([]Reason, len(table))
	for i, r := range table {
		all[i] = r.Reason
	}
	return all
}

// rank is the reason's place in the table; one that is not in it comes last.
func rank(r Reason) int {
	for i := range table {
		if table[i].Reason == r {
			return i
		}
	}
	return len(table)
}

// row is one reason: when it applies, and what it means. A standing reason applies to no run by itself.
type row struct {
	Reason
	applies func(sight) bool
	Description
}

// failed, unproven and standing keep the table's lines short.
func failed(r Reason, applies func(sight) bool, means, next string) row {
	return row{r, applies, Description{Outcome: Failed, Means: means, Next: next}}
}

func unproven(r Reason, applies func(sight) bool, means, next string) row {
	return row{r, applies, Description{Means: means, Next: next}}
}

func standing(r Reason, means, next string) row {
	return row{r, nil, Description{Means: means, Next: next, Standing: true}}
}

// table is section by section what a run can show, the worst first. It is never written to.
var table = [...]row{
	failed(TestsFailed, sight.testsFailed,
		"At least one test failed or ended with an error, whatever the exit code says.",
		"Read the failures, fix the code, then `factgate verify`."),
	failed(ExitSaysFailed, sight.exitSaysFailed,
		"The exit code says that it failed, and no failing test in the results explains it.",
		"Read the end of the log: `factgate show --log`."),
	failed(BuildFailed, sight.buildFailed,
		"The code or its tests do not compile.",
		"Fix the build error, then `factgate verify`."),
	failed(CollectionFailed, sight.collectionFailed,
		"A test file could not be loaded, so its tests did not run.",
		"Fix the import or syntax error that the log names, then `factgate verify`."),
	failed(ThresholdFailed, sight.thresholdFailed,
		"The tests ended, but a limit such as the coverage threshold was missed.",
		"Reach the limit, or change it where the project decides about it."),
	failed(ErrorsOutsideTests, sight.errorsOutside,
		"Something failed outside any test: a hook, a fixture, an unhandled error.",
		"Read the error; it belongs to the suite, not to one test."),
	failed(TimedOut, func(s sight) bool { return s.run.Exit.TimedOut },
		"The check's own timeout was over before it ended.",
		"Find what hangs, or raise `timeout` in factgate.toml."),
	failed(Cancelled, func(s sight) bool { return s.run.Exit.Cancelled != "" },
		"The run was stopped before it ended.",
		"Run it again: `factgate verify`."),
	failed(Crashed, sight.crashed,
		"A process of the run was ended by a signal that factgate did not send.",
		"Read the end of the log; a segmentation fault or an abort is a bug in native code."),
	failed(OutOfMemory, func(s sight) bool { return s.run.Exit.OOMKills > 0 },
		"The system ended a process of the run for lack of memory.",
		"Give it more memory, or run fewer tests at once."),

	unproven(NoTests, sight.noTests,
		"No test ran: the runner found none.",
		"Check the path, the file names and the selection; `allow_no_tests = true` says that none is fine."),
	unproven(AllSkipped, sight.allSkipped,
		"Every test was skipped, so nothing was executed.",
		"Make the tests run here, or leave the check to a tier where they do (`gate`)."),
	unproven(BelowMinTests, sight.belowMinTests,
		"Fewer tests passed than `min_tests` asks for.",
		"Find out which tests are gone, or correct `min_tests`."),
	unproven(ResultsMissing, sight.resultsMissing,
		"The runner ended without writing results, so nobody knows which tests ran.",
		"See whether the command really starts the runner: `factgate explain CHECK`."),
	unproven(ResultsStale, problem(facts.Stale),
		"The results that lie there were not written by this run.",
		"Remove the old file and see that the command writes it anew."),
	unproven(ResultsMalformed, sight.malformed,
		"The results cannot be understood.",
		"Look at them with `factgate parse FILE`."),
	unproven(ResultsTruncated, problem(facts.Truncated),
		"The results are cut off.",
		"See why the runner could not finish writing: a full disk, a kill, an exit inside a test."),
	unproven(ResultsIncomplete, sight.incomplete,
		"The proof that the runner itself reached its end is not there.",
		"Look for an exit inside a test or a set-up file, or a runner left behind in the background."),
	unproven(ResultsContradict, sight.contradict,
		"Two accounts of the same run do not agree.",
		"Look at both: `factgate show`, `factgate parse FILE`."),
	unproven(Misused, sight.misused,
		"The runner was called with wrong arguments or configuration, or the check runs itself.",
		"Correct the command or the arguments in factgate.toml."),
	unproven(Broke, meaning(facts.Broke),
		"The runner itself broke with an internal error.",
		"Read the log; update or reinstall the runner."),
	unproven(Interrupted, sight.interrupted,
		"The run was interrupted before it reached its end.",
		"Run it again: `factgate verify`."),
	unproven(UnknownExit, sight.unknownExit,
		"The exit code is not one that the runner documents as success or as any failure.",
		"Read the log; a runner of your own can name the code in `exits`."),
	unproven(StartFailed, sight.startFailed,
		"The program could not be started.",
		"Install it, or correct `command` in factgate.toml."),
	unproven(NeedNotPassed, obstacle(facts.NeedNotPassed),
		"A check that this one needs did not pass, so it was not started.",
		"Make the needed check pass first."),
	unproven(RequirementFailed, obstacle(facts.RequirementFailed),
		"A command in `requires` failed, so no test was started.",
		"Run that command yourself and provide what it asks for."),
	unproven(InputsEmpty, obstacle(facts.InputsEmpty),
		"A pattern in `inputs` matches no file, so the check would watch nothing.",
		"Correct the pattern in factgate.toml."),
	unproven(TreeUnknown, sight.treeUnknown,
		"The files under test could not be read, so the result belongs to no known state.",
		"Put right what it names: a file that cannot be read (or leave it out in .gitignore or `[tree] ignore`), git that is missing or fails."),
	unproven(TreeMoved, func(s sight) bool { return len(s.run.Tree.Moved) > 0 },
		"Files under test changed while it ran.",
		"Run it again with nothing else at work; name generated files in `outputs`."),
	unproven(WrongTree, func(s sight) bool { return len(s.run.WrongTree) > 0 },
		"The run loaded source of another worktree or clone, so it tested other code.",
		"Install the dependencies of this worktree in it (an editable install or a link points elsewhere)."),
	unproven(StraysLeft, func(s sight) bool { return s.run.Exit.StraysLeft > 0 },
		"Processes of the run are still alive and could not be ended.",
		"End them, then run it again."),
	unproven(WiringMoved, func(s sight) bool { return len(s.run.Wiring) > 0 },
		"Hook wiring or host settings changed while it ran.",
		"See what changed them, and run it again."),
	unproven(FocusedRun, func(s sight) bool { return s.run.Focused },
		"Only a part was run, because of extra arguments.",
		"Run the whole check: `factgate verify`."),
	unproven(CachedResults, sight.cachedRefused,
		"Results were replayed from the runner's own cache, which this check refuses.",
		"Run it with the cache off: `factgate verify --fresh`."),
	unproven(FlakyCases, sight.flaky,
		"A test failed and then passed on the very same code.",
		"Fix the flaky test; `factgate verify --rerun \"REASON\"` or `flaky = \"accept\"` lets it count."),
	unproven(Unrecorded, func(s sight) bool { return s.run.Unrecorded != "" },
		"The record could not be written, so there is no proof.",
		"Make the state directory writable, or run it outside the sandbox."),

	standing(NotRun,
		"The check was never run on this code.",
		"Run it: `factgate verify`."),
	standing(FlakyTree,
		"The run failed as a whole and then passed on the very same code.",
		"Find the cause; `factgate verify --rerun \"REASON\"` lets it count."),
	standing(CasesVanished,
		"Tests that ran before did not run now, though their source is still there.",
		"Bring them back, or accept them by name."),
	standing(CasesNewlySkipped,
		"Tests that ran before are skipped now.",
		"Make them run again, or accept them by name."),
	standing(CanarySurvived,
		"A test that must fail was planted, and the check did not notice.",
		"Correct the check: as declared, it cannot fail."),
	standing(ConfigWeakened,
		"factgate.toml asks for less than before.",
		"Undo the change, or have a person accept it."),
}
