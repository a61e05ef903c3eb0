package runners

import (
	_ "embed"

	"factgate/facts"
)

//go:embed jest/probe.cjs
var jestPreload string

//go:embed jest/core.cjs
var jestCore string

// jest: 0 or 1 and nothing else, per https://jestjs.io/docs/cli and jest-cli's readResultsAndExit. 1 is every failure there
// is, so the table says only that it is not clean, and the probe says why where jest lived to tell.
func jest() Runner {
	return Runner{
		Name:     "jest",
		Title:    "JavaScript and TypeScript tests with jest 24 to 30",
		Link:     "https://jestjs.io/docs/cli",
		Command:  []string{"npx", "--no-install", "jest"}, // npx alone would fetch a jest that the project does not have
		Programs: []string{"jest"},
		Scripts:  []string{"jest/bin/jest.js", "jest/bin/jest", "jest-cli/bin/jest.js", "jest-cli/bin/jest", "node_modules/.bin/jest"},
		Exits:    map[int]facts.Meaning{0: facts.Clean, 1: facts.NotClean},
		Reads:    []string{"NODE_OPTIONS", "NODE_ENV", "NODE_PATH", "BABEL_ENV", "TZ"},
		EnvAdd: []Word{
			{Name: "NODE_OPTIONS", Text: "--require={tools}/jest/probe.cjs", Sep: " ", First: true},
		},
		Files: []ToolFile{
			{Path: "jest/probe.cjs", Data: jestPreload},
			{Path: "jest/core.cjs", Data: jestCore},
		},
		Results: Source{Probe: true, Sealed: true},
		Outputs: []string{"coverage/**"},
		Witness: []string{"node_modules/.package-lock.json", "node_modules/.yarn-integrity", "node_modules/.modules.yaml", ".pnp.cjs"},
		Limits: []string{
			"Cost, measured with 30.5 on 2 cores: about 5 ms for a jest, less than 1 ms for any other node process of the run.",
			"Cases are written when jest has ended: a run that is cut off leaves none. jest has no code for no tests, a bad configuration or a coverage limit; the probe says which it was.",
			"A worker that jest 24 loses to process.exit hangs jest until the check's timeout.",
			"bun does not read NODE_OPTIONS, and a script or an .npmrc (`node-options`) that sets it anew drops our word: there are no results then.",
			"Runs that stay open (`--watch`, handles that tests left open) end by the check's timeout; their results are noted and cannot pass.",
		},
	}
}
