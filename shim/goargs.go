package shim

import "strings"

// goArgs is what the arguments of go test say that matters here.
type goArgs struct {
	insert   int  // where -json goes
	off      int  // index of a -json=false, -1 when there is none
	json     bool // asked for by the user
	verbose  bool
	stream   bool // benchmarks or fuzzing: go test prints as it runs
	silent   string
	implicit bool   // no package is named: the current folder
	chdir    string // value of -C
	dir      string // absolute: where go test works
}

// goValued are the flags of go test that take the next argument as their value, without leading dashes and "test.".
const goValued = " C p covermode coverpkg asmflags buildmode compiler gccgoflags gcflags installsuffix ldflags mod modfile overlay" +
	" pgo pkgdir tags toolexec exec o vet bench benchtime blockprofile blockprofilerate coverprofile count cpu cpuprofile fuzz" +
	" fuzztime fuzzminimizetime list memprofile memprofilerate mutexprofile mutexprofilefraction outputdir parallel run skip" +
	" shuffle timeout trace "

// goSwitches are its flags without a value of their own.
const goSwitches = " a asan artifacts benchmem buildvcs c cover failfast fullpath h help i json linkshared modcacherw msan n race" +
	" short trimpath v work x "

// goTestAt finds the word test: "go test", or "go -C dir test". -C is go's only flag before the command.
func goTestAt(args []string) (at int, ok bool) {
	i := afterC(args, 0)
	return i, i < len(args) && args[i] == "test"
}

// afterC steps over a -C flag at i, which must come first where it comes at all.
func afterC(args []string, i int) int {
	if i >= len(args) {
		return i
	}
	switch f := args[i]; {
	case f == "-C" || f == "--C":
		return min(i+2, len(args))
	case strings.HasPrefix(f, "-C=") || strings.HasPrefix(f, "--C="):
		return i + 1
	}
	return i
}

// chdir is the folder that a -C flag names, which is all that args hold.
func chdir(args []string) string {
	if len(args) == 2 {
		return args[1]
	}
	if len(args) == 1 {
		_, dir, _ := strings.Cut(args[0], "=")
		return dir
	}
	return ""
}

// parseGoTest reads the arguments behind the word test at index at.
func parseGoTest(args []string, at int) goArgs {
	g := goArgs{insert: afterC(args, at+1), off: -1, implicit: true, chdir: chdir(args[:at])}
	if g.chdir == "" {
		g.chdir = chdir(args[at+1 : g.insert])
	}
	packages := true // may words still name packages? Not behind a flag that go does not know
	for i := g.insert; i < len(args); i++ {
		a := args[i]
		if !strings.HasPrefix(a, "-") || a == "-" {
			g.implicit = g.implicit && !packages
			continue
		}
		name, value, given := strings.Cut(strings.TrimLeft(a, "-"), "=")
		name = strings.TrimPrefix(name, "test.")
		if name == "args" {
			break
		}
		valued := strings.Contains(goValued, " "+name+" ")
		packages = packages && (valued || strings.Contains(goSwitches, " "+name+" "))
		if valued && !given && i+1 < len(args) {
			i++
			value = args[i]
		}
		g.flag(i, name, value, given)
	}
	return g
}

func (g *goArgs) flag(i int, name, value string, given bool) {
	on := !given || isTrue(value)
	switch name {
	case "json":
		g.json = on
		g.off = -1
		if !on {
			g.off = i
		}
	case "v":
		g.verbose = on || value == "test2json"
	case "bench", "fuzz":
		g.stream = value != ""
	case "list":
		g.silent = "-list only lists the tests"
	case "c":
		if on {
			g.silent = "-c only compiles the tests"
		}
	case "n":
		if on {
			g.silent = "-n only prints the commands"
		}
	case "h", "help":
		g.silent = "-" + name + " only prints the usage"
	}
}

func isTrue(s string) bool {
	switch s {
	case "1", "t", "T", "true", "TRUE", "True":
		return true
	}
	return false
}

// withJSON returns the arguments with -json added, and without a -json=false that would undo it; with fresh, go's cache of
// test results is passed by.
func (g *goArgs) withJSON(args []string, fresh bool) []string {
	out := append([]string(nil), args[:g.insert]...)
	if !g.json {
		out = append(out, "-json")
	}
	if fresh {
		out = append(out, "-count=1")
	}
	for i := g.insert; i < len(args); i++ {
		if i != g.off {
			out = append(out, args[i])
		}
	}
	return out
}
