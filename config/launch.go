package config

import (
	"slices"
	"strings"
)

// unwrap takes away programs that start another one and pass its status on. Where what follows is not certain, the
// words that are left name no program that is known here, and nothing is concluded.
func unwrap(words []string) []string {
	for range 8 {
		rest := inner(words)
		if rest == nil {
			return words
		}
		words = rest
	}
	return words
}

// inner is the command that words start, or nil when they start none.
func inner(words []string) []string {
	if len(words) < 2 {
		return nil
	}
	rest := words[1:]
	switch program(words[0]) {
	case "env":
		rest = skip(rest)
		for len(rest) > 0 && strings.Contains(rest[0], "=") {
			rest = rest[1:]
		}
		return rest
	case "timeout", "gtimeout":
		if rest = skip(rest); len(rest) > 0 {
			rest = rest[1:] // the duration
		}
		return rest
	case "command", "exec", "nohup", "nice", "ionice", "time", "sudo", "doas", "xvfb-run", "stdbuf", "setsid", "npx", "bunx", "pnpx", "dotenv":
		return skip(rest)
	case "uv", "poetry", "pipenv", "pdm", "hatch", "rye", "conda", "mamba", "pixi", "mise", "devbox":
		return after(rest, "run", "exec", "x")
	case "pnpm", "yarn", "npm", "bun", "bundle", "composer", "direnv", "docker", "podman":
		return after(rest, "exec", "dlx", "x")
	case "python", "python3", "py", "pypy3":
		return module(rest)
	case "coverage":
		if rest[0] == "run" {
			return module(rest[1:])
		}
	}
	return nil
}

// skip takes away options. One that has a value of its own leaves that value in front, which is no program.
func skip(words []string) []string {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		end := words[0] == "--"
		words = words[1:]
		if end {
			break
		}
	}
	return words
}

func after(words []string, subs ...string) []string {
	if !slices.Contains(subs, words[0]) {
		return nil
	}
	return skip(words[1:])
}

// module turns -m NAME into the command NAME.
func module(words []string) []string {
	for i, w := range words {
		if w == "-m" && i+1 < len(words) {
			return words[i+1:]
		}
		if !strings.HasPrefix(w, "-") {
			break
		}
	}
	return nil
}

// asksOnly reports whether a test program with this word runs no test.
func asksOnly(word string) bool {
	return slices.Contains([]string{"--version", "-V", "--help", "--collect-only", "--co", "--no-run", "--listTests", "--clearCache", "--list"}, word)
}

// isRunner reports whether a command is a test program that everyone knows by its name.
func isRunner(words []string) bool {
	words = unwrap(words)
	if len(words) == 0 {
		return false
	}
	sub := ""
	for _, w := range words[1:] {
		// cargo +nightly test, mvn -q test: the first word that is no option.
		if !strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "+") {
			sub = w
			break
		}
	}
	if slices.ContainsFunc(words[1:], asksOnly) || program(words[0]) == "go" && slices.Contains(words, "-c") {
		return false
	}
	one := func(subs ...string) bool { return slices.Contains(subs, sub) }
	switch program(words[0]) {
	case "pytest", "py.test", "unittest", "nose2", "tox", "nox", "jest", "vitest", "mocha", "ava", "jasmine", "karma", "phpunit",
		"pest", "rspec", "minitest", "ctest", "gotestsum", "busted", "bats", "prove":
		return true
	case "go", "bun", "deno", "dotnet", "swift", "flutter", "dart", "mix", "sbt", "bazel", "bazelisk", "nx", "rake", "gleam", "stack", "cabal", "playwright":
		return one("test")
	case "cargo":
		return one("test", "t", "nextest")
	case "npm", "pnpm", "yarn":
		return one("test", "t") || one("run", "run-script") && slices.Contains(words, "test")
	case "node":
		return slices.Contains(words, "--test")
	case "cypress":
		return one("run")
	case "mvn", "mvnw":
		return one("test", "verify")
	case "gradle", "gradlew", "make", "gmake":
		return one("test", "check")
	}
	return false
}
