package runners

// command is any program without cases, a linter or a build: its clean exit is the evidence.
func command() Runner {
	return Runner{
		Name:    "command",
		Title:   "any program without test cases; a clean exit is the evidence",
		NoCases: true,
		Limits:  []string{"There are no cases: min_tests and retries do not apply, and a program that does nothing and exits 0 passes."},
	}
}
