package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"factgate/record"
)

// JSON prints v as one indented JSON object in which every rune that is not printable is escaped, so that neither a
// terminal nor an agent acts on text of a runner.
func JSON(w io.Writer, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(Printable(data), '\n'))
	return err
}

// JSONLine prints v as JSON on one line, escaped like JSON.
func JSONLine(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(Printable(data), '\n'))
	return err
}

// Printable escapes the unprintable runes of valid JSON. They can stand only inside strings, where \u is an escape.
func Printable(data []byte) []byte {
	out := make([]byte, 0, len(data)+16)
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		switch {
		case r == '\n' || r == '\t' || unicode.IsPrint(r) && !(r == utf8.RuneError && n == 1):
			out = append(out, data[i:i+n]...)
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+(r>>10), 0xdc00+(r&0x3ff))
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		i += n
	}
	return out
}

// GitHub prints one annotation per failure in the syntax of GitHub Actions workflow commands, then the text.
// https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
func GitHub(w io.Writer, r record.Report, o Options) error {
	for _, c := range r.Checks {
		if c.Outcome == "passed" {
			continue
		}
		level := "error"
		if c.Outcome == "running" {
			level = "notice"
		}
		title := fmt.Sprintf("%s: %s", c.Name, strings.Join(c.Reasons, ", "))
		if len(c.Failures) == 0 {
			text := strings.Join(c.Details, " ")
			if _, err := fmt.Fprintf(w, "::%s title=%s::%s\n", level, property(title), message(text)); err != nil {
				return err
			}
		}
		for i, f := range c.Failures {
			if i == 10 { // GitHub shows ten annotations a step
				break
			}
			where := ""
			if f.File != "" {
				where = "file=" + property(f.File) + ","
				if f.Line > 0 {
					where += fmt.Sprintf("line=%d,", f.Line)
				}
			}
			text := message(f.ID + ": " + f.Message)
			if _, err := fmt.Fprintf(w, "::%s %stitle=%s::%s\n", level, where, property(title), text); err != nil {
				return err
			}
		}
	}
	return Text(w, r, o)
}

func message(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(Short(CleanLines(s), 1000))
}

func property(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(Clean(s))
}

// Markdown prints a table and the failures, for a pull request comment or a job summary.
func Markdown(w io.Writer, r record.Report, o Options) error {
	p := &printer{w: w, o: o}
	verdict := strings.TrimSpace((&printer{o: Options{Now: o.Now}}).verdict(r))
	p.line("**factgate:** %s", cell(verdict))
	p.line("")
	p.line("| check | outcome | cases | time | record |")
	p.line("| --- | --- | --- | --- | --- |")
	for _, c := range r.Checks {
		outcome := c.Outcome
		if len(c.Reasons) > 0 {
			outcome += " (" + strings.Join(c.Reasons, ", ") + ")"
		}
		took := fmt.Sprintf("%d ms", c.DurationMS)
		if c.ReusedFrom != nil {
			took = "not run now, " + Age(o.Now.Sub(c.ReusedFrom.At))
		}
		p.line("| %s | %s | %s | %s | `%s` |", cell(c.Name), cell(outcome), cell(counts(c)), took, c.Record)
	}
	for _, c := range r.Checks {
		if c.Outcome == "passed" {
			continue
		}
		p.line("")
		p.line("### %s: %s", cell(c.Name), c.Outcome)
		for _, d := range c.Details {
			p.line("- %s", cell(d))
		}
		for i, f := range c.Failures {
			if i == o.failures() {
				p.line("- and %d more", len(c.Failures)-i+c.More)
				break
			}
			p.line("- `%s` %s", strings.ReplaceAll(Short(Clean(f.ID), 200), "`", "'"), cell(place(f)))
			fence(p, f.Message)
		}
		for _, a := range c.Advice {
			p.line("- next: `%s`", strings.ReplaceAll(Clean(a), "`", "'"))
		}
	}
	return p.err
}

func place(f record.ReportFailure) string {
	if f.File == "" || f.Line == 0 {
		return f.File
	}
	return fmt.Sprintf("%s:%d", f.File, f.Line)
}

func fence(p *printer, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	lines := Excerpt(text, 8, 160)
	marks := "```"
	for _, l := range lines {
		for strings.Contains(l, marks) {
			marks += "`"
		}
	}
	p.line("  %s", marks)
	for _, l := range lines {
		p.line("  | %s", l)
	}
	p.line("  %s", marks)
}

// cell makes text safe inside a Markdown table or list: no markup, no links, no HTML.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;", "`", "'", "[", `\[`, "]", `\]`, "*", `\*`, "@", "&#64;").Replace(Clean(s))
}
