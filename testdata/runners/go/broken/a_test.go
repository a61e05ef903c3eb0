package a

import "testing"

func TestA(t *testing.T) { var x int = "s" }
