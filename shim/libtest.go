package shim

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"factgate/facts"
)

// runnerMain acts as cargo's target runner: TRIPLE BINARY ARG...
//
// A libtest binary is started with a private --logfile, which leaves its output and its ending as they are. The log says
// how each test ended; the line "test result: …", the last that libtest prints, proves that it reached its end.
func (c *Call) runnerMain() facts.Exit {
	if len(c.Args) < 2 {
		return c.fail(errUsage)
	}
	triple, bin, args := c.Args[0], c.Args[1], c.Args[2:]
	env := c.cleanEnv()
	chain := c.chain(triple)
	argv := slices.Concat(chain, []string{bin}, args)
	if get(env, envRunDir) == "" || c.nested() || get(c.Env, envDoctest) != "" || !isTestBinary(bin) {
		return c.become(argv, env)
	}
	s := c.open("libtest." + get(c.Env, envParent))
	s.start("cargo", slices.Concat([]string{bin}, args), c.Dir)
	env = set(env, envNested, get(env, envRunDir))
	suite := newSuite(c, bin)
	if why := passOver(bin, args); why != "" {
		s.note("%s: %s", suite.name, why)
		end := c.pass(argv, env, nil)
		if end.Code != 0 && end.Signal == "" {
			s.outside(facts.OutsideTests, suite.name, "%s ended with status %d", suite.name, end.Code)
		}
		s.end(suite.name, end, libtestMeaning(end))
		return end
	}
	log := s.path(".log")
	argv = slices.Concat(chain, []string{bin, "--logfile", log}, args)
	text := newLibtestText(args)
	end := c.pass(argv, env, io.MultiWriter(c.Stdout, text))
	text.close()
	io.WriteString(c.Stderr, "\n") // libtest calls --logfile deprecated, and does not end that line
	suite.report(s, log, text, end)
	return end
}

// cleanEnv is the environment that a test would have without us: our runner and our rustdoc are gone, the user's own back.
func (c *Call) cleanEnv() []string {
	var env []string
	for _, e := range c.Env {
		name, value, _ := strings.Cut(e, "=")
		switch {
		case strings.HasPrefix(name, "CARGO_TARGET_") && strings.HasPrefix(value, nameRunner+" "):
			if own := c.chain(strings.TrimPrefix(value, nameRunner+" ")); len(own) > 0 {
				env = append(env, name+"="+strings.Join(own, " "))
			}
		case name == "RUSTDOC" && filepath.Base(value) == nameRustdoc+exeSuffix:
			if own := get(c.Env, envRustdoc); own != "" {
				env = append(env, "RUSTDOC="+own)
			}
		case name == envParent || name == envRustdoc || strings.HasPrefix(name, envChain+"_"):
		default:
			env = append(env, e)
		}
	}
	return env
}

// chain is the user's own runner for a triple; a bare name is looked up here, as the program is started by its path.
func (c *Call) chain(triple string) []string {
	var argv []string
	if json.Unmarshal([]byte(get(c.Env, envChain+"_"+envName(triple))), &argv) != nil || len(argv) == 0 {
		return nil
	}
	if !strings.ContainsAny(argv[0], `/\`) {
		if p := c.look(argv[0]); p != "" {
			argv[0] = p
		}
	}
	return argv
}

// isTestBinary tells a test target from the program of cargo run: cargo puts the former into deps with a hash.
func isTestBinary(bin string) bool {
	_, hashed := withoutHash(stem(bin))
	return hashed || filepath.Base(filepath.Dir(bin)) == "deps"
}

// withoutHash cuts what cargo puts behind the name of a target: - and 16 digits of a hash.
func withoutHash(name string) (target string, hashed bool) {
	cut := len(name) - 17
	if cut < 1 || name[cut] != '-' || strings.Trim(name[cut+1:], "0123456789abcdef") != "" {
		return name, false
	}
	return name[:cut], true
}

func stem(bin string) string { return strings.TrimSuffix(filepath.Base(bin), exeSuffix) }

// passOver says why a binary is run untouched; empty when it is not.
func passOver(bin string, args []string) string {
	holds := contains(bin, "Configure formatting of output", "logfile")
	if !holds[0] {
		return "not a libtest binary, so it counts no cases; its clean exit is all that is known"
	}
	if !holds[1] {
		return "this version of libtest keeps no log, so no cases can be read"
	}
	for _, a := range args {
		name, _, _ := strings.Cut(a, "=")
		switch name {
		case "--list":
			return "--list only lists the tests"
		case "--help", "-h":
			return "--help only prints the usage"
		case "--logfile":
			return "--logfile is given, so no cases can be read"
		case "--bench":
			return "benchmarks count no cases"
		}
	}
	return ""
}

// contains reports which of some strings a file holds. They lie close to its beginning, beside each other.
func contains(path string, want ...string) (holds []bool) {
	holds = make([]bool, len(want))
	f, err := os.Open(path)
	if err != nil {
		return holds
	}
	defer f.Close()
	longest := 1
	for _, w := range want {
		longest = max(longest, len(w))
	}
	buf := make([]byte, 64<<10)
	for kept := 0; ; {
		n, err := f.Read(buf[kept:])
		all := true
		for i, w := range want {
			holds[i] = holds[i] || bytes.Contains(buf[:kept+n], []byte(w))
			all = all && holds[i]
		}
		if all || err != nil {
			return holds
		}
		tail := min(longest-1, kept+n)
		copy(buf, buf[kept+n-tail:kept+n])
		kept = tail
	}
}

// libtestMeaning: libtest documents 0 and 101 (library/test/src/lib.rs, ERROR_EXIT_CODE).
func libtestMeaning(end facts.Exit) facts.Meaning {
	switch end.Code {
	case 0:
		return facts.Clean
	case 101:
		return facts.TestsFailed
	}
	return facts.NotClean
}
