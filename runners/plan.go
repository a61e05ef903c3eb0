package runners

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"factgate/config"
	"factgate/facts"
)

// Machine is what a plan needs to know of the machine and of this run. The caller asks; the plan is pure.
type Machine struct {
	Env     []string          // inherited, as NAME=value
	Root    string            // absolute: the folder of factgate.toml
	RunDir  string            // absolute: the private directory of this run
	Tools   string            // absolute: the private, stable directory with our files and shims
	Self    string            // absolute: the factgate executable
	OS      string            // runtime.GOOS
	Arch    string            // runtime.GOARCH
	Answers map[string]string // to Probes, by ID; the first line is filled in, space cut off
	Fresh   bool              // defeat the runner's own cache
	Args    []string          // extra arguments that narrow this one run
	RunMark string            // value of FACTGATE_RUN
	Seal    string            // secret of this run: whoever knows it can write the end of a probe stream
}

// Plan is what to start for one check, and how to read what comes of it.
type Plan struct {
	Runner   string
	Argv     []string
	Dir      string   // absolute
	Env      []string // complete, sorted
	Notes    []string // removed words, what gave way to ours
	Direct   bool     // argv starts the runner itself, or through declared launchers: its exit table applies
	Launcher string   // argv up to the word that names the runner; empty: the runner is started by itself
	Exits    map[int]facts.Meaning

	Seal      string     // Machine.Seal, to hold the streams against. Never to be shown or kept
	Source    Source     // Glob is relative to the root here, with slashes
	NoCases   bool       // a clean exit is the evidence
	Outputs   []string   // root-relative slash globs: the runner's own and the check's
	Witness   []string   // see Runner
	Daemons   []string   // see Runner
	ToolFiles []ToolFile // to be there, byte for byte, under Machine.Tools
	Shims     []string   // see Runner
	StandIn   *StandIn   // ours is started in the place of the program that argv[0] named; nil: argv[0] is the program itself
	Version   []string   // argv that prints the version, when the probe does not say it
	Beside    string     // ID of the probe that found a program on which the outcome depends too; empty: none

	programs []string // see Runner
	key      Material
}

// StandIn is a program that is not started by itself, but by ours of the same name.
type StandIn struct {
	Program string   // as argv named it
	Env     []string // in which it is looked up: the plan's, with PATH as it was before ours
}

// Material is what of a plan enters the key, beside what only the machine knows: the digest of the inputs, of the
// resolved program and of the witnesses, and the keys of the needs.
type Material struct {
	Runner  string            `json:"runner"`
	Table   string            `json:"table"` // digest of the runner's data, of our files for it and of the planning rules
	Argv    []string          `json:"argv"`  // as declared: before placeholders are filled in and before any injection
	Dir     string            `json:"dir"`   // slash, relative to the root
	Env     map[string]string `json:"env,omitempty"`
	Keep    map[string]string `json:"keep,omitempty"`  // keep_env: SHA-256 of the value, or "unset". Only for hashing: a short secret can be guessed from it
	Reads   map[string]string `json:"reads,omitempty"` // of the variables that the runner reads: SHA-256 of the value as it was inherited, less scrubbed words
	Outputs []string          `json:"outputs,omitempty"`
	Witness []string          `json:"witness,omitempty"`
	OS      string            `json:"os"`
	Arch    string            `json:"arch"`
}

// Material returns what of the plan enters the key. Extra arguments and --fresh do not: they change how a key is run.
func (p Plan) Material() Material { return p.key }

