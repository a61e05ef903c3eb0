package runners

import (
	"fmt"
	"sort"
	"strings"
)

// Doc prints docs/runners.md: what is known of each built-in runner, from the data that plans are made of.
func Doc() string {
	var b strings.Builder
	b.WriteString(`# Runners

This page is printed from the runners' data (` + "`go test ./runners -run TestDoc -update`" + `).

The exit code is read by the table where argv names the runner, or a launcher that passes the status through:
` + paragraph(launcherNames()) + `, and ` + "`python -m`" + ` and ` + "`node FILE`" + `. Behind anything else (make, npm test, tox, a script) 0 is clean and any
other code is not; what the results say is read all the same. An integer that is not in the table is ` + "`unknown`" + ` and never clean.

`)
	for _, r := range builtin() {
		r.section(&b)
	}
	commonSection(&b)
	return b.String()
}

func (r Runner) section(b *strings.Builder) {
	fmt.Fprintf(b, "## %s\n\n%s.\n\n", r.Name, upper(r.Title))
	if len(r.Command) > 0 {
		fmt.Fprintf(b, "- Default command: `%s`\n", strings.Join(r.Command, " "))
	}
	if r.Prefer != "" {
		steps, _ := preferNextest(r.Command, "cargo-nextest 999.0.0")
		fmt.Fprintf(b, "- Where nextest is installed: `%s`\n", strings.Join(steps, " "))
	}
	if r.Link != "" {
		fmt.Fprintf(b, "- Exit codes: <%s>\n", r.Link)
	}
	var injected []string
	for _, name := range keys(r.Env) {
		injected = append(injected, fmt.Sprintf("`%s=%s`", name, r.Env[name]))
	}
	for _, w := range r.EnvAdd {
		injected = append(injected, fmt.Sprintf("`%s` in `%s`", w.Text, w.Name))
	}
	for _, a := range r.Args {
		injected = append(injected, "`"+a+"` on the command line")
	}
	for _, s := range r.Shims {
		injected = append(injected, fmt.Sprintf("factgate under the name `%s`", s))
	}
	item(b, "Injected", injected)
	if r.Replaces != "" {
		fmt.Fprintf(b, "- Replaces: %s\n", r.Replaces)
	}
	item(b, "--fresh adds", append(ticked(r.Fresh.Args), ticked(assignments(r.Fresh.Env))...))
	scrubbed(b, r.Scrub)
	item(b, "Leaves in the tree", ticked(r.Outputs))
	item(b, "Names its dependencies", ticked(r.Witness))
	item(b, "Left running", ticked(r.Daemons))
	if len(r.Exits) > 0 {
		b.WriteString("\n| code | meaning |\n| --- | --- |\n")
		var codes []int
		for code := range r.Exits {
			codes = append(codes, code)
		}
		sort.Ints(codes)
		for _, code := range codes {
			fmt.Fprintf(b, "| %d | %s |\n", code, r.Exits[code])
		}
	} else {
		b.WriteString("0 is clean, any other code is not.\n")
	}
	if len(r.Limits) > 0 {
		b.WriteString("\nLimits:\n\n")
		for _, l := range r.Limits {
			b.WriteString("- " + l + "\n")
		}
	}
	b.WriteString("\n")
}

func commonSection(b *strings.Builder) {
	b.WriteString("## The environment of every run\n\nIt is inherited, less the words above and these. `keep_env` keeps a variable whole.\n\n")
	scrubbed(b, common())
	b.WriteString("\n## What a run may leave behind\n\nEvery process that outlives the program is ended. Known build daemons are left alone, and noted:\n" +
		strings.Join(ticked(buildDaemons()), ", ") + ".\n")
}

// scrubbed lists what is taken out of the environment, first the variables that go as a whole.
func scrubbed(b *strings.Builder, all []Scrub) {
	var whole []string
	for _, s := range all {
		if s.Whole {
			whole = append(whole, s.Name)
		}
	}
	item(b, "Removed from the environment", ticked(whole))
	for _, s := range all {
		if !s.Whole {
			item(b, fmt.Sprintf("Removed from `%s`", s.Name), ticked(readable(s.Flags)))
		}
	}
}

func item(b *strings.Builder, what string, words []string) {
	if len(words) > 0 {
		fmt.Fprintf(b, "- %s: %s\n", what, strings.Join(words, ", "))
	}
}

func ticked(words []string) []string {
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = "`" + w + "`"
	}
	return all
}

// readable drops the mark of flags that take no value.
func readable(flags []string) []string {
	all := make([]string, len(flags))
	for i, f := range flags {
		all[i] = strings.TrimSuffix(f, "!")
	}
	return all
}

func assignments(env map[string]string) []string {
	var all []string
	for _, name := range keys(env) {
		all = append(all, name+"="+env[name])
	}
	return all
}

func launcherNames() []string {
	var all []string
	for _, l := range launchers() {
		name := l.names[0]
		if len(l.subs) > 0 {
			name += " " + l.subs[0]
		}
		all = append(all, "`"+name+"`")
	}
	return all
}

// paragraph breaks a list into lines of about 120 columns.
func paragraph(words []string) string {
	var b strings.Builder
	column := 0
	for i, w := range words {
		if i > 0 {
			b.WriteString(",")
			if column+len(w) > 118 {
				b.WriteString("\n")
				column = 0
			} else {
				b.WriteString(" ")
			}
		}
		b.WriteString(w)
		column += len(w) + 2
	}
	return b.String()
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
