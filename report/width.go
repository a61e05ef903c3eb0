package report

import (
	"strings"

	"golang.org/x/text/width"
)

// columnsOf is how many columns of a terminal a printable line takes.
func columnsOf(s string) (n int) {
	for _, r := range s {
		n += columnsOfRune(r)
	}
	return n
}

func columnsOfRune(r rune) int {
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// fit cuts a printable line to n columns, with an ellipsis for what is missing.
func fit(s string, n int) string {
	if columnsOf(s) <= n {
		return s
	}
	var b strings.Builder
	left := n - 1
	for _, r := range s {
		if left -= columnsOfRune(r); left < 0 {
			break
		}
		b.WriteRune(r)
	}
	if n > 0 {
		b.WriteString("…")
	}
	return b.String()
}
