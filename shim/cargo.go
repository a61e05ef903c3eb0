package shim

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"factgate/facts"
	"factgate/process"
)

// cargoMain acts as cargo. It is the outer witness: it says how cargo ended, and points cargo to our target runner and our
// rustdoc, which report one test binary and one package's doctests each.
func (c *Call) cargoMain() facts.Exit {
	real, err := c.real(envRealCargo)
	if err != nil {
		return c.fail(err)
	}
	env := unset(c.Env, envRealCargo)
	argv := append([]string{real}, c.Args...)
	word, at := cargoCommand(c.Args)
	if get(env, envRunDir) == "" || word == "" || slices.Contains(cargoPlain, word) {
		return c.become(argv, env)
	}
	s := c.open("cargo")
	if c.nested() {
		s.nested()
		s.close()
		return c.become(argv, env)
	}
	s.start("cargo", append([]string{nameCargo}, c.Args...), c.Dir)
	if word == "nextest" {
		return c.nextest(s, at, real, env)
	}
	return c.tests(s, argv, at, nil)
}

// tests starts a command of cargo's that may start tests. Where stderr is given, and cargo's last word there was what it
// holds back, there was nothing to run: then nothing is reported, and the status is 0.
func (c *Call) tests(s *stream, argv []string, at int, stderr *withheld) facts.Exit {
	// A cargo above this one (cargo xtask) may have pointed to our runner already: the user's own comes back first.
	spec := process.PassSpec{Argv: argv, Env: c.cargoEnv(s, unset(c.cleanEnv(), envRealCargo), at)}
	if stderr != nil {
		spec.Stderr = stderr
	}
	end := c.passAs(spec)
	n := s.children()
	if stderr != nil {
		if stderr.close(end.Code == 101 && n.started == 0) {
			s.discard()
			end.Code = 0
			return end
		}
	}
	word := c.Args[at]
	meaning := cargoMeaning(end, n, word == "test" || word == "t")
	if meaning == facts.BuildFailed {
		s.outside(facts.Build, c.Dir, "cargo ended with status %d before any test was started: the code does not compile, or Cargo.toml is wrong", end.Code)
	}
	s.end("cargo", end, meaning)
	return end
}

// cargoEnv points cargo to our runner and our rustdoc; the user's own are kept behind them.
func (c *Call) cargoEnv(s *stream, env []string, at int) []string {
	tools := c.folder(nameRunner)
	if tools == "" {
		s.problem("no_injection", facts.Missing, "%s is not on PATH: test binaries could not be read", nameRunner)
		return env
	}
	config := readCargoConfig(c.Dir, env)
	triples := hostTriples(runtime.GOOS, runtime.GOARCH)
	for _, triple := range triples {
		name := runnerVar(triple)
		own := strings.Fields(get(env, name))
		if len(own) == 0 {
			own = config.runner(triple)
		}
		if len(own) > 0 {
			list, err := json.Marshal(own)
			if err != nil {
				continue
			}
			env = set(env, envChain+"_"+envName(triple), string(list))
		}
		// A bare name, looked up on PATH: cargo splits the value at spaces, and our folder's path may hold some.
		env = set(env, name, nameRunner+" "+triple)
	}
	own := get(env, "RUSTDOC")
	if own == "" {
		own = config.rustdoc
	}
	if own != "" {
		env = set(env, envRustdoc, own)
	}
	env = set(env, "RUSTDOC", filepath.Join(tools, nameRustdoc+exeSuffix))
	target, ok := flagValue(c.Args[at:], "--target")
	if !ok {
		target = get(env, "CARGO_BUILD_TARGET")
	}
	if target != "" && !slices.Contains(triples, target) {
		s.note("test binaries for %s are not read: it is not this machine's", target)
	}
	return set(env, envParent, s.nonce)
}

// folder is the folder on PATH in which name is this executable.
func (c *Call) folder(name string) string {
	for _, dir := range filepath.SplitList(get(c.Env, "PATH")) {
		if filepath.IsAbs(dir) && c.isSelf(filepath.Join(dir, name+exeSuffix)) {
			return dir
		}
	}
	return ""
}

// children are what became of the programs that reported themselves below this cargo.
type children struct{ started, failed, broken int }

// children counts the streams that carry this one's nonce. One whose end has another status than 0 failed; one without an end
// broke off.
func (s *stream) children() children {
	var n children
	names, err := filepath.Glob(filepath.Join(s.dir, "*."+s.nonce+"-*.probe"))
	if err != nil {
		return n
	}
	for _, name := range names {
		n.started++
		switch line := lastLine(name); {
		case !bytes.HasPrefix(line, []byte(`{"e":"end","status":`)):
			n.broken++
		case !bytes.HasPrefix(line, []byte(`{"e":"end","status":0,`)):
			n.failed++
		}
	}
	return n
}

// lastLine reads the end of a stream.
func lastLine(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	tail, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-4096), 4096))
	if err != nil {
		return nil
	}
	tail = bytes.TrimSuffix(tail, []byte("\n"))
	return tail[bytes.LastIndexByte(tail, '\n')+1:]
}

// cargoMeaning says what cargo's status means. Cargo uses 101 for a failing test, for code that does not compile and for a
// bad manifest, and otherwise hands on the status of a test binary: what ran below it tells them apart.
func cargoMeaning(end facts.Exit, n children, isTest bool) facts.Meaning {
	switch {
	case end.Code == 0:
		return facts.Clean
	case n.failed > 0:
		return facts.TestsFailed
	case n.broken > 0:
		return facts.NotClean
	case end.Code == 1 && n.started == 0:
		return facts.Misused
	case end.Code == 101 && n.started == 0 && isTest:
		return facts.BuildFailed
	case end.Code == 101:
		return facts.NotClean
	}
	return facts.Unknown
}
