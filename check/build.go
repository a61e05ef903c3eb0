package check

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"factgate/facts"
)

// maxBuildLog bounds how much of a log is searched for the first error, in bytes; maxBuildText what is kept of it.
const (
	maxBuildLog  = 1 << 20
	maxBuildText = 4 << 10
)

// buildErrors find what rustc and cargo print of an error, and colours, which may be forced on.
type buildErrors struct{ first, colour *regexp.Regexp }

func newBuildErrors() buildErrors {
	return buildErrors{
		first:  regexp.MustCompile(`(?m)^error(?:\[E\d+\])?: (.+)(?:\n\s*--> (.+):(\d+):\d+$)?`),
		colour: regexp.MustCompile(`\x1b\[[0-9;]*m`),
	}
}

// explainBuild adds to a failed build of which the runner's stream only says that it failed what the compiler printed
// first. With more than one of them the log does not say which is whose.
func explainBuild(run *facts.Run) {
	var bare []*facts.Outside
	for i := range run.Results.Outside {
		if o := &run.Results.Outside[i]; o.Kind == facts.Build && o.Text == "" {
			bare = append(bare, o)
		}
	}
	if len(bare) != 1 || run.Exit.Output.Log == "" {
		return
	}
	if log, err := Head(run.Exit.Output.Log, maxBuildLog); err == nil {
		newBuildErrors().explain(bare[0], string(log))
	}
}

func (b buildErrors) explain(o *facts.Outside, log string) {
	log = strings.ReplaceAll(b.colour.ReplaceAllString(log, ""), "\r\n", "\n")
	for _, at := range b.first.FindAllStringSubmatchIndex(log, -1) {
		message := log[at[2]:at[3]]
		if strings.HasPrefix(message, "could not compile") || strings.HasPrefix(message, "aborting due to") {
			continue
		}
		text, _, _ := strings.Cut(log[at[0]:], "\n\n")
		o.Message, o.Text = message, strings.ToValidUTF8(text[:min(len(text), maxBuildText)], "\ufffd")
		if at[4] >= 0 {
			o.File = upwards(o.Where, log[at[4]:at[5]])
			o.Line, _ = strconv.Atoi(log[at[6]:at[7]]) // digits; too many of them are no line
		}
		return
	}
}

// upwards finds a file that is named relative to a workspace, which lies at dir or above it.
func upwards(dir, file string) string {
	if filepath.IsAbs(file) || !filepath.IsAbs(dir) {
		return file
	}
	for at := dir; ; at = filepath.Dir(at) {
		if path := filepath.Join(at, filepath.FromSlash(file)); exists(path) {
			return path
		}
		if at == filepath.Dir(at) {
			return file
		}
	}
}
