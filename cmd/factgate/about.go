package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"factgate/check"
	"factgate/config"
	"factgate/report"
	"factgate/runners"
	"factgate/verdict"
)

func (a *app) runners() *cobra.Command {
	return &cobra.Command{
		Use:   "runners [NAME]",
		Short: "List the test programs that a check can name",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			set, problems := runners.New(nil)
			if k, err := a.project(); err == nil { // in a repository, its own runners too
				set = k.Runners
			}
			if len(problems) > 0 {
				return fmt.Errorf("%s", problems[0].Text)
			}
			w := &writer{w: a.out}
			if len(args) == 0 {
				for _, name := range set.Names() {
					r, _ := set.Lookup(name)
					w.line("%-10s  %s", report.Clean(name), report.Clean(r.Title))
				}
				return printed(w.err)
			}
			r, ok := set.Lookup(args[0])
			if !ok {
				return fail("runners: "+strings.Join(set.Names(), ", "), "there is no runner %q", args[0])
			}
			return a.describe(r)
		},
	}
}

// describe prints what the data of one runner says.
func (a *app) describe(r runners.Runner) error {
	w := &writer{w: a.out}
	w.line("%s: %s", report.Clean(r.Name), report.Clean(r.Title))
	if r.Link != "" {
		w.line("exit codes per %s", r.Link)
	}
	w.line("default command: %s", orWord(words(r.Command), "none, a check gives it"))
	codes := make([]int, 0, len(r.Exits))
	for code := range r.Exits {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	for _, code := range codes {
		w.line("  %3d  %s", code, r.Exits[code])
	}
	if len(codes) == 0 {
		w.line("    0  clean; any other code is not clean")
	}
	if r.Replaces != "" {
		w.line("replaces: %s", report.Clean(r.Replaces))
	}
	for _, l := range r.Limits {
		w.line("limit: %s", report.Clean(l))
	}
	return printed(w.err)
}

func (a *app) explain() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "explain CHECK|REASON [-- ARGS]",
		Short: "Say what would run for a check, or what a reason means",
		Long: `Say what would run: the command, what factgate adds to the environment and takes out of it, where results are
read, and what the result depends on. No test is started. A reason of a report, such as no_tests, is explained too.`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.completeChecks,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := textOrJSON(format); err != nil {
				return err
			}
			k, err := a.project()
			if d, ok := reasons()[args[0]]; ok && !slices.ContainsFunc(k.Config.Checks, func(c config.Check) bool { return c.Name == args[0] }) {
				return a.printReason(args[0], d)
			}
			if err != nil {
				return err
			}
			ctx, _, done := interruptible()
			defer done()
			e, err := k.Explain(ctx, args[0], args[1:])
			if err != nil {
				return a.unknownCheck(err)
			}
			if format == "json" {
				return printed(report.JSON(a.out, e))
			}
			return a.printExplanation(e)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "`FORMAT`: text or json")
	return cmd
}

// reasons are the words that reports and records use, by name.
func reasons() map[string]verdict.Description {
	all := map[string]verdict.Description{}
	for _, r := range verdict.Reasons() {
		all[string(r)] = verdict.Describe(r)
	}
	return all
}

func (a *app) printReason(name string, d verdict.Description) error {
	w := &writer{w: a.out}
	w.line("%s  %s", name, d.Outcome)
	w.line("means: %s", d.Means)
	w.line("next:  %s", d.Next)
	return printed(w.err)
}

