package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"factgate/check"
	"factgate/record"
	"factgate/report"
)

// formats are the words that --format takes.
var formats = []string{"text", "json", "github", "markdown"}

// asked are the flags that verify and status share.
type asked struct {
	format, tier string
	quiet        bool
}

func (q *asked) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&q.format, "format", "text", "`FORMAT` of the report: "+strings.Join(formats, ", "))
	cmd.Flags().StringVar(&q.tier, "tier", "push", "answer for the checks that must be proven at `TIER`: stop, push or ci")
	cmd.Flags().BoolVarP(&q.quiet, "quiet", "q", false, "show only what is not passed, and the verdict")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("tier", cobra.FixedCompletions([]string{"stop", "push", "ci"}, cobra.ShellCompDirectiveNoFileComp))
}

func (q *asked) check() error {
	if !slices.Contains(formats, q.format) {
		return fail("--format "+strings.Join(formats, "|"), "unknown --format %q", q.format)
	}
	if !slices.Contains([]string{"stop", "push", "ci"}, q.tier) {
		return fail("--tier stop|push|ci", "unknown --tier %q", q.tier)
	}
	return nil
}

func (a *app) verify() *cobra.Command {
	var q asked
	var s check.Selection
	var verbose bool
	var jobs int
	cmd := &cobra.Command{
		Use:   "verify [CHECK...] [-- ARGS]",
		Short: "Run what is not proven on this tree, and say whether all is",
		Long: `Run the named checks, or all up to the tier, and what they need. A check that is proven on this very tree is not run
again: its record answers. A failure that the same tree showed before is answered from its record too, until something
changes or --rerun says why trying again counts.

Arguments behind -- narrow one check: such a run is recorded and useful, and never proof.
` + exitHelp,
		Example:           "  factgate verify\n  factgate verify api web\n  factgate verify api -- -k rounding\n  factgate verify --rerun \"started postgres\"",
		ValidArgsFunction: a.completeChecks,
		RunE: func(cmd *cobra.Command, args []string) error {
			s.Names, s.Tier, s.Trigger = args, q.tier, "verify"
			if at := cmd.ArgsLenAtDash(); at >= 0 {
				s.Names, s.Args = args[:at], args[at:]
			}
			if err := errors.Join(q.check(), focus(s), reason(cmd, s)); err != nil {
				return err
			}
			return a.doVerify(s, q, verbose, jobs)
		},
	}
	q.flags(cmd)
	cmd.Flags().BoolVar(&s.Fresh, "fresh", false, "run what is proven too, with the runners' own caches off")
	cmd.Flags().BoolVar(&s.FailFast, "fail-fast", false, "start nothing more once a check has failed")
	cmd.Flags().StringVar(&s.Rerun, "rerun", "", "run again what failed on this very tree, for this `REASON`")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "show the programs' output while they run")
	cmd.Flags().IntVarP(&jobs, "jobs", "j", 0, "run at most `N` checks at once (default: what factgate.toml says, else the number of CPUs)")
	return cmd
}

func focus(s check.Selection) error {
	if len(s.Args) > 0 && len(s.Names) != 1 {
		return fail("factgate verify CHECK -- ARGS", "arguments behind -- narrow exactly one check")
	}
	return nil
}

func reason(cmd *cobra.Command, s check.Selection) error {
	if cmd.Flags().Changed("rerun") && strings.TrimSpace(s.Rerun) == "" {
		return fail(`factgate verify --rerun "started postgres"`, "--rerun needs the reason why trying again counts")
	}
	return nil
}

func (a *app) doVerify(s check.Selection, q asked, verbose bool, jobs int) error {
	k, err := a.project()
	if err != nil {
		return err
	}
	if jobs < 0 {
		return fail("factgate verify -j 2", "-j %d is not a number of checks", jobs)
	}
	if k.Store == nil {
		fmt.Fprintf(a.err, "factgate: nothing that runs now can be recorded, so nothing can pass: %s\n", report.CleanLines(k.NoStore))
	}
	ctx, hard, done := interruptible()
	defer done()
	o := a.options()
	o.Quiet = q.quiet
	k.Hard, k.Jobs = hard, jobs
	live := a.live(&k, q, o, verbose)
	quiet := context.AfterFunc(ctx, func() { live.Note("stopping what runs: Ctrl-C again kills it") })
	r, err := k.Verify(ctx, s)
	quiet()
	live.Close()
	if err != nil {
		if code, ok := interruptedBy(ctx); ok {
			return failure{text: "stopped before anything was started", code: code}
		}
		return a.unknownCheck(err)
	}
	return a.conclude(ctx, r, q, a.options(), live != nil)
}

