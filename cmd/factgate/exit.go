package main

// Exit codes of factgate. They are part of its promise to scripts, and stand in the help of every command that decides.
const (
	exitPassed   = 0   // everything asked for is proven
	exitFailed   = 1   // something failed
	exitUsage    = 2   // nothing was run because factgate could not: arguments or configuration
	exitUnproven = 3   // something is not proven
	exitNone     = 4   // no check has run
	exitRunning  = 5   // something is still running
	exitINT      = 130 // ended by Ctrl-C, after the children are gone and the records are written
	exitTERM     = 143 // likewise by TERM
)

// exitOf maps the verdict of a tree to the exit code of verify and status. An unknown word is never 0.
func exitOf(verdict string) int {
	switch verdict {
	case "passed":
		return exitPassed
	case "failed":
		return exitFailed
	case "none":
		return exitNone
	case "running":
		return exitRunning
	}
	return exitUnproven
}

const exitHelp = `
Exit codes: 0 passed, 1 failed, 2 nothing was run because factgate could not (usage, configuration),
3 unproven, 4 no check has run, 5 still running, 130 and 143 when interrupted.`
