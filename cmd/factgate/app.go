package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"factgate/report"
)

// app is what a subcommand may use of the process that it runs in.
type app struct {
	in       io.Reader
	out, err io.Writer
	env      []string
	self     string // path of this executable
	now      func() time.Time
	tty      bool // out is a terminal

	dir  string // -C
	code int    // what the command decided
}

// failure is an error that the user can act on.
type failure struct {
	text string
	hint string
	code int
}

func (f failure) Error() string { return f.text }

func fail(hint, format string, args ...any) error {
	return failure{text: fmt.Sprintf(format, args...), hint: hint, code: exitUsage}
}

// run parses the arguments, runs one command and returns the exit code.
func (a *app) run(args []string) (code int) {
	defer func() {
		if r := recover(); r != nil { // a bug of ours: said in one line, and never a pass
			fmt.Fprintf(a.err, "factgate: internal error: %v\nhint: this is a bug in factgate; nothing was proven\n", r)
			code = exitUsage
		}
	}()
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	if cmd, err := root.ExecuteC(); err != nil {
		return a.say(err, cmd)
	}
	return a.code
}

// say prints an error and what to do about it.
func (a *app) say(err error, cmd *cobra.Command) int {
	var f failure
	if !errors.As(err, &f) {
		f = failure{text: err.Error(), code: exitUsage}
		if strings.HasPrefix(f.text, "unknown") || strings.Contains(f.text, "arg") || strings.Contains(f.text, "flag") {
			f.hint = cmd.CommandPath() + " --help" // the words of the library that reads the command line
		}
	}
	fmt.Fprintf(a.err, "factgate: %s\n", strings.TrimRight(report.CleanLines(f.text), "\n"))
	if f.hint != "" {
		fmt.Fprintf(a.err, "hint: %s\n", report.CleanLines(f.hint))
	}
	return f.code
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "factgate",
		Short: "Run the declared checks and prove that they passed, on this very tree",
		Long: `factgate runs the checks that factgate.toml declares, takes each program's exit code, reads the results that it
wrote, decides, and keeps a signed record bound to the exact tree. Nothing is called passed without proof.

Start with: factgate verify`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			hint := "factgate --help"
			if like := cmd.SuggestionsFor(args[0]); len(like) > 0 {
				hint = "factgate " + strings.Join(like, ", factgate ")
			}
			return fail(hint, "unknown command %q", args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.code = exitUsage
			return cmd.Help()
		},
	}
	root.PersistentFlags().StringVarP(&a.dir, "chdir", "C", ".", "work as if started in `DIR`")
	root.CompletionOptions.DisableDefaultCmd = true
	root.SuggestionsMinimumDistance = 2 // letters that a mistyped name may differ by
	root.SetHelpCommand(&cobra.Command{Hidden: true, Use: "no-help"})
	root.AddCommand(a.verify(), a.status(), a.show(), a.log(), a.audit(), a.parse(), a.runners(), a.explain(), a.trust(),
		a.version(), a.completion())
	return root
}

// getenv reads the environment that the app was given.
func (a *app) getenv(name string) string {
	for i := len(a.env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(a.env[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// options says how a report looks on this terminal or pipe.
func (a *app) options() report.Options {
	o := report.Options{Now: a.now(), Fit: a.tty, Color: a.tty && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"}
	if f, ok := a.out.(*os.File); ok && a.tty {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			o.Width = w
		}
	} else if w, err := strconv.Atoi(a.getenv("COLUMNS")); err == nil {
		o.Width = w
	}
	return o
}

// terminal asks the terminal that a.out is for its size; nil when it is none.
func (a *app) terminal() func() (columns, rows int) {
	f, ok := a.out.(*os.File)
	if !ok || !a.tty {
		return nil
	}
	return func() (columns, rows int) {
		columns, rows, err := term.GetSize(int(f.Fd()))
		if err != nil {
			return 0, 0
		}
		return columns, rows
	}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// stateDir is where records, keys and tools lie, outside every repository.
func (a *app) stateDir() (string, error) {
	if d := a.getenv("FACTGATE_STATE_DIR"); d != "" {
		return filepath.Abs(d)
	}
	if d := a.getenv("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "factgate"), nil
	}
	if d := a.getenv("LOCALAPPDATA"); d != "" && os.PathSeparator == '\\' {
		return filepath.Join(d, "factgate"), nil
	}
	if d := a.getenv("HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, ".local", "state", "factgate"), nil
	}
	d, err := homeOfUser()
	if err != nil {
		return "", fail("set FACTGATE_STATE_DIR to a folder outside the repository", "there is no home directory for records: %v", err)
	}
	return filepath.Join(d, ".local", "state", "factgate"), nil
}
