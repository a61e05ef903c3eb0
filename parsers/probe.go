package parsers

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"factgate/facts"
)

// Stream is what one runner process reported of itself through our probe.
type Stream struct {
	Process facts.Process     // Meaning is Unknown unless the runner itself gives one: its table says the rest
	Results facts.Results     // what the stream itself holds; Processes is left empty
	Attach  []Attachment      // results files of the runner's own beside the stream, in order, not read yet
	Folders map[string]string // of suites whose files are named by their base alone, where they are not the process's own folder
	Seal    string            // of the end, see Sealed
	Nested  bool              // the process was started by a test: nothing follows, it proves nothing
	sum     string            // SHA-256 in hex of all lines before the end
}

// Sealed reports whether the end of the stream was written by who knows the secret, after exactly these lines.
func (s Stream) Sealed(secret string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(s.sum))
	return secret != "" && hmac.Equal([]byte(s.Seal), []byte(hex.EncodeToString(mac.Sum(nil))))
}

// Attachment is a results file beside a probe stream.
type Attachment struct {
	Format string // a name in Formats
	File   string // a name in the stream's own folder
	SHA256 string // of its bytes, in hex; empty when the stream does not say
}

// probeVersion is the version of the stream that this reader knows.
const probeVersion = 1

// Probe reads a probe stream: JSON lines, each an object whose key e says what it is.
//
//	start    v runner pid argv dir version     the first line
//	case     id name suite file line status kind reason ms attempts flaky cached failures
//	outside  kind where message text file line
//	problem  code detail weight
//	note     text
//	planned  n                                  cases that the runner selected, a claim
//	claims   tests passed failures errors skipped
//	results  format file sha256                 an attachment
//	nested                                      nothing more follows; it may stand alone
//	end      status meaning seal                the last line: the runner reached its end
//
// A line that cannot be understood is blocking, for it may be a failure. The error is the reader's own.
func Probe(r io.Reader) (Stream, error) { return probe(r, standard()) }

// probeResults is Probe as a Parser. What is attached cannot be read from here, and is blocking.
func probeResults(r io.Reader) (facts.Results, error) {
	s, err := Probe(r)
	if err != nil {
		return facts.Results{}, err
	}
	for _, a := range s.Attach {
		s.Results.Problems = append(s.Results.Problems, facts.Problem{
			Code: "attached_results", Weight: facts.Incomplete, Detail: "the cases are in " + a.File + " beside it, which was not read",
		})
		s.Results.Complete = false
	}
	s.Results.Processes = []facts.Process{s.Process}
	return s.Results, nil
}

// probeStream is a stream while it is read.
type probeStream struct {
	*collector
	out     Stream
	find    *finders
	lines   int
	planned int // -1 when the runner did not say
	claims  claimed
	sum     hash.Hash // of the lines so far
}

func probe(r io.Reader, lim limits) (Stream, error) {
	src := newSource(r, lim.input)
	s := &probeStream{collector: newCollector(lim), find: patterns(), planned: -1, claims: noClaims(), sum: sha256.New()}
	s.out.Process.Code = -1
	l := newLines(src, lim)
	for {
		line, ok := l.next()
		if !ok {
			break
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			s.line(line, l)
			s.sum.Write(line)
			s.sum.Write([]byte{'\n'})
		}
	}
	if src.err != nil {
		return Stream{}, src.err
	}
	if src.over {
		s.problem(facts.Malformed, "too_large", 0, "the file is longer than %d bytes", lim.input)
	}
	if l.r.cut > 0 {
		s.note("texts_cut", 0, "%d texts were longer than %d bytes and were cut", l.r.cut, lim.value)
	}
	return s.end(), nil
}
