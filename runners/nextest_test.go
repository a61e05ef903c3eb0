package runners

import (
	"slices"
	"strings"
	"testing"
)

// TestPreferNextest: what becomes of the arguments of cargo test where nextest is installed.
func TestPreferNextest(t *testing.T) {
	const said = "cargo-nextest 0.9.151 (6b3f99457 2026-11-02)"
	for _, c := range []struct{ args, want, note string }{
		{"", "nextest run --no-tests=pass --then test --doc", ""},
		{"-p a --package=b -pc --features x -Fy --release", "nextest run -p a --package=b -pc --features x -Fy --release --no-tests=pass --then test --doc -p a --package=b -pc --features x -Fy --release", ""},
		{"--workspace --exclude e --manifest-path x/Cargo.toml --locked", "nextest run --workspace --exclude e --manifest-path x/Cargo.toml --locked --no-tests=pass --then test --doc --workspace --exclude e --manifest-path x/Cargo.toml --locked", ""},
		{"-j4 --profile ci -q -v", "nextest run --build-jobs 4 --cargo-profile ci --cargo-quiet --cargo-verbose --no-tests=pass --then test --doc -j4 --profile ci -q -v", ""},
		{"--jobs=4 --profile=ci --jobs 2", "nextest run --build-jobs 4 --cargo-profile ci --build-jobs 2 --no-tests=pass --then test --doc --jobs=4 --profile=ci --jobs 2", ""},
		{"name --no-fail-fast", "nextest run --no-fail-fast --no-tests=pass -- name --then test --doc --no-fail-fast -- name", ""},
		{"name -- --exact --skip=b --skip c other", "nextest run --no-tests=pass -- name --exact --skip b --skip c other --then test --doc -- name --exact --skip=b --skip c other", ""},
		{"-- --test-threads=1 --show-output -q", "nextest run --test-threads 1 --success-output immediate --no-tests=pass --then test --doc -- --test-threads=1 --show-output -q", ""},
		{"-- --test-threads 1 --include-ignored", "nextest run --test-threads 1 --no-tests=pass -- --include-ignored --then test --doc -- --test-threads 1 --include-ignored", ""},
		{"--retries 2 --fail-fast -P ci", "nextest run --retries 2 --fail-fast -P ci --no-tests=pass --then test --doc", ""},
		// Targets are selected: doctests are not among them.
		{"--lib --bin x --test=y", "cargo nextest run --lib --bin x --test=y --no-tests=pass", ""},
		{"--all-targets name", "cargo nextest run --all-targets --no-tests=pass -- name", ""},
		{"-E test(a)", "cargo nextest run -E test(a) --no-tests=pass", "-E selects among nextest's tests: doctests are not run"},
		{"--partition=hash:1/2", "cargo nextest run --partition=hash:1/2 --no-tests=pass", "--partition=hash:1/2 selects among nextest's tests: doctests are not run"},
		// nextest cannot be given it.
		{"-- --nocapture", "cargo test -- --nocapture", "--nocapture"},
		{"--no-capture", "cargo test --no-capture", "--no-capture"},
		{"--doc", "cargo test --doc", "--doc"},
		{"--no-run", "cargo test --no-run", "--no-run"},
		{"--nope", "cargo test --nope", "--nope"},
		{"-vv", "cargo test -vv", "-vv"},
		{"-p", "cargo test -p", "-p"},
		{"--release=x", "cargo test --release=x", "--release=x"},
		{"a --then b", "cargo test a --then b", "--then"},
		{"-- --list", "cargo test -- --list", "--list"},
		{"-- --skip", "cargo test -- --skip", "--skip"},
		{"-- --test-threads", "cargo test -- --test-threads", "--test-threads"},
	} {
		argv := append([]string{"cargo", "test"}, strings.Fields(c.args)...)
		got, note := preferNextest(slices.Clone(argv), said)
		want := c.want
		if strings.HasPrefix(want, "nextest ") {
			want = "factgate-cargo " + want
		}
		if strings.Join(got, " ") != want || !strings.HasSuffix(note, c.note) || (c.note == "") != (note == "") {
			t.Errorf("%s\ngot  %s (%s)\nwant %s (%s)", c.args, strings.Join(got, " "), note, want, c.note)
		}
	}
	for said, noted := range map[string]bool{"": false, "cargo-nextest 0.9.85": true, "cargo-nextest 0.8.200": true, "nonsense": true} {
		if got, note := preferNextest([]string{"cargo", "test", "-p", "a"}, said); strings.Join(got, " ") != "cargo test -p a" || (note != "") != noted {
			t.Errorf("%q: %q, %q", said, got, note)
		}
	}
	for _, said := range []string{"cargo-nextest 0.9.86", "cargo-nextest 0.10.0-b.1 (x)", "cargo-nextest 1.0.0", Unasked} {
		if got, note := preferNextest([]string{"cargo", "test"}, said); got[0] != cargoSteps || note != "" {
			t.Errorf("%q: %q, %q", said, got, note)
		}
	}
}

// TestNextestIsTheDefault: what is installed decides where no command is declared, and enters the key.
func TestNextestIsTheDefault(t *testing.T) {
	set := builtinSet(t)
	without, with := machine(), machine()
	with.Answers = map[string]string{"nextest": "cargo-nextest 0.9.151"}
	plan := func(m Machine, command ...string) Plan {
		p, err := set.Plan(check("cargo", command...), m)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a, b := plan(without), plan(with)
	if a.Argv[0] != "cargo" || b.Argv[0] != cargoSteps || !b.Direct || a.Beside != "" || b.Beside != "nextest" {
		t.Errorf("%+v\n%+v", a, b)
	}
	if slices.Equal(a.Material().Argv, b.Material().Argv) {
		t.Error("a pass of cargo test has the key of a pass of nextest")
	}
	if b.StandIn == nil || b.StandIn.Program != "cargo" {
		t.Errorf("that there is no cargo would not be seen: %+v", b.StandIn)
	}
	for _, command := range [][]string{{"cargo", "test"}, {"cargo", "nextest", "run"}} {
		if p := plan(with, command...); !slices.Equal(p.Argv, command) || p.Beside != "" {
			t.Errorf("%q is declared, and %q is started", command, p.Argv)
		}
	}
	with.Args = []string{"-p", "a", "--", "name"}
	if p := plan(with); !slices.Equal(p.Argv, strings.Fields("factgate-cargo nextest run -p a --no-tests=pass -- name --then test --doc -p a -- name")) {
		t.Errorf("%q", p.Argv)
	}
}
