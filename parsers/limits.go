package parsers

// limits are the caps that bound memory. Sizes are bytes.
type limits struct {
	input    int64 // of the decompressed document; more is not read
	cases    int   // kept cases that passed or were skipped
	bad      int   // kept cases that failed, errored or are unknown
	identity int   // of all kept identities (ids, suites, files)
	texts    int   // of all kept failure texts and messages
	failures int   // kept per case
	outside  int   // kept failures outside cases
	problems int   // kept kinds of problem
	prints   int   // identities that are compared with each other

	name    int // of one name, class or file; longer ones are cut and told apart by a digest
	message int // of one message
	text    int // of one failure text, half from its head and half from its tail
	value   int // of one attribute or JSON string while it is read
	line    int // of one line of a line format, after long strings in it were cut
	depth   int // of open elements
	live    int // of the output held for tests that have not ended, since any number may run at once
	running int // of the names of tests and packages that have not ended, with what is kept beside each
	attrs   int // of one element

	counts bool // cases are only counted: none is kept, and no cap on them matters
}

// standard is what the parsers use. 100,000 cases with names of a usual length fit well below the caps.
func standard() limits {
	return limits{
		input: 8 << 30, cases: 200_000, bad: 20_000, identity: 64 << 20, texts: 48 << 20, failures: 50, outside: 1000,
		problems: 100, prints: 220_000, name: 1 << 10, message: 4 << 10, text: 16 << 10, value: 64 << 10, line: 1 << 20, depth: 256, attrs: 1000,
		live: 64 << 20, running: 64 << 20,
	}
}

// counting is what Count uses.
func counting() limits {
	l := standard()
	l.counts, l.prints = true, 2_000
	return l
}
