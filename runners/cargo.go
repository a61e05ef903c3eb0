package runners

import "factgate/facts"

// cargoTest is cargo test, and cargo nextest where argv names it. Exit codes: cargo test documents 0 and 101
// (https://doc.rust-lang.org/cargo/commands/cargo-test.html), hands on the code of a test binary that is not 101, and uses 1
// for a flag that it does not know; 101 is a failing test, code that does not compile and a bad manifest alike. Which it was
// is in the stream of the shim. The others are nextest's (nextest-metadata/src/exit_codes.rs).
func cargoTest() Runner {
	return Runner{
		Name:     "cargo",
		Title:    "cargo test and cargo nextest",
		Link:     "https://doc.rust-lang.org/cargo/commands/cargo-test.html",
		Command:  []string{"cargo", "test"},
		Prefer:   findNextest().ID,
		Probes:   []Probe{findNextest()},
		Programs: []string{"cargo"},
		Sub:      []string{"test", "t", "nextest"},
		Exits: map[int]facts.Meaning{
			0: facts.Clean, 1: facts.NotClean, 101: facts.NotClean,
			4: facts.NoTests, 5: facts.NoTests, 70: facts.Broke, 92: facts.Misused, 94: facts.Misused, 95: facts.Misused, 96: facts.Misused,
			100: facts.TestsFailed, 102: facts.BuildFailed, 103: facts.Broke, 104: facts.Broke, 105: facts.TestsFailed, 106: facts.TestsFailed, 110: facts.Broke,
		},

		Shims:  []string{"cargo", cargoSteps, "factgate-cargo-runner", "factgate-rustdoc"},
		EnvAdd: []Word{{Name: "PATH", Text: "{tools}/bin", Sep: ":", First: true}},
		// cargo reads its whole configuration from the environment, too (doc.rust-lang.org/cargo/reference/config.html).
		Reads: []string{"RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTDOCFLAGS", "RUSTUP_TOOLCHAIN", "RUST_MIN_STACK", "RUST_TEST_THREADS",
			"RUSTC", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTC_BOOTSTRAP", "RUSTDOC", "CARGO_HOME",
			"CARGO_BUILD_*", "CARGO_TARGET_*", "CARGO_PROFILE_*", "CARGO_UNSTABLE_*", "CARGO_ALIAS_*"},
		Scrub: []Scrub{
			// Select, or lift what a failure means.
			{Name: "NEXTEST_PROFILE", Whole: true}, {Name: "NEXTEST_RETRIES", Whole: true}, {Name: "NEXTEST_FLAKY_RESULT", Whole: true},
			{Name: "NEXTEST_NO_TESTS", Whole: true}, {Name: "NEXTEST_PARTITION", Whole: true}, {Name: "NEXTEST_DEFAULT_FILTER", Whole: true},
			{Name: "NEXTEST_MAX_FAIL", Whole: true}, {Name: "NEXTEST_RUN_IGNORED", Whole: true},
			// Set for the children of an outer run.
			{Name: "NEXTEST", Whole: true}, {Name: "NEXTEST_EXECUTION_MODE", Whole: true}, {Name: "NEXTEST_RUN_ID", Whole: true},
			// Rewrite what is expected.
			{Name: "TRYBUILD", Whole: true}, {Name: "UPDATE_EXPECT", Whole: true}, {Name: "SNAPSHOTS", Whole: true}, {Name: "INSTA_UPDATE", Whole: true},
			{Name: "INSTA_FORCE_PASS", Whole: true}, {Name: "INSTA_FORCE_UPDATE", Whole: true}, {Name: "INSTA_FORCE_UPDATE_SNAPSHOTS", Whole: true},
			// Compile doctests and do not run them, or run something else in their place.
			{Name: "RUSTDOCFLAGS", Flags: []string{"--no-run!", "--test-runtool", "--test-args"}},
		},
		Results: Source{Probe: true},
		Outputs: []string{"target/**", "Cargo.lock"},
		Daemons: []string{"sccache"},
		Version: []string{"cargo", "--version"},
		Limits: []string{
			"Test binaries are started with libtest's --logfile, which makes each print one warning.",
			"A test binary that is not libtest's (harness = false) counts no cases; its exit code counts.",
			"Binaries for another target than this machine's are not read, nor --format junit, which prints no closing line.",
			"A target runner or rustdoc of your own in the environment or .cargo/config.toml is started behind ours; one given by " +
				"--config on the command line replaces ours, and nothing is then read.",
			"By default cargo nextest run is started, and then cargo test --doc, since nextest runs no doctests; cargo test where nextest is " +
				"not installed, is older than 0.9.86, or cannot do what an argument asks for (--doc, --nocapture), which is then a note. args are those of cargo test: -j is " +
				"the number of build jobs, --profile is cargo's. A declared command is what runs: command = [\"cargo\", \"test\"] is libtest " +
				"on every machine, command = [\"cargo\", \"nextest\", \"run\"] runs no doctests.",
			"The doctests are run after failing tests too.",
			"nextest takes a test that calls exit(0) for passed; here it proves nothing, as does one whose output nextest did not keep " +
				"(--no-capture, store-success-output = false, and before 0.9.86).",
			"A test binary that is not libtest's must list its tests as libtest does, or nextest ends with 104.",
			"Ignored tests are listed by nextest 0.9.143 and later.",
			"cargo rebuilds by file times: a source file that is put back with an older time is not compiled again, not by --fresh either.",
			"A cargo that is started by its full path from a script is not seen.",
		},
	}
}
