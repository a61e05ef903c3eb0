package parsers

// kind is what an element means.
type kind uint8

const (
	other    kind = iota
	suites        // testsuites
	suite         // testsuite
	single        // testcase
	failure       // failure, error
	attempt       // flakyFailure, flakyError, rerunFailure, rerunError
	skipped       // skipped, disabled, ignored
	stream        // system-out, system-err
	harmless      // known, and silent on how anything ended
)

// element gives what an element means and its name without a copy of it, "" where it means nothing known.
func element(name []byte) (kind, string) {
	switch string(name) {
	case "testsuites":
		return suites, "testsuites"
	case "testsuite":
		return suite, "testsuite"
	case "testcase":
		return single, "testcase"
	case "failure":
		return failure, "failure"
	case "error":
		return failure, "error"
	case "flakyfailure":
		return attempt, "flakyfailure"
	case "flakyerror":
		return attempt, "flakyerror"
	case "rerunfailure":
		return attempt, "rerunfailure"
	case "rerunerror":
		return attempt, "rerunerror"
	case "skipped":
		return skipped, "skipped"
	case "disabled":
		return skipped, "disabled"
	case "ignored":
		return skipped, "ignored"
	case "system-out":
		return stream, "system-out"
	case "system-err":
		return stream, "system-err"
	case "properties":
		return harmless, "properties"
	case "property":
		return harmless, "property"
	case "warning": // PHPUnit 9, which ends with 0 when there is nothing worse
		return harmless, "warning"
	}
	return other, ""
}
