package shim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGoArgs(t *testing.T) {
	for in, want := range map[string]string{
		"test":                            "test -json",
		"test ./...":                      "test -json ./...",
		"test -run X ./a":                 "test -json -run X ./a",
		"-C d test ./a":                   "-C d test -json ./a",
		"test -C d ./a":                   "test -C d -json ./a",
		"test -C=d ./a":                   "test -C=d -json ./a",
		"test -json ./a":                  "test -json ./a",
		"test --json ./a":                 "test --json ./a",
		"test -json=false ./a":            "test -json ./a",
		"test -json -json=false ./a":      "test -json -json ./a",
		"test ./a -args -json -c -list x": "test -json ./a -args -json -c -list x",
		"test -run -json ./a":             "test -json -run -json ./a",
	} {
		args := strings.Fields(in)
		at, ok := goTestAt(args)
		if !ok {
			t.Errorf("%q is go test", in)
			continue
		}
		g := parseGoTest(args, at)
		if got := strings.Join(g.withJSON(args, false), " "); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{"", "build", "vet test", "run test", "-C test", "tool test2json", "help test"} {
		if _, ok := goTestAt(strings.Fields(in)); ok {
			t.Errorf("%q is no go test", in)
		}
	}
}

func TestGoArgsSay(t *testing.T) {
	for in, want := range map[string]goArgs{
		"test -v ./a":            {verbose: true},
		"test -v=false":          {implicit: true},
		"test -test.v":           {verbose: true, implicit: true},
		"test -run ./a":          {implicit: true},
		"test -nope ./a":         {implicit: true},
		"test ./a -nope":         {},
		"test -race ./a":         {},
		"test -bench . ./a":      {stream: true},
		"test -list=. ./a":       {silent: "-list only lists the tests"},
		"test -c ./a":            {silent: "-c only compiles the tests"},
		"test -c=false ./a":      {},
		"test -C d/e ./a":        {chdir: "d/e"},
		"test --C=d ./a":         {chdir: "d"},
		"test -n":                {silent: "-n only prints the commands", implicit: true},
		"test -args ./a":         {implicit: true},
		"test -coverprofile x y": {},
	} {
		got := parseGoTest(strings.Fields(in), 0)
		got.insert, got.off = 0, 0
		if got != want {
			t.Errorf("%q: %+v, want %+v", in, got, want)
		}
	}
}

// TestGoFolders: go test names a file by its base alone; go.mod and go.work say where the package lies.
func TestGoFolders(t *testing.T) {
	if at, _ := goTestAt([]string{"-C", "x", "test"}); parseGoTest([]string{"-C", "x", "test"}, at).chdir != "x" {
		t.Error("-C before test")
	}
	root := t.TempDir()
	for name, text := range map[string]string{
		"one/go.mod": "// of one\nmodule example.org/one // the first\n\ngo 1.24\n", "one/a/b/x.go": "", "one/two/y.go": "",
		"two/go.mod": "module \"example.org/one/two\"\n", "two/c/x.go": "",
		"three/go.mod": "module three\n", "three/d/x.go": "",
		"go.work": "go 1.24\n\nuse (\n\t./one // first\n\t\"./two\"\n)\nuse ./three\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	packages := []string{"example.org/one", "example.org/one/a/b", "example.org/one/two/c", "three/d", "threefold", "example.org/one/gone", "fmt"}
	got := packageFolders(filepath.Join(root, "one", "a"), nil, packages)
	want := map[string]string{"example.org/one": filepath.Join(root, "one"), "example.org/one/a/b": filepath.Join(root, "one/a/b"),
		"example.org/one/two/c": filepath.Join(root, "two/c"), "three/d": filepath.Join(root, "three/d")}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("in a workspace: %s", d)
	}
	delete(want, "three/d")
	delete(want, "example.org/one/two/c")
	if d := cmp.Diff(want, packageFolders(filepath.Join(root, "one", "a"), []string{"GOWORK=off"}, packages)); d != "" {
		t.Errorf("in a module: %s", d)
	}
	if got := packageFolders("/", nil, packages); len(got) != 0 {
		t.Errorf("outside: %v", got)
	}
}

func TestScrubGoFlags(t *testing.T) {
	for in, want := range map[string][2]string{
		"-mod=vendor -run=X -tags=a,b":          {"-mod=vendor -tags=a,b", "-run=X"},
		"--skip=. -count=1":                     {"-count=1", "--skip=."},
		"'-exec=a b' -v":                        {"-v", "'-exec=a b'"},
		`"-ldflags=-s -run=x" -short`:           {`"-ldflags=-s -run=x"`, "-short"},
		"-test.run=X -json":                     {"", "-test.run=X -json"},
		"-runs=X":                               {"-runs=X", ""},
		"  ":                                    {"", ""},
		"'-run=unclosed":                        {"", "'-run=unclosed"},
		"-overlay=o.json -toolexec=t -trimpath": {"-trimpath", "-overlay=o.json -toolexec=t"},
	} {
		clean, removed := scrubGoFlags(in)
		if clean != want[0] || strings.Join(removed, " ") != want[1] {
			t.Errorf("%q: %q, removed %q", in, clean, removed)
		}
	}
}

func TestCargoCommand(t *testing.T) {
	for in, want := range map[string]string{
		"test -p x": "test", "+nightly --color never -v t": "t", "--config a=b -Z x nextest run": "nextest", "--version": "", "": "", "-C d test": "test",
	} {
		if got, _ := cargoCommand(strings.Fields(in)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestCfg(t *testing.T) {
	for key, want := range map[string]bool{
		"cfg(unix)": true, "cfg(windows)": false, "cfg(all())": true, "cfg(any())": false, `cfg(target_os = "linux")`: true,
		`cfg(all(target_arch="x86_64", not(windows)))`: true, `cfg(any(windows, target_env = "gnu"))`: true, `cfg(not(unix))`: false,
		"cfg(": false, "cfg(unix": true, "cfg(unix windows)": false, "cfg(some(unix))": false, `cfg(target_os = "linux)`: false, "cfg(unknown)": false,
		`cfg(all(unix, ))`: true, `cfg(target_os = )`: false, `cfg(not(unix, windows))`: false,
	} {
		if got := cfgMatches(key, "x86_64-unknown-linux-gnu"); got != want {
			t.Errorf("%s: %v", key, got)
		}
	}
}

func TestCargoConfigIsMerged(t *testing.T) {
	root := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a/b/.cargo/config.toml", "[target.one]\nrunner = 'near -x'\n")
	write("a/.cargo/config", "[target.one]\nrunner = 'far'\n[target.two]\nrunner = ['bin/run', 'with space']\n")
	write("a/.cargo/config.toml", "[target.three]\nrunner = 'not read: cargo takes the file without an ending'\n")
	write("home/config.toml", "[target.four]\nrunner = 'home'\n[target.one]\nrunner = 'home'\n[build]\nrustdoc = 'doc'\n")
	write(".cargo/config.toml", "not = [toml")
	got := readCargoConfig(filepath.Join(root, "a", "b"), []string{"CARGO_HOME=" + filepath.Join(root, "home")})
	want := map[string][]string{"one": {"near", "-x"}, "two": {filepath.Join(root, "a", "bin", "run"), "with space"}, "four": {"home"}}
	if d := cmp.Diff(want, got.runners); d != "" || got.rustdoc != "doc" {
		t.Errorf("%s rustdoc %q", d, got.rustdoc)
	}
}

func TestCleanEnvGivesBack(t *testing.T) {
	c := Call{Env: []string{
		"CARGO_TARGET_A_B_RUNNER=" + nameRunner + " a-b", envChain + `_A_B=["qemu","-x"]`, "CARGO_TARGET_C_RUNNER=" + nameRunner + " c",
		"CARGO_TARGET_D_RUNNER=own", "RUSTDOC=/x/" + nameRustdoc + exeSuffix, envRustdoc + "=mine", envParent + "=1", "X=y",
	}}
	want := []string{"CARGO_TARGET_A_B_RUNNER=qemu -x", "CARGO_TARGET_D_RUNNER=own", "RUSTDOC=mine", "X=y"}
	if d := cmp.Diff(want, c.cleanEnv()); d != "" {
		t.Error(d)
	}
}

func TestOwnRuntool(t *testing.T) {
	args := strings.Fields("--test a --test-runtool " + nameRunner + " --test-runtool-arg a-b -L x")
	c := Call{}
	if got := strings.Join(c.ownRuntool(args), " "); got != "--test a -L x" {
		t.Error(got)
	}
	c.Env = []string{envChain + `_A_B=["/q/emu","-x"]`}
	if got := strings.Join(c.ownRuntool(args), " "); got != "--test a --test-runtool /q/emu --test-runtool-arg -x -L x" {
		t.Error(got)
	}
	if got := strings.Join(spelledOut(strings.Fields("--test --test-args --quiet --test-args --format --test-args terse --test-args x")), " "); got != "--test --test-args x" {
		t.Error(got)
	}
}

func TestContainsAcrossReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	want := "Configure formatting of output"
	for _, at := range []int{0, 64<<10 - 10, 128<<10 - 40, 256<<10 - 10, 700_000} {
		data := strings.Repeat("x", at) + want + strings.Repeat("y", 1000)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if !contains(path, want)[0] {
			t.Errorf("at %d not found", at)
		}
	}
	if got := contains(path, "Configure formatting of input", "no such text"); got[0] || got[1] {
		t.Error("found what is not there")
	}
}

func TestMainLeavesOthersAlone(t *testing.T) {
	for _, name := range []string{"factgate", "gofmt", "", "rustdoc"} {
		if _, handled := Main(Call{Name: name}); handled {
			t.Errorf("%q is not ours", name)
		}
	}
}

func FuzzLibtestText(f *testing.F) {
	names, err := filepath.Glob(filepath.Join(captured, "libtest", "*.out"))
	if err != nil || len(names) == 0 {
		f.Fatal("no captures")
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data), true)
		f.Add(string(data), false)
	}
	f.Fuzz(func(t *testing.T, out string, doctests bool) {
		text := newLibtestText(nil)
		text.doctests = doctests
		text.Write([]byte(out))
		text.close()
		for _, b := range text.blocks {
			parseBlock(b, "")
			if len(b) > maxBlock+maxTextLine {
				t.Errorf("a block of %d bytes", len(b))
			}
		}
		for line := range strings.Lines(out) {
			parseLogEntry(line)
		}
	})
}