// Plan says what to start. It refuses an unknown runner, a check without a command, and extra arguments that would not
// reach the runner.
func (s Set) Plan(c config.Check, m Machine) (Plan, error) {
	r, ok := s.byName[c.Runner]
	if !ok {
		return Plan{}, fmt.Errorf("runner %q is not known (one of %s)", c.Runner, strings.Join(s.names, ", "))
	}
	declaredArgv := slices.Concat(r.Command, c.Args)
	if len(c.Command) > 0 {
		declaredArgv = slices.Concat(c.Command, c.Args)
	}
	if len(declaredArgv) == 0 || declaredArgv[0] == "" {
		return Plan{}, fmt.Errorf("check %q has no command", c.Name)
	}
	p := Plan{
		Runner: r.Name, Dir: filepath.Join(m.Root, filepath.FromSlash(c.Dir)), Exits: r.Exits, NoCases: r.NoCases,
		Outputs: outputs(c, r), Witness: r.Witness, Daemons: slices.Concat(r.Daemons, buildDaemons()), ToolFiles: r.Files, Shims: r.Shims, Version: r.Version, Seal: m.Seal,
		programs: r.Programs,
	}
	p.Source = m.source(r, c.Dir)
	fill := m.filler(p.Source)

	argv := filled(declaredArgv, fill)
	at, direct := r.named(argv)
	p.Direct = direct
	if direct {
		p.Launcher = strings.Join(argv[:nameAt(r, argv)], " ")
		if args := filled(r.Args, fill); len(args) > 0 {
			argv = insert(argv, args, at)
		}
		if args := filled(r.Fresh.Args, fill); len(args) > 0 && (m.Fresh || c.Rules.RefuseCached) {
			argv = insert(argv, args, at)
		}
	}
	argv, err := focused(argv, m.Args, at, direct)
	if err != nil {
		return Plan{}, fmt.Errorf("check %q: %w", c.Name, err)
	}
	env := s.environ(c, r, m, fill)
	p.Argv = p.standIn(r, argv, m, env)
	p.Env, p.Notes = env.list(), append(env.notes, argvNotes(r, argv, direct)...)
	if r.Prefer != "" && len(c.Command) == 0 {
		var note string
		if p.Argv, note = preferNextest(p.Argv, m.Answers[r.Prefer]); note != "" {
			p.Notes = append(p.Notes, note)
		}
		if preferred, _ := preferNextest(declaredArgv, m.Answers[r.Prefer]); !slices.Equal(preferred, declaredArgv) {
			declaredArgv, p.Beside = preferred, r.Prefer
		}
	}
	if r.Replaces != "" {
		p.Notes = append(p.Notes, r.Replaces)
	}
	p.key = Material{
		Runner: r.Name, Table: r.digest(), Argv: declaredArgv, Dir: c.Dir, Env: c.Env, Keep: kept(c.KeepEnv, m), Reads: env.read,
		Outputs: p.Outputs, Witness: r.Witness, OS: m.OS, Arch: m.Arch,
	}
	return p, nil
}

// Meaning says what the end of the started program means: by the runner's table where argv starts the runner, else
// clean or not clean. A program that a signal ended, or that never started, has no code to mean anything.
//
// Where exactly one process reported itself (nested ones aside) and ended with that very code, what it says of its own
// end is more precise than a table that says "not clean" or does not have the code, and is taken instead; it can never turn a code other than 0 clean. Below
// cargo every test binary reports itself too: there it is the one process that is cargo, and of two steps the one that
// ended with that code.
func (p Plan) Meaning(e facts.Exit, seen ...facts.Process) facts.Meaning {
	if e.StartError != "" || e.Signal != "" || e.Code < 0 {
		return facts.Unknown
	}
	if !p.Direct {
		return plainMeaning(e.Code)
	}
	table := Runner{Exits: p.Exits}.meaning(e.Code)
	if p.Launcher != "" && p.Source.Probe && len(seen) == 0 && table != facts.Misused && table != facts.Broke {
		return plainMeaning(e.Code) // the runner would have reported itself: the code is the launcher's own
	}
	own := slices.DeleteFunc(slices.Clone(seen), func(one facts.Process) bool { return one.Nested || one.Runner != p.Runner })
	if len(own) > 1 {
		own = slices.DeleteFunc(own, func(one facts.Process) bool {
			return len(one.Argv) == 0 || !slices.Contains(p.programs, program(one.Argv[0]))
		})
	}
	if len(own) > 1 { // of two steps it ended as one of them did
		own = slices.DeleteFunc(own, func(one facts.Process) bool { return !one.Ended || one.Code != e.Code })
	}
	if len(own) == 1 && own[0].Ended && own[0].Code == e.Code && (table == facts.NotClean || table == facts.Unknown) &&
		e.Code != 0 && own[0].Meaning != facts.Clean && own[0].Meaning != facts.Unknown {
		return own[0].Meaning
	}
	return table
}

// SignalNote explains a code of 128+n behind a program that is not the runner: a shell's or npm's way to say that a
// signal ended what it started. It is a hint and never a claim, because mocha's 130 are 130 failures.
func (p Plan) SignalNote(e facts.Exit) string {
	names := map[int]string{129: "SIGHUP", 130: "SIGINT", 131: "SIGQUIT", 132: "SIGILL", 134: "SIGABRT", 135: "SIGBUS", 136: "SIGFPE", 137: "SIGKILL", 139: "SIGSEGV", 141: "SIGPIPE", 143: "SIGTERM"}
	name, ok := names[e.Code]
	if !ok || e.Signal != "" || e.StartError != "" || p.Direct && p.Launcher == "" {
		return ""
	}
	return fmt.Sprintf("exit %d is what %s says when %s ended the program behind it", e.Code, program(p.Argv[0]), name)
}