func (a *app) printExplanation(e check.Explanation) error {
	w := &writer{w: a.out}
	row := func(name, value string) {
		if value != "" {
			w.line("%-12s %s", name, report.Clean(value))
		}
	}
	rows := func(name string, values []string) {
		for i, v := range values {
			if i > 0 {
				name = ""
			}
			w.line("%-12s %s", name, report.Clean(v))
		}
	}
	row("check", e.Check)
	row("runner", e.Runner)
	row("command", words(e.Argv))
	row("program", orWord(e.Program, "not found on PATH"))
	row("dir", e.Dir)
	rows("sets", e.Set)
	rows("unsets", e.Removed)
	rows("notes", e.Notes)
	row("results", e.Results)
	if e.Direct {
		row("exit code", "read by the runner's own table")
	} else {
		row("exit code", "0 is clean, any other is not: the command is a wrapper, the results say the rest")
	}
	codes := make([]string, 0, len(e.Exits))
	for code, meaning := range e.Exits {
		codes = append(codes, code+" "+meaning)
	}
	slices.Sort(codes)
	row("", strings.Join(codes, ", "))
	row("inputs", orWord(strings.Join(e.Inputs, " "), "the whole tree")+fmt.Sprintf(" (%d files)", e.Files))
	rows("no match", e.Missing)
	row("outputs", strings.Join(e.Outputs, " "))
	for _, name := range sortedKeys(e.Witness) {
		row("depends on", name)
	}
	row("needs", strings.Join(e.Needs, " "))
	row("timeout", e.Timeout)
	row("gate", e.Gate)
	row("key", e.Key)
	row("proven by", orWord(e.Proven, "no record of this tree"))
	return printed(w.err)
}

// words shows argv so that each word can be told from the next.
func words(argv []string) string {
	out := make([]string, len(argv))
	for i, w := range argv {
		out[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n\"'\\$*?;&|<>()") {
			out[i] = fmt.Sprintf("%q", w)
		}
	}
	return strings.Join(out, " ")
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// trusted is what factgate trust writes down: automatic runs of this root may start its checks, with this PATH.
type trusted struct {
	Root     string    `json:"root"`
	Path     string    `json:"path"`
	Terminal bool      `json:"terminal"`
	Time     time.Time `json:"time"`
}

func (a *app) trust() *cobra.Command {
	var revoke, show bool
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Let automatic runs (hooks) start the checks of this repository",
		Long: `Let automatic runs, such as an agent's hook, start the checks of this repository and of its linked worktrees, with the
PATH of this shell. A verify that a person types needs no trust. Without trust a hook starts nothing and says so.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			k, err := a.project()
			if err != nil {
				return err
			}
			if k.State == "" {
				return fail("set FACTGATE_STATE_DIR", "%s", k.NoStore)
			}
			path := filepath.Join(k.State, "trust", k.Chain+".json")
			switch {
			case show:
				return a.showTrust(path, k.Config.Root)
			case revoke:
				if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return fail("", "revoke trust: %v", err)
				}
				_, err = fmt.Fprintf(a.out, "automatic runs are no longer allowed in %s\n", report.Clean(k.Config.Root))
				return err
			}
			return a.addTrust(path, k.Config.Root)
		},
	}
	cmd.Flags().BoolVar(&revoke, "revoke", false, "take the trust back")
	cmd.Flags().BoolVar(&show, "show", false, "say whether this repository is trusted")
	cmd.MarkFlagsMutuallyExclusive("revoke", "show")
	return cmd
}

func (a *app) addTrust(path, root string) error {
	data, err := json.MarshalIndent(trusted{Root: root, Path: a.getenv("PATH"), Terminal: a.tty, Time: a.now().UTC()}, "", "  ")
	if err != nil {
		return err
	}
	if err := check.Replace(path, append(data, '\n')); err != nil {
		return fail("make the state directory writable, or set FACTGATE_STATE_DIR", "keep trust: %v", err)
	}
	_, err = fmt.Fprintf(a.out, "automatic runs are allowed in %s, with the PATH of this shell\n", report.Clean(root))
	return err
}

func (a *app) showTrust(path, root string) error {
	var t trusted
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &t)
	}
	if errors.Is(err, fs.ErrNotExist) {
		a.code = exitFailed
		_, err = fmt.Fprintf(a.out, "%s is not trusted: automatic runs start nothing here\n", report.Clean(root))
		return err
	}
	if err != nil {
		return fail("factgate trust writes it anew", "read trust: %v", err)
	}
	_, err = fmt.Fprintf(a.out, "%s is trusted since %s; automatic runs use PATH=%s\n", report.Clean(root), t.Time.Local().Format(time.RFC1123), report.Clean(t.Path))
	return err
}
