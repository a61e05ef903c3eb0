package runners

import (
	"fmt"
	"slices"
	"strings"
)

// findNextest looks for cargo-nextest where cargo looks for its subcommands.
func findNextest() Probe {
	return Probe{ID: "nextest", Program: "cargo-nextest", Argv: []string{"nextest", "--version"}, Folders: []string{"$CARGO_HOME/bin", "$HOME/.cargo/bin"}}
}

// oldestNextest is the first cargo-nextest whose results can prove a pass: it keeps in them what a passed test printed, and
// it knows --no-tests (its change log, 0.9.75 and 0.9.86).
var oldestNextest = [3]int{0, 9, 86}

// cargoSteps is the shim that runs the two steps one after the other, and what stands between them.
const (
	cargoSteps = "factgate-cargo"
	cargoThen  = "--then"
)

// preferNextest turns "cargo test ARG..." into "cargo nextest run ARG..." and, since nextest runs no doctests, "cargo test
// --doc ARG..." behind it. Where nextest is missing, too old, or cannot do what an argument asks for, argv stays, and note
// says why if that is worth saying.
//
// said is what cargo nextest --version printed; empty: it is not installed.
func preferNextest(argv []string, said string) (steps []string, note string) {
	if said == "" {
		return argv, ""
	}
	if version, ok := nextestVersion(said); said != Unasked && (!ok || slices.Compare(version[:], oldestNextest[:]) < 0) {
		return argv, fmt.Sprintf("cargo test is run although nextest is installed, because %q is older than %s",
			strings.TrimSpace(said), strings.Trim(strings.ReplaceAll(fmt.Sprint(oldestNextest), " ", "."), "[]"))
	}
	a := cargoArgs{docs: true}
	if odd := a.read(argv[2:]); odd != "" {
		return argv, fmt.Sprintf("cargo test is run although nextest is installed, because of %s", odd)
	}
	return a.steps(argv[0]), a.note
}

// nextestVersion reads the first line of cargo nextest --version: cargo-nextest 0.9.151 (6b3f99457 2026-11-02).
func nextestVersion(said string) (version [3]int, ok bool) {
	n, err := fmt.Sscanf(said, "cargo-nextest %d.%d.%d", &version[0], &version[1], &version[2])
	return version, err == nil && n == 3
}

// cargoArgs are the arguments of cargo test, as nextest and as cargo test --doc take them.
type cargoArgs struct {
	next, doc         []string // before the --
	nextBack, docBack []string // and behind it
	docs              bool     // doctests are selected too
	note              string
}

// cargoArg is what becomes of one argument.
type cargoArg struct {
	names  []string
	valued bool
	next   string // nextest's word for it; empty: the same
	dest   argDest
}

type argDest uint8

const (
	toBoth  argDest = iota
	targets         // to nextest: it selects targets, and with that no doctests
	onlyNext
	selects // onlyNext, and selects tests by what doctests do not have
)

// cargoFront is every argument that may stand before the --. Those of cargo test keep its meaning: -j is the number of
// build jobs, --profile is cargo's. nextest's own are taken where they mean nothing to cargo test.
func cargoFront() []cargoArg {
	return []cargoArg{
		{names: []string{"--workspace", "--all", "--all-features", "--no-default-features", "--release", "-r", "--frozen", "--locked", "--offline",
			"--ignore-rust-version", "--no-fail-fast", "--future-incompat-report"}},
		{names: []string{"--package", "-p", "--exclude", "--features", "-F", "--target", "--target-dir", "--manifest-path", "--config", "-Z", "--color"}, valued: true},
		{names: []string{"--jobs", "-j"}, valued: true, next: "--build-jobs"},
		{names: []string{"--profile"}, valued: true, next: "--cargo-profile"},
		{names: []string{"--quiet", "-q"}, next: "--cargo-quiet"},
		{names: []string{"--verbose", "-v"}, next: "--cargo-verbose"},
		{names: []string{"--lib", "--bins", "--tests", "--examples", "--benches", "--all-targets"}, dest: targets},
		{names: []string{"--bin", "--test", "--example", "--bench"}, valued: true, dest: targets},
		{names: []string{"--test-threads", "--retries", "-P", "--max-fail", "--flaky-result", "--status-level", "--final-status-level",
			"--failure-output", "--success-output"}, valued: true, dest: onlyNext},
		{names: []string{"--fail-fast", "--ignore-default-filter"}, dest: onlyNext},
		{names: []string{"--filterset", "-E", "--partition", "--run-ignored"}, valued: true, dest: selects},
	}
}

