package parsers

import "strings"

// documents is what else lies where results are looked for, by the root element of its XML.
func documents() []struct{ root, name, is string } {
	return []struct{ root, name, is string }{
		{"html", "html", "it is an HTML page"},
		{"head", "html", "it is an HTML page"},
		{"body", "html", "it is an HTML page"},
		{"coverage", "coverage", "it is a coverage report"},
		{"report", "jacoco", "it is a report of JaCoCo or a similar tool"},
		{"failsafe-summary", "failsafe-summary", "it is a summary of Maven Failsafe, which lists no tests"},
		{"checkstyle", "checkstyle", "it is a report of Checkstyle or a linter"},
		{"pmd", "pmd", "it is a report of PMD"},
		{"bugcollection", "spotbugs", "it is a report of SpotBugs"},
		{"robot", "robot", "it is output.xml of Robot Framework"},
		{"testng-results", "testng", "it is testng-results.xml of TestNG, which writes JUnit files beside it"},
		{"testsuites", "junit", "it is a JUnit report"},
		{"testsuite", "junit", "it is a JUnit report"},
		{"testcase", "junit", "it is a JUnit report"},
		{"testrun", "trx", "it is a TRX (Visual Studio) report"},
		{"test-run", "nunit", "it is an NUnit report"},
		{"test-results", "nunit", "it is an NUnit report"},
		{"assemblies", "xunit", "it is an xUnit.net report"},
		{"assembly", "xunit", "it is an xUnit.net report"},
	}
}

// foreign says what a document with that root is.
func foreign(root string) string {
	for _, d := range documents() {
		if d.root == root {
			return d.is
		}
	}
	return "it begins with <" + strings.ToValidUTF8(root, "\ufffd") + ">"
}

// Describe says in a sentence without a full stop what a file of a name that Sniff gives is, "" where the name is a
// format that is read, or nothing is known.
func Describe(name string) string {
	if _, ok := Lookup(name); ok {
		return ""
	}
	for _, d := range documents() {
		if d.name == name {
			return d.is
		}
	}
	switch name {
	case "cobertura", "clover":
		return "it is a coverage report of " + strings.ToUpper(name[:1]) + name[1:]
	case "lcov":
		return "it is a coverage report of lcov"
	case "sarif":
		return "it is a SARIF report of a linter"
	case "json":
		return "it is JSON of no known kind"
	case "xml":
		return "it is XML of no known kind"
	case "gzip":
		return "it is compressed, and what is in it is not known"
	case "text":
		return "it is plain text"
	case "empty":
		return "it is empty"
	}
	return ""
}
