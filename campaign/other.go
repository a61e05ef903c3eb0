//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "campaign: it counts what survives in a PID namespace, which only Linux has")
	os.Exit(2)
}
