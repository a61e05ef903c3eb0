package runners

import "factgate/facts"

// goTest is go test. Exit codes: cmd/go documents none; measured with 1.26: 0, 2 for a flag that it cannot parse, 1 for all
// else, from a failing test to a missing go.mod. Which of them it was is in the stream of the shim.
func goTest() Runner {
	return Runner{
		Name:     "go",
		Title:    "go test",
		Link:     "https://pkg.go.dev/cmd/go#hdr-Test_packages",
		Command:  []string{"go", "test", "./..."},
		Programs: []string{"go"},
		Sub:      []string{"test"},
		Exits:    map[int]facts.Meaning{0: facts.Clean, 1: facts.NotClean, 2: facts.Misused},

		Shims:  []string{"go"},
		EnvAdd: []Word{{Name: "PATH", Text: "{tools}/bin", Sep: ":", First: true}},
		Fresh:  Fresh{Env: map[string]string{"FACTGATE_FRESH": "1"}}, // the shim adds -count=1
		Reads:  []string{"GOFLAGS", "GOWORK", "GOEXPERIMENT", "GODEBUG", "GOOS", "GOARCH", "CGO_*", "CC", "CXX", "GOAMD64", "GOARM64", "GOROOT", "GOENV", "GOTOOLCHAIN"},
		Scrub: []Scrub{{Name: "GOFLAGS", Flags: []string{
			"-run", "-skip", "-list", "-bench", "-fuzz", "-short!", "-failfast!", "-exec", "-toolexec", "-overlay", "-c!", "-n!", "-o", "-json!",
			"-test.run", "-test.skip", "-test.list", "-test.bench", "-test.fuzz", "-test.short!", "-test.failfast!",
		}}},
		Results: Source{Probe: true},
		Outputs: []string{"coverage.out", "cover.out", "c.out", "coverage.txt", "profile.cov", "*.coverprofile", "*.prof"},
		Version: []string{"go", "version"},
		Limits: []string{
			"go test -json is what runs; its output is printed as go test prints it. \"=== NAME\" lines of -v, logs of benchmarks and " +
				"the \"exit status\" line of a silent test binary are not there.",
			"GOFLAGS from go env -w and go.env are cleaned like the variable.",
			"A go that is started by its full path from a script is not seen, nor one below go generate or go test.",
			"go's own cache of test results does not see which variables TestMain reads before m.Run; cached = \"refuse\" passes it by.",
			"Build tags in GOFLAGS stay: the code may need them to compile.",
		},
	}
}