// conclude prints a report and sets the exit code, which the report states too.
func (a *app) conclude(ctx context.Context, r record.Report, q asked, o report.Options, shown bool) error {
	a.code = exitOf(r.Verdict)
	if code, ok := interruptedBy(ctx); ok {
		a.code = code
	}
	r.Exit = a.code
	o.Quiet = q.quiet
	var err error
	switch {
	case q.format == "json":
		err = report.JSON(a.out, r)
	case q.format == "github":
		err = report.GitHub(a.out, r, o)
	case q.format == "markdown":
		err = report.Markdown(a.out, r, o)
	case shown:
		err = report.Ending(a.out, r, o)
	default:
		err = report.Text(a.out, r, o)
	}
	if err != nil && a.code == exitPassed {
		return nil // the reader went away; what was proven is proven and recorded
	}
	return nil
}

// live shows the checks while they run, where the format leaves room for it.
func (a *app) live(k *check.Checker, q asked, o report.Options, verbose bool) *report.Live {
	if q.format != "text" {
		return nil
	}
	live := report.NewLive(a.out, o, a.terminal(), a.now)
	k.Progress, k.Watch = live, a.tty
	if verbose {
		k.Output = func(name string) io.Writer { return &prefixed{live: live, prefix: report.Clean(name) + " | "} }
	}
	return live
}

// prefixed shows the console of one check line by line, as text of the program and nothing else.
type prefixed struct {
	live   *report.Live
	prefix string
	mu     sync.Mutex
	rest   []byte
}

// maxLine is how much of an unfinished line is kept.
const maxLine = 16 << 10

func (p *prefixed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rest = append(p.rest, b...)
	text := string(p.rest)
	end := strings.LastIndexByte(text, '\n') + 1
	if end == 0 && len(p.rest) < maxLine {
		return len(b), nil
	}
	if end == 0 {
		end = len(p.rest)
	}
	p.rest = append([]byte(nil), p.rest[end:]...)
	p.show(text[:end])
	return len(b), nil
}

// Close shows what is left: a last line without its end.
func (p *prefixed) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.rest) > 0 {
		p.show(string(p.rest))
		p.rest = nil
	}
	return nil
}

func (p *prefixed) show(text string) {
	p.live.Output(func(w io.Writer) {
		lines := &writer{w: w}
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			lines.line("%s%s", p.prefix, report.CleanLines(line))
		}
	})
}

func (a *app) status() *cobra.Command {
	var q asked
	cmd := &cobra.Command{
		Use:   "status [CHECK...]",
		Short: "Say what is proven on this tree, without running anything",
		Long: `Say what the records prove for this very tree, up to the tier or for the named checks. Nothing is run.
` + exitHelp,
		ValidArgsFunction: a.completeChecks,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := q.check(); err != nil {
				return err
			}
			k, err := a.project()
			if err != nil {
				return err
			}
			ctx, _, done := interruptible()
			defer done()
			r, err := k.Status(ctx, check.Selection{Names: args, Tier: q.tier})
			if err != nil {
				return a.unknownCheck(err)
			}
			return a.conclude(ctx, r, q, a.options(), false)
		},
	}
	q.flags(cmd)
	return cmd
}

// unknownCheck adds to an error about a name the names that there are.
func (a *app) unknownCheck(err error) error {
	var u check.UnknownCheckError
	if errors.As(err, &u) {
		return fail("checks: "+strings.Join(u.Known, ", "), "%s", u.Error())
	}
	return failure{text: err.Error(), code: exitUsage}
}

// completeChecks offers the names of checks to the shell.
func (a *app) completeChecks(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	k, err := a.project()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, c := range k.Config.Checks {
		if !slices.Contains(args, c.Name) {
			out = append(out, c.Name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
