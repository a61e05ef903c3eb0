package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// page is the page with the table, below the root of the source.
const page = "docs/reliability.md"

// Where the table stands in the page: between these lines, which stay.
const (
	tableBegin = "<!-- rows: go run ./campaign -write -->\n"
	tableEnd   = "<!-- end -->\n"
)

// writePage puts the table of all rows and of how they ended into the page.
func writePage(root string, results map[string]string) error {
	path := filepath.Join(root, filepath.FromSlash(page))
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, after, err := aroundTable(string(text))
	if err != nil {
		return err
	}
	all, err := rows()
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(before+tableOf(all, results)+after), 0o644)
}

// aroundTable is the page without its table; the marks stay with it.
func aroundTable(text string) (before, after string, err error) {
	i, j := strings.Index(text, tableBegin), strings.LastIndex(text, tableEnd)
	if i < 0 || j < i {
		return "", "", fmt.Errorf("%s has no place for the table", page)
	}
	return text[:i+len(tableBegin)], text[j:], nil
}

// tableOf prints rows, one table for each area.
func tableOf(all []row, results map[string]string) string {
	var b strings.Builder
	var areas []string
	for _, r := range all {
		if a := areaOf(r); !slices.Contains(areas, a) {
			areas = append(areas, a)
		}
	}
	for _, a := range areas {
		fmt.Fprintf(&b, "\n### %s\n\n| row | fault | what must hold | last run |\n| --- | --- | --- | --- |\n", strings.ToUpper(a[:1])+a[1:])
		for _, r := range all {
			if areaOf(r) == a {
				fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.ID, cell(r.Fault), cell(r.Holds), cell(results[r.ID]))
			}
		}
	}
	return b.String() + "\n"
}

func areaOf(r row) string { return r.ID[:strings.IndexByte(r.ID, '.')] }

func cell(s string) string {
	if s == "" {
		return "not run"
	}
	for _, sign := range []string{"|", "*", "_", "<", "["} {
		s = strings.ReplaceAll(s, sign, "\\"+sign)
	}
	return s
}
