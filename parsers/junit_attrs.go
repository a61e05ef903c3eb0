package parsers

import (
	"bytes"
	"strings"

	"factgate/facts"
)

type attr struct {
	value []byte // as it is written
	id    attrID
	name  string // where it means nothing
}

// attrID is an attribute that a reader of JUnit files can make something of.
type attrID uint8

const (
	noAttr attrID = iota
	aName
	aClassname
	aClass
	aFile
	aFilepath
	aLine
	aLineno
	aTime
	aDuration
	aStatus
	aResult
	aMessage
	aType
	aTests
	aFailures
	aErrors
	aSkipped
	aSkip
	aSkips
	aDisabled
	aIgnored
	aPackage
)

// attribute gives an attribute's name without a copy of it, and noAttr for one that means nothing.
func attribute(name []byte) (attrID, string) {
	switch string(name) {
	case "name":
		return aName, "name"
	case "classname":
		return aClassname, "classname"
	case "class":
		return aClass, "class"
	case "file":
		return aFile, "file"
	case "filepath":
		return aFilepath, "filepath"
	case "line":
		return aLine, "line"
	case "lineno":
		return aLineno, "lineno"
	case "time":
		return aTime, "time"
	case "duration":
		return aDuration, "duration"
	case "status":
		return aStatus, "status"
	case "result":
		return aResult, "result"
	case "message":
		return aMessage, "message"
	case "type":
		return aType, "type"
	case "tests":
		return aTests, "tests"
	case "failures":
		return aFailures, "failures"
	case "errors":
		return aErrors, "errors"
	case "skipped":
		return aSkipped, "skipped"
	case "skip":
		return aSkip, "skip"
	case "skips":
		return aSkips, "skips"
	case "disabled":
		return aDisabled, "disabled"
	case "ignored":
		return aIgnored, "ignored"
	case "package":
		return aPackage, "package"
	}
	return noAttr, ""
}

// spelt gives the attribute of a name in any spelling.
func spelt(name []byte) attrID {
	if id, _ := attribute(name); id != noAttr {
		return id
	}
	for _, b := range name {
		if b == ':' || b >= 'A' && b <= 'Z' {
			id, _ := attribute([]byte(lower(name)))
			return id
		}
	}
	return noAttr
}

// lower gives a name in lower case and without its prefix.
func lower(name []byte) string {
	name = name[bytes.LastIndexByte(name, ':')+1:]
	return strings.ToLower(string(name))
}

// frequent gives the attribute that p begins with and the length of its name, if it is one of the three that nearly every
// case has.
func frequent(p []byte) (attrID, int) {
	switch {
	case len(p) < len("classname="):
	case string(p[:5]) == "name=":
		return aName, 4
	case string(p[:10]) == "classname=":
		return aClassname, 9
	case string(p[:5]) == "time=":
		return aTime, 4
	}
	return noAttr, 0
}

// damning reports whether a value is a word for failure, in the spelling of a status.
func damning(v []byte) bool {
	if len(v) < 4 || len(v) > 9 {
		return false
	}
	switch v[0] | 0x20 {
	case 'f', 'e', 'b', 'c', 'a', 't':
		s, known := statusWord(strings.ToLower(string(v)))
		return known && (s == facts.Failed || s == facts.Errored)
	}
	return false
}
