//go:build linux

package process

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"factgate/facts"
)

func write(t *testing.T, path, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestNotStarted(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		return write(t, filepath.Join(dir, name), text, mode)
	}
	tests := []struct {
		name string
		spec Spec
		want facts.StartError
		text string // part of what is said
	}{
		{"nothing", Spec{}, facts.StartFailed, "no program"},
		{"an empty name", Spec{Argv: []string{""}}, facts.StartFailed, "no program"},
		{"unknown", Spec{Argv: []string{"no-such-runner"}}, facts.NotFound, "PATH"},
		{"unknown by path", Spec{Argv: []string{dir + "/none"}}, facts.NotFound, "none"},
		{"below a file", Spec{Argv: []string{file("plain", "", 0o644) + "/none"}}, facts.NotFound, "none"},
		{"no PATH", Spec{Argv: []string{"sh"}, Env: []string{"A=b"}}, facts.NotFound, "no PATH"},
		{"no permission", Spec{Argv: []string{file("mode", "#!/bin/sh\n", 0o644)}}, facts.NotExecutable, "permission denied"},
		{"a folder", Spec{Argv: []string{dir}}, facts.NotExecutable, "directory"},
		{"no interpreter", Spec{Argv: []string{file("interpreter", "#!/no/such\n", 0o755)}}, facts.BadInterpreter, `"/no/such"`},
		{"a carriage return", Spec{Argv: []string{file("crlf", "#!/bin/sh\r\nexit 0\r\n", 0o755)}}, facts.BadInterpreter, "carriage return"},
		{"an interpreter that is no program", Spec{Argv: []string{file("text", "#!"+file("plain2", "x", 0o644)+"\n", 0o755)}}, facts.BadInterpreter, "plain2"},
		{"no first line", Spec{Argv: []string{file("script", "exit 0\n", 0o755)}}, facts.NotExecutable, "#!"},
		{"an empty file", Spec{Argv: []string{file("empty", "", 0o755)}}, facts.NotExecutable, "#!"},
		{"arguments that are too long", Spec{Argv: []string{"true", strings.Repeat("x", 3<<20)}}, facts.ArgsTooLong, ""},
		{"an environment that is too long", Spec{Argv: []string{"true"}, Env: []string{os.Getenv("PATH"), "PATH=/bin", "A=" + strings.Repeat("x", 3<<20)}}, facts.ArgsTooLong, ""},
		{"a NUL in an argument", Spec{Argv: []string{"true", "a\x00b"}}, facts.StartFailed, "argument 1 holds a NUL byte"},
		{"a NUL in the environment", Spec{Argv: []string{"true"}, Env: []string{"PATH=/bin", "A=\x00"}}, facts.StartFailed, `"A" holds a NUL byte`},
		{"no working directory", Spec{Argv: []string{"true"}, Dir: dir + "/none"}, facts.NoDir, "none"},
		{"a file as working directory", Spec{Argv: []string{"true"}, Dir: dir + "/plain"}, facts.NoDir, "not a directory"},
		{"the working directory is no PATH", Spec{Argv: []string{"here"}, Dir: filepath.Dir(file("in/here", "#!/bin/sh\n", 0o755)), Env: []string{"PATH=:.:/bin:"}}, facts.NotFound, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			exit, log := run(t, test.spec)
			same(t, exit, facts.Exit{Code: -1, StartError: test.want})
			if !strings.Contains(exit.StartText, test.text) || exit.StartText == "" || log != "" {
				t.Errorf("%q, log %q", exit.StartText, log)
			}
		})
	}
}

// The program's own environment decides which one it is.
func TestWhichProgram(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a/tool", "b/tool", "work/tool", "work/bin/tool", "work/other"} {
		write(t, filepath.Join(dir, name), "#!/bin/sh\necho "+name+" $0\n", 0o755)
	}
	write(t, filepath.Join(dir, "denied/tool"), "#!/bin/sh\necho denied\n", 0o644)
	if err := os.MkdirAll(filepath.Join(dir, "folder/tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ argv0, path, want string }{
		{"tool", "D/a:D/b", "a/tool D/a/tool"},
		{"tool", "D/b:D/a", "b/tool D/b/tool"},
		{"tool", "D/none:D/denied:D/folder:D/b", "b/tool D/b/tool"},
		{"tool", ".::D/a", "a/tool D/a/tool"},
		{"tool", "bin:D/a", "work/bin/tool D/work/bin/tool"},
		{"./tool", "D/a", "work/tool D/work/tool"},
		{"bin/tool", "D/a", "work/bin/tool D/work/bin/tool"},
		{"../b/tool", "D/a", "b/tool D/b/tool"},
		{"D/a/tool", "", "a/tool D/a/tool"},
	}
	for _, test := range tests {
		full := func(s string) string { return strings.ReplaceAll(s, "D", dir) }
		exit, log := run(t, Spec{Argv: []string{full(test.argv0)}, Dir: filepath.Join(dir, "work"),
			Env: []string{"PATH=/none", "PATH=" + full(test.path)}})
		if exit.Code != 0 || log != full(test.want)+"\n" {
			t.Errorf("%s in %s: %q %+v", test.argv0, test.path, log, exit)
		}
	}
}

// A program sees the name that it was called by, and one value of each variable.
func TestArgvAndEnvironment(t *testing.T) {
	exit, log := run(t, Spec{Argv: []string{"sh", "-c", `tr '\0' ' ' </proc/$$/cmdline | head -c 6; echo "$1"; env | grep ^FG_ | sort; pwd`, "sh", "a  \"b\"\n*"},
		Env: []string{"FG_A=1", "PATH=/usr/bin:/bin", "FG_B=x", "FG_A=2"}, Dir: "/"})
	if want := "sh -c a  \"b\"\n*\nFG_A=2\nFG_B=x\n/\n"; log != want || exit.Code != 0 {
		t.Errorf("%q, want %q; %+v", log, want, exit)
	}
}

// What this machine cannot be brought to do without harm.
func TestExplain(t *testing.T) {
	p := program{path: "/bin/sh", argv: []string{"sh"}}
	for errno, want := range map[syscall.Errno]facts.StartError{
		syscall.EAGAIN: facts.NoProcesses, syscall.ENOMEM: facts.NoProcesses, syscall.E2BIG: facts.ArgsTooLong,
		syscall.ETXTBSY: facts.StartFailed, syscall.EIO: facts.StartFailed, syscall.EACCES: facts.NotExecutable,
	} {
		if got := unstarted(facts.Exit{}, explain(p, errno)); got.StartError != want || got.StartText == "" {
			t.Errorf("%v: %+v, want %s", errno, got, want)
		}
	}
}
