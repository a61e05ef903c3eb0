package shim

import (
	"slices"
	"strings"
)

// cargoOptions are cargo's own options before the command that take the next argument.
var cargoOptions = []string{"--color", "--config", "-Z", "-C", "--explain"}

// cargoPlain are cargo's commands that start no test. run and bench use the target runner too, so they are handed on as
// they are.
var cargoPlain = []string{"add", "b", "bench", "build", "c", "check", "clean", "clippy", "config", "d", "doc", "fetch", "fix", "fmt",
	"generate-lockfile", "help", "info", "init", "install", "locate-project", "login", "logout", "metadata", "new", "owner",
	"package", "pkgid", "publish", "r", "read-manifest", "remove", "report", "rm", "run", "rustc", "rustdoc", "search", "tree",
	"uninstall", "update", "vendor", "verify-project", "version", "yank"}

// cargoCommand finds the command word; at is len(args) when there is none.
func cargoCommand(args []string) (word string, at int) {
	i := 0
	if i < len(args) && strings.HasPrefix(args[i], "+") {
		i++ // a toolchain
	}
	for ; i < len(args); i++ {
		switch {
		case slices.Contains(cargoOptions, args[i]):
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i], i
		}
	}
	return "", len(args)
}

// flagValue reads the last value of a flag from arguments up to a bare "--": "--name value" or "--name=value".
func flagValue(args []string, names ...string) (value string, ok bool) {
	for i, a := range args {
		if a == "--" {
			break
		}
		name, joined, cut := strings.Cut(a, "=")
		switch {
		case !slices.Contains(names, name):
		case cut:
			value, ok = joined, true
		case i+1 < len(args):
			value, ok = args[i+1], true
		}
	}
	return value, ok
}

// hostTriples are the target triples whose binaries run on this machine as they are. Cargo reads a runner variable only for
// the triple that it builds for, so one for each costs nothing, and no rustc has to be asked.
func hostTriples(goos, arch string) []string {
	cpu := map[string]string{"amd64": "x86_64", "arm64": "aarch64", "386": "i686", "riscv64": "riscv64gc", "ppc64le": "powerpc64le",
		"s390x": "s390x", "loong64": "loongarch64", "arm": "armv7"}[arch]
	switch {
	case cpu == "":
		return nil
	case goos == "linux" && arch == "arm":
		return []string{"armv7-unknown-linux-gnueabihf", "arm-unknown-linux-gnueabihf", "armv7-unknown-linux-musleabihf"}
	case goos == "linux":
		return []string{cpu + "-unknown-linux-gnu", cpu + "-unknown-linux-musl"}
	case goos == "darwin":
		return []string{"aarch64-apple-darwin", "x86_64-apple-darwin"}
	case goos == "windows":
		return []string{cpu + "-pc-windows-msvc", cpu + "-pc-windows-gnu", cpu + "-pc-windows-gnullvm"}
	}
	return []string{cpu + "-unknown-" + goos}
}

// envName is a triple as cargo spells it in names of variables.
func envName(triple string) string {
	return strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(triple))
}

func runnerVar(triple string) string { return "CARGO_TARGET_" + envName(triple) + "_RUNNER" }