// source says where results will be. Private paths get the ending that programs expect of the format.
func (m Machine) source(r Runner, dir string) Source {
	s := r.Results
	if r.NoCases || s.Probe {
		return s
	}
	if s.Glob != "" {
		s.Glob = path.Join(literal(dir), s.Glob)
		return s
	}
	ending := ".txt"
	switch {
	case s.Format == "junit" || strings.Contains(s.Format, "xml") || strings.Contains(s.Format, "trx"):
		ending = ".xml"
	case strings.Contains(s.Format, "json"):
		ending = ".json"
	}
	s.File, s.Dir = filepath.Join(m.RunDir, "results"+ending), filepath.Join(m.RunDir, "results")
	return s
}

// filler fills placeholders in. It refuses text that needs an answer which is not there.
func (m Machine) filler(s Source) func(string) (string, bool) {
	pairs := []string{"{tools}", m.Tools, "{run_dir}", m.RunDir, "{self}", m.Self, "{root}", m.Root}
	if s.File != "" {
		pairs = append(pairs, "{results}", s.File, "{results_dir}", s.Dir)
	}
	for _, id := range keys(m.Answers) {
		line, _, _ := strings.Cut(strings.TrimSpace(m.Answers[id]), "\n")
		if line = strings.TrimSpace(line); line != "" {
			pairs = append(pairs, "{probe:"+id+"}", line)
		}
	}
	replacer := strings.NewReplacer(pairs...)
	return func(text string) (string, bool) {
		text = replacer.Replace(text)
		return text, !strings.Contains(text, "{probe:")
	}
}

func filled(words []string, fill func(string) (string, bool)) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i], _ = fill(w)
	}
	return all
}

// nameAt is where argv names the runner's program, which launchers may precede.
func nameAt(r Runner, argv []string) int {
	at, _ := unwrap(argv)
	return min(at, len(argv))
}

// argvNotes says what of argv defeats our probe or changes what tests mean.
func argvNotes(r Runner, argv []string, direct bool) []string {
	if !direct || !r.Results.Probe {
		return nil
	}
	var notes []string
	for i, w := range argv {
		if !pythons(program(w)) {
			continue
		}
		for _, f := range argv[i+1:] {
			if len(f) < 2 || f[0] != '-' || f[1] == '-' || f == "-m" {
				break
			}
			if strings.ContainsAny(f, "IE") && !strings.ContainsAny(f, "XW") {
				notes = append(notes, fmt.Sprintf("python %s ignores PYTHONPATH: the probe cannot be loaded, so there will be no results", f))
			}
			if strings.Contains(f, "O") && !strings.ContainsAny(f, "XW") {
				notes = append(notes, fmt.Sprintf("python %s drops assert statements outside rewritten test files", f))
			}
		}
		break
	}
	return notes
}

// literal is a glob that matches a path and no other.
func literal(path string) string {
	if !strings.ContainsAny(path, `*?[]{}\`) {
		return path
	}
	var b strings.Builder
	for _, r := range path {
		if strings.ContainsRune(`*?[]{}\`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// outputs makes root-relative globs of what the runner and the check leave in the tree.
func outputs(c config.Check, r Runner) []string {
	var all []string
	own := literal(c.Dir)
	for _, o := range r.Outputs {
		if rest, ok := strings.CutPrefix(o, "/"); ok {
			all = append(all, "**/"+rest)
			continue
		}
		all = append(all, path.Join(own, "**", o))
		for dir := c.Dir; dir != "." && dir != ""; {
			dir = path.Dir(dir)
			all = append(all, path.Join(literal(dir), o))
		}
	}
	if r.Results.Glob != "" { // a path that the program insists on; what is tracked there counts all the same
		all = append(all, path.Join(own, r.Results.Glob))
	}
	all = append(all, c.Outputs...)
	slices.Sort(all)
	return slices.Compact(all)
}

func kept(names []string, m Machine) map[string]string {
	if len(names) == 0 {
		return nil
	}
	env := newEnviron(m.Env, m.OS)
	all := map[string]string{}
	for _, name := range names {
		value, ok := env.get(name)
		if !ok {
			all[name] = "unset"
			continue
		}
		sum := sha256.Sum256([]byte(value))
		all[name] = hex.EncodeToString(sum[:])
	}
	return all
}

// digest names the runner's data, our files for it and the planning rules.
func (r Runner) digest() string {
	data, err := json.Marshal(struct {
		Version int
		Runner  Runner
	}{Version, r})
	if err != nil {
		panic("runners: data that cannot be encoded: " + err.Error()) // plain data: it can
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
