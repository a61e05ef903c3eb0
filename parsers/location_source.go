package parsers

import (
	"strconv"
	"strings"
)

// named gives the first place that a text names as file:line (C++, Java, PHP, Ruby, …), as bats does in words, or none.
func named(text string) place {
	for from := 0; ; {
		i := strings.IndexByte(text[from:], ':')
		if i < 0 {
			break
		}
		colon := from + i
		from = colon + 1
		digits := colon + 1
		for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' && digits-colon < 8 {
			digits++
		}
		if digits == colon+1 {
			continue
		}
		begin := colon
		for begin > 0 && pathByte(text[begin-1]) {
			begin--
		}
		file := text[begin:colon]
		if !sourceFile(file) || strings.Contains(file, "/gems/") || strings.Contains(file, "/lib/ruby/") || strings.Contains(file, "/vendor/") {
			continue
		}
		if file = javaFile(text[:begin], file); file == "" {
			continue
		}
		line, err := strconv.Atoi(text[colon+1 : digits])
		if err != nil {
			continue
		}
		return place{file, line}
	}
	if _, rest, ok := strings.Cut(text, "(in test file "); ok { // bats: (in test file x.bats, line 2)
		file, rest, _ := strings.Cut(rest, ", line ")
		number, _, closed := strings.Cut(rest, ")")
		if line, err := strconv.Atoi(number); err == nil && closed && !strings.Contains(file, "\n") {
			return place{file, line}
		}
	}
	return place{}
}

func pathByte(b byte) bool {
	return nameByte(b) && b != ':' || b == '/' || b == '\\' || b == '+' || b == '@' || b == '$' || b == '~'
}

// sourceFile reports whether a file is one that people write tests in, by its ending.
func sourceFile(file string) bool {
	dot := strings.LastIndexByte(file, '.')
	if dot < 1 {
		return false
	}
	switch file[dot+1:] {
	case "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "m", "mm", "swift", "java", "kt", "groovy", "scala", "php", "rb", "t", "pl", "pm",
		"ex", "exs", "lua", "bats", "sh", "cs", "fs", "vb", "dart", "feature", "robot":
		return true
	}
	return false
}

// javaFile gives the file of a frame "at com.x.FooTest.bar(FooTest.java:12)" below its package's folder, "" where the
// frame is of the language or of a test framework, and any other file as it is.
func javaFile(before, file string) string {
	if !strings.HasSuffix(before, "(") || strings.ContainsAny(file, `/\`) {
		return file
	}
	name := before[strings.LastIndexAny(before[:len(before)-1], " \t\n/")+1 : len(before)-1]
	for _, own := range []string{"java.", "javax.", "jdk.", "sun.", "kotlin.", "scala.", "groovy.", "org.codehaus.groovy.", "org.junit.", "junit.", "org.opentest4j.",
		"org.hamcrest.", "org.assertj.", "org.mockito.", "org.testng.", "org.apache.maven.", "org.gradle.", "io.kotest."} {
		if strings.HasPrefix(name, own) {
			return ""
		}
	}
	parts := strings.Split(name, ".")
	if len(parts) < 3 { // package, class, method
		return file
	}
	return strings.Join(parts[:len(parts)-2], "/") + "/" + file
}
