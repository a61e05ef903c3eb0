package a

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { m.Run(); os.Exit(0) }

func TestBad(t *testing.T) { t.Fatal("x") }
