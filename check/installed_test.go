//go:build unix

package check

import (
	"os"
	"path/filepath"
	"testing"

	"factgate/config"
	"factgate/runners"
	"factgate/worktree"
)

// TestInstalled: a program is looked for where its probe says, then on PATH, in the environment that the check declares. It
// is asked once, and again when its bytes change.
func TestInstalled(t *testing.T) {
	set, problems := runners.New(nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	dir := t.TempDir()
	asked := filepath.Join(dir, "asked")
	program := func(folder, version string) string {
		put(t, filepath.Join(dir, folder, "cargo-nextest"), "#!/bin/sh\necho $* >> "+asked+"\necho cargo-nextest "+version+"\necho more\n", 0o700)
		return filepath.Join(dir, folder)
	}
	home, onPath, other := program("cargo/bin", "1.0.1"), program("path", "1.0.2"), program("other", "1.0.3")
	sh := ":/usr/bin:/bin"
	for _, c := range []struct {
		name     string
		env      []string
		declared map[string]string
		command  []string
		want     string
	}{
		{"PATH", []string{"PATH=" + onPath + sh}, nil, nil, "cargo-nextest 1.0.2"},
		{"CARGO_HOME", []string{"PATH=" + onPath + sh, "CARGO_HOME=" + filepath.Dir(home), "HOME=" + dir}, nil, nil, "cargo-nextest 1.0.1"},
		{"CARGO_HOME without it", []string{"PATH=" + onPath + sh, "CARGO_HOME=" + dir, "HOME=" + filepath.Dir(filepath.Dir(home))}, nil, nil, "cargo-nextest 1.0.2"},
		{"declared PATH", []string{"PATH=" + onPath + sh}, map[string]string{"PATH": other + sh}, nil, "cargo-nextest 1.0.3"},
		{"nowhere", []string{"PATH=/usr/bin:/bin"}, nil, nil, ""},
		{"declared command", []string{"PATH=" + onPath + sh}, nil, []string{"cargo", "test"}, ""},
	} {
		v := &verify{Checker: Checker{Config: config.File{Root: dir}, Runners: set, Env: c.env}, programs: newPrograms(dir, filepath.Join(dir, "none"))}
		for range 2 {
			answers, one := map[string]string{}, config.Check{Runner: "cargo", Dir: ".", Env: c.declared, Command: c.command}
			v.askInstalled(t.Context(), one, answers)
			digest := v.installed(one)["nextest"].Digest
			if answers["nextest"] != c.want || (digest == "") != (c.want == "") {
				t.Errorf("%s: %q, %q", c.name, answers, digest)
			}
		}
		data, err := os.ReadFile(asked)
		if c.want != "" && (err != nil || string(data) != "nextest --version\n") || c.want == "" && err == nil {
			t.Errorf("%s: asked %q", c.name, data)
		}
		os.Remove(asked)
	}
}

// TestKeyOfInstalled: what the default command starts beside its program enters the key by its bytes, and a program that a
// declared command does not ask for does not.
func TestKeyOfInstalled(t *testing.T) {
	set, problems := runners.New(nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	dir := t.TempDir()
	keyWith := func(bytes string, command ...string) string {
		t.Helper()
		put(t, filepath.Join(dir, "bin", "cargo-nextest"), "#!/bin/sh\n"+bytes+"\n", 0o700)
		v := &verify{Checker: Checker{Config: config.File{Root: dir}, Runners: set, Env: []string{"PATH=" + filepath.Join(dir, "bin") + ":/usr/bin:/bin"}},
			programs: newPrograms(dir, filepath.Join(dir, "none"))}
		runner, _ := set.Lookup("cargo")
		j := &job{check: config.Check{Name: "c", Runner: "cargo", Dir: ".", Command: command}, runner: runner}
		if _, err := v.key(j, &worktree.Tree{}, nil); err != nil {
			t.Fatal(err)
		}
		return j.key
	}
	if keyWith("echo 1") == keyWith("echo 2") {
		t.Error("another nextest, and the key of the default command stays")
	}
	if keyWith("echo 1", "cargo", "test") != keyWith("echo 2", "cargo", "test") {
		t.Error("another nextest, and the key of a command that does not start it moves")
	}
}
