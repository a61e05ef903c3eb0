package runners

// common is what is taken out of the environment of every run, whatever its runner: words that select, skip, preload,
// redirect or rewrite expectations, and what an outer program left there for its own children.
func common() []Scrub {
	whole := []string{
		// Set by a runner for its own children. node refuses to run tests at all when it finds its own.
		"NODE_TEST_CONTEXT", "JEST_WORKER_ID", "VITEST", "VITEST_*", "PYTEST_CURRENT_TEST", "PYTEST_VERSION",
		"PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_XDIST_TESTRUNUID", "BATS_*", "TAP",

		// Select or list tests.
		"GTEST_FILTER", "GTEST_LIST_TESTS", "GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", "GTEST_SHARD_STATUS_FILE",
		"TESTBRIDGE_TEST_ONLY", "TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", "TEST_SHARD_STATUS_FILE",

		// Rewrite what is expected, so that any outcome matches.
		"UPDATE_EXPECT", "UPDATE_SNAPS", "UPDATE_SNAPSHOTS", "UPDATE_SNAPSHOT", "UPDATE_GOLDEN", "UPDATE_GOLDENS",
		"INSTA_FORCE_PASS", "INSTA_UPDATE", "INSTA_FORCE_UPDATE", "INSTA_FORCE_UPDATE_SNAPSHOTS", "SNAPSHOTS", "TRYCMD",
		"EXPECTTEST_ACCEPT", "SNAPSHOT_UPDATE",

		// Load code before the program, or make shells read a file or replace a command.
		"BASH_ENV", "ENV", "BASH_FUNC_*", "SHELLOPTS", "BASHOPTS", "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "PERL5OPT", "PERL5DB",

		// Make Python drop assert statements, or wait at its end.
		"PYTHONOPTIMIZE", "PYTHONINSPECT",

		// An outer make's flags: -i and -n make the inner one say 0 whatever happened.
		"MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKELEVEL",

		// npm run of a script that is not there says 0.
		"npm_config_if_present", "npm_config_workspace", "npm_config_workspaces",
	}
	var all []Scrub
	for _, name := range append(whole, gitVars()...) {
		all = append(all, Scrub{Name: name, Whole: true})
	}
	return append(all, Scrub{Name: "NODE_OPTIONS", Flags: []string{
		"--test-only!", "--test!", "--test-name-pattern", "--test-skip-pattern", "--test-shard",
	}})
}

// gitVars is every variable that `git rev-parse --local-env-vars` lists, the pairs that GIT_CONFIG_COUNT announces, and
// what a receiving hook finds. A hook sets some of them, and git commands of a test would then overwrite the real
// repository.
func gitVars() []string {
	return []string{
		"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_*",
		"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_VALUE_*", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE",
		"GIT_INTERNAL_SUPER_PREFIX", "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_QUARANTINE_PATH",
		"GIT_REFERENCE_BACKEND", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE",
	}
}
