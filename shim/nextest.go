package shim

import (
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"factgate/facts"

	"github.com/BurntSushi/toml"
)

// nextest acts as "cargo nextest". Of its commands only run runs tests; it writes JUnit through a configuration of ours that
// is weaker than the user's own. Our target runner is not in its way, and it runs no doctests.
func (c *Call) nextest(s *stream, at int, real string, env []string) facts.Exit {
	argv := append([]string{real}, c.Args...)
	run := at + 1
	for run < len(c.Args) && strings.HasPrefix(c.Args[run], "-") {
		run++
	}
	env = set(env, envNested, get(env, envRunDir))
	if run >= len(c.Args) || c.Args[run] != "run" && c.Args[run] != "r" {
		s.note("cargo nextest: only its run command runs tests")
		end := c.pass(argv, env, nil)
		s.end("cargo", end, nextestMeaning(end))
		return end
	}
	config, results := s.path(".toml"), s.path(".xml")
	text := "[profile.default.junit]\npath = " + strconv.Quote(filepath.ToSlash(results)) + "\nreport-skipped = \"all\"\nstore-success-output = true\n"
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		s.err = err
	}
	args := []string{real}
	args = append(args, c.Args[:run+1]...)
	args = append(args, "--tool-config-file", "factgate:"+config)
	args = append(args, c.Args[run+1:]...)
	began := c.Now()
	end := c.pass(args, env, nil)
	if _, err := os.Stat(results); err != nil {
		c.ownResults(s, results, c.Args[run+1:], began)
	}
	if _, err := os.Stat(results); err == nil {
		s.write(resultsEvent{E: "results", Format: "junit", File: filepath.Base(results)})
		c.proved(s, results)
	} else {
		s.problem("no_junit", facts.Missing, "cargo nextest wrote no results: it did not come to run tests, or a path of its own was not found")
	}
	if !c.first {
		s.note("cargo nextest runs no doctests")
	}
	if end.Code == 104 {
		s.note("a test binary did not list its tests, as those that are not libtest's often do not: command = [\"cargo\", \"test\"] starts them")
	}
	meaning := nextestMeaning(end)
	if meaning == facts.BuildFailed && !c.hasNextest(env) {
		meaning = facts.Misused // cargo's own 101: it knows no such command
		s.note("cargo-nextest is not installed")
	}
	if meaning == facts.BuildFailed {
		s.outside(facts.Build, c.Dir, "cargo nextest ended with status %d: the code does not compile, or Cargo.toml is wrong", end.Code)
	}
	s.end("cargo", end, meaning)
	return end
}

// hasNextest looks where cargo looks for its subcommands.
func (c *Call) hasNextest(env []string) bool {
	return c.look("cargo-nextest") != "" || runnable(filepath.Join(cargoHome(env), "bin", "cargo-nextest"+exeSuffix))
}

// nextestConfig is what matters here of .config/nextest.toml.
type nextestConfig struct {
	Store struct {
		Dir string `toml:"dir"`
	} `toml:"store"`
	Profile map[string]struct {
		JUnit struct {
			Path string `toml:"path"`
		} `toml:"junit"`
	} `toml:"profile"`
}

// ownResults copies the JUnit file that the repository's own configuration asks for, if this run wrote it.
func (c *Call) ownResults(s *stream, to string, args []string, began time.Time) {
	profile, ok := flagValue(args, "--profile", "-P")
	if !ok {
		if profile = get(c.Env, "NEXTEST_PROFILE"); profile == "" {
			profile = "default"
		}
	}
	for dir := c.Dir; ; dir = filepath.Dir(dir) {
		if data, ok := readSmall(filepath.Join(dir, ".config", "nextest.toml")); ok {
			var f nextestConfig
			if toml.Unmarshal(data, &f) != nil {
				return
			}
			path := f.Profile[profile].JUnit.Path
			if path == "" {
				path = f.Profile["default"].JUnit.Path
			}
			store := f.Store.Dir
			if store == "" {
				store = filepath.Join("target", "nextest")
			}
			if path != "" {
				copyFresh(s, to, filepath.Join(dir, store, profile, path), began)
			}
			return
		}
		if dir == filepath.Dir(dir) {
			return
		}
	}
}

// copyFresh copies a file that was written since began.
func copyFresh(s *stream, to, from string, began time.Time) {
	src, err := os.Open(from)
	if err != nil {
		return
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil || info.ModTime().Before(began.Truncate(time.Second)) {
		s.problem("stale_junit", facts.Stale, "%s was not written by this run", from)
		return
	}
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		s.err = err
		return
	}
	if _, err = io.Copy(dst, src); err == nil {
		err = dst.Close()
	}
	if err != nil {
		s.err = err
	}
}

// nextestMeaning: exit codes per nextest-metadata/src/exit_codes.rs, which documents them as stable.
func nextestMeaning(end facts.Exit) facts.Meaning {
	switch end.Code {
	case 0:
		return facts.Clean
	case 100, 105, 106:
		return facts.TestsFailed
	case 4, 5:
		return facts.NoTests
	case 101, 102: // cargo's build failed; cargo metadata did, so that Cargo.toml is wrong
		return facts.BuildFailed
	case 2, 92, 94, 95, 96:
		return facts.Misused
	case 1, 70, 103, 104, 110:
		return facts.Broke
	}
	return facts.Unknown
}
