package parsers

import (
	"fmt"
	"io"
	"strings"

	"factgate/facts"
)

// RSpecJSON reads what `rspec --format json` writes (json_formatter.rb of rspec-core 3). Its proof of completeness is the
// end of the document, with a summary whose totals are what is listed; rspec writes it when all is over, and nothing at
// all where a message is not valid UTF-8 or a test calls exit!. A test in which exit is called has no status.
//
// What fails outside examples (a file that does not load, a hook of the suite) is only counted, and told in messages.
// `--dry-run` lists every example as passed, and nothing in the file says so.
func RSpecJSON(r io.Reader) (facts.Results, error) { return rspecJSON(r, standard()) }

func rspecJSON(r io.Reader, lim limits) (facts.Results, error) {
	d := &rspecDoc{jsonFile: newJSONFile(r, lim), summary: map[string]int{}}
	closed, err := d.read(d.document)
	if err != nil {
		return facts.Results{}, err
	}
	return d.end(closed), nil
}

// rspecDoc is the document while it is read.
type rspecDoc struct {
	jsonFile
	examples bool
	summary  map[string]int
	line     string
	errors   int // messages that tell of one
	listed   claimed
}

func (d *rspecDoc) document() error {
	return d.object(func(key string) (err error) {
		switch key {
		case "examples":
			d.examples = true
			return d.array(d.example)
		case "messages":
			return d.array(func() error {
				s, err := d.text()
				d.message(s)
				return err
			})
		case "summary":
			return d.object(func(key string) error {
				v, err := d.scalar()
				if n, ok := v.(float64); ok && strings.HasSuffix(key, "_count") && len(d.summary) < d.lim.attrs {
					d.summary[key] = count(n)
				}
				return err
			})
		case "summary_line":
			d.line, err = d.text()
			return err
		}
		return d.skip()
	})
}

// message takes what rspec said beside the examples. An error begins so in all releases of rspec 3.
func (d *rspecDoc) message(s string) {
	text := strings.TrimSpace(s)
	if !strings.HasPrefix(text, "An error occurred") {
		d.note("message", 0, "rspec says: %s", firstLine(d.prose([]byte(text), d.lim.message), 200))
		return
	}
	d.errors++
	o := d.outsideOf(d.find, facts.OutsideTests, "", "", withoutGems(text))
	o.Where = o.File
	class := ""
	for line := range strings.SplitSeq(o.Text, "\n") { // the class stands alone, what it says is indented below
		if said, ok := strings.CutPrefix(line, "  "); ok && class != "" {
			o.Message = firstLine(class+" "+said, d.lim.message)
			break
		}
		if class = ""; strings.HasSuffix(line, ":") && !strings.Contains(line, " ") {
			class = line
		}
	}
	if strings.HasPrefix(text, "An error occurred while loading") {
		o.Kind = facts.Collection
	}
	d.outside(o)
}

func (d *rspecDoc) example() error {
	var description, full, status, file, pending, class, message string
	var backtrace []string
	var line int
	var run float64
	failed := false
	err := d.object(func(key string) (err error) {
		var n float64
		switch key {
		case "description":
			description, err = d.text()
		case "full_description":
			full, err = d.text()
		case "status":
			status, err = d.text()
		case "file_path":
			file, err = d.text()
		case "line_number":
			n, err = d.number()
			line = count(n)
		case "run_time":
			run, err = d.number()
		case "pending_message":
			pending, err = d.text()
		case "exception":
			err = d.object(func(key string) (err error) {
				failed = true
				switch key {
				case "class":
					class, err = d.text()
				case "message":
					message, err = d.text()
				case "backtrace":
					backtrace, _, err = d.texts(100)
				default:
					err = d.skip()
				}
				return err
			})
		default:
			err = d.skip()
		}
		return err
	})
	if err != nil {
		return err
	}
	var above []string
	if suite, ok := strings.CutSuffix(full, description); ok && suite != "" {
		above = []string{strings.TrimSuffix(suite, " ")}
	}
	c := d.named(file, above, description)
	c.Line, c.Duration = line, seconds(run)
	d.listed.tests++
	switch status {
	case "passed":
		c.Status = facts.Passed
		if failed {
			c.Status = facts.Failed
			d.problem(facts.Contradict, "status_against_failure", 0, "example %q is passed and has an exception", c.ID)
		}
	case "failed":
		c.Status = facts.Failed
		d.listed.failures++
	case "pending":
		c.Status, c.Kind = facts.Skipped, "skip"
		c.Reason = firstLine(d.prose([]byte(pending), d.lim.message), d.lim.message)
		if pending == "Not yet implemented" {
			c.Kind = "todo"
		}
		d.listed.skipped++
	case "":
		d.problem(facts.Incomplete, "not_finished", 0, "example %q has no status: it did not end, such as by exit inside of it", c.ID)
	default:
		d.problem(facts.Malformed, "unknown_status", 0, "example %q has the status %q, which is not known", c.ID, clean64([]byte(status)))
	}
	if failed && c.Status != facts.Skipped {
		c.Failures = []facts.Failure{d.failure(d.find, message, class, strings.TrimSpace(message)+"\n"+withoutGems(strings.Join(backtrace, "\n")))}
	}
	explained(&c, "rspec")
	d.add(c)
	return nil
}

// withoutGems drops the frames of libraries from a backtrace where another frame is left.
func withoutGems(text string) string {
	foreign := func(line string) bool {
		return strings.Contains(line, "/gems/") || strings.Contains(line, "/bin/rspec:") || strings.Contains(line, "/lib/ruby/")
	}
	var kept []string
	frames := 0
	for line := range strings.SplitSeq(text, "\n") {
		if foreign(line) {
			continue
		}
		if strings.Contains(line, ".rb:") {
			frames++
		}
		kept = append(kept, line)
	}
	if frames == 0 {
		return text
	}
	return strings.Join(kept, "\n")
}

func (d *rspecDoc) end(closed bool) facts.Results {
	outside := d.summary["errors_outside_of_examples_count"]
	if outside > d.errors {
		d.outside(facts.Outside{Message: fmt.Sprintf("%d errors occurred outside of examples, and %d are told", outside, d.errors)})
	}
	if !closed {
		return d.finish(false)
	}
	n := func(key string) int {
		if n, ok := d.summary[key]; ok {
			return n
		}
		return -1
	}
	if !d.examples || n("example_count") < 0 || n("failure_count") < 0 {
		d.problem(facts.Malformed, "no_rspec_results", 0, "it is JSON, but not what rspec's formatter json writes: examples or summary is missing")
		return d.finish(false)
	}
	d.res.Claims = claimed{n("example_count"), -1, n("failure_count"), outside, n("pending_count")}.facts()
	for _, x := range []struct {
		what          string
		claim, listed int
	}{
		{"examples", n("example_count"), d.listed.tests},
		{"failures", n("failure_count"), d.listed.failures},
		{"pending examples", n("pending_count"), d.listed.skipped},
	} {
		if x.claim != x.listed {
			d.problem(facts.Contradict, "claims_against_list", 0, "the summary counts %d %s, and %d are listed", x.claim, x.what, x.listed)
		}
	}
	var examples, failures int
	if _, err := fmt.Sscanf(strings.ReplaceAll(d.line, "example,", "examples,"), "%d examples, %d failure", &examples, &failures); err != nil ||
		examples != n("example_count") || failures != n("failure_count") {
		d.problem(facts.Contradict, "claims_against_list", 0, "the summary counts %d examples and %d failures, and its line is %q",
			n("example_count"), n("failure_count"), d.prose([]byte(d.line), 200))
	}
	return d.finish(d.sound())
}