// libtestBack is every argument behind the -- that nextest understands there, as libtest does. It knows --nocapture too, but
// then keeps nothing of what a test printed, and with that no proof that it came to its end.
func libtestBack() []cargoArg {
	return []cargoArg{
		{names: []string{"--ignored", "--include-ignored", "--exact"}},
		{names: []string{"--skip"}, valued: true},
	}
}

// read sorts the arguments of cargo test. It returns the first that nextest cannot be given.
func (a *cargoArgs) read(args []string) (odd string) {
	back := slices.Index(args, "--")
	if back < 0 {
		back = len(args)
	}
	front := cargoFront()
	for i := 0; i < back; {
		if !strings.HasPrefix(args[i], "-") {
			a.filter(args[i])
			i++
			continue
		}
		arg, words, ok := find(front, args[i:back])
		if !ok {
			return args[i]
		}
		a.take(arg, words)
		i += len(words)
	}
	for i := back + 1; i < len(args); {
		n := a.behind(args[i:])
		if n == 0 {
			return args[i]
		}
		i += n
	}
	return ""
}

// find looks an argument up: "--name", "--name value", "--name=value" or "-nvalue". words are those of args that it takes.
func find(table []cargoArg, args []string) (arg cargoArg, words []string, ok bool) {
	name, _, joined := strings.Cut(args[0], "=")
	for _, one := range table {
		switch {
		case slices.Contains(one.names, args[0]) && !one.valued:
			return one, args[:1], true
		case !one.valued:
		case slices.Contains(one.names, args[0]):
			return one, args[:min(2, len(args))], len(args) > 1
		case joined && strings.HasPrefix(name, "--") && slices.Contains(one.names, name):
			return one, args[:1], true
		case len(name) > 2 && name[1] != '-' && slices.Contains(one.names, name[:2]):
			return one, args[:1], true
		}
	}
	return arg, nil, false
}

// take gives an argument to the step that knows it.
func (a *cargoArgs) take(arg cargoArg, words []string) {
	own := words
	if arg.next != "" {
		own = renamed(arg.next, words)
	}
	a.next = append(a.next, own...)
	switch arg.dest {
	case toBoth:
		a.doc = append(a.doc, words...)
	case targets:
		a.docs = false
	case selects:
		a.docs = false
		a.note = fmt.Sprintf("%s selects among nextest's tests: doctests are not run", words[0])
	}
}

// renamed puts another name in the place of an argument's own: "-j4", "--jobs=4" and "--jobs 4" keep their value.
func renamed(name string, words []string) []string {
	if len(words) == 2 {
		return []string{name, words[1]}
	}
	_, value, joined := strings.Cut(words[0], "=")
	switch {
	case joined:
		return []string{name, value}
	case !strings.HasPrefix(words[0], "--") && len(words[0]) > 2:
		return []string{name, words[0][2:]}
	}
	return []string{name}
}

func (a *cargoArgs) filter(text string) {
	a.nextBack, a.docBack = append(a.nextBack, text), append(a.docBack, text)
}

// behind takes what stands behind the --, and returns how many words that are; 0 for what nextest cannot be given.
func (a *cargoArgs) behind(args []string) int {
	name, value, joined := strings.Cut(args[0], "=")
	if !strings.HasPrefix(args[0], "-") {
		a.filter(args[0])
		return 1
	}
	n := 1
	switch name {
	case "--test-threads":
		if !joined && len(args) < 2 {
			return 0
		}
		if !joined {
			value, n = args[1], 2
		}
		a.next = append(a.next, name, value)
	case "--show-output":
		a.next = append(a.next, "--success-output", "immediate")
	case "-q", "--quiet":
	default:
		arg, words, ok := find(libtestBack(), args)
		if !ok {
			return 0
		}
		n = len(words)
		if arg.valued && joined {
			words = []string{name, value}
		}
		a.nextBack = append(a.nextBack, words...)
	}
	a.docBack = append(a.docBack, args[:n]...)
	return n
}

// steps is the command line. Without doctests there is one step, which needs no help of ours. That there are no tests is
// for our own count to say: there may be doctests.
func (a *cargoArgs) steps(cargo string) []string {
	next := slices.Concat([]string{"nextest", "run"}, a.next, []string{"--no-tests=pass"}, behindDashes(a.nextBack))
	if !a.docs {
		return append([]string{cargo}, next...)
	}
	return slices.Concat([]string{cargoSteps}, next, []string{cargoThen, "test", "--doc"}, a.doc, behindDashes(a.docBack))
}

func behindDashes(words []string) []string {
	if len(words) == 0 {
		return nil
	}
	return append([]string{"--"}, words...)
}
