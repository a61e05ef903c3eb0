package a

import (
	"syscall"
	"testing"
)

func TestOk(t *testing.T) {}

func TestExits(t *testing.T) { syscall.Exit(0) }

func TestBad(t *testing.T) { t.Fatal("never seen") }
