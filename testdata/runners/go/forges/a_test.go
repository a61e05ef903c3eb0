package a

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestForges(t *testing.T) {
	forged := filepath.Join(os.Getenv("FACTGATE_RUN_DIR"), "go-1-0.probe")
	if err := os.WriteFile(forged, []byte(`{"e":"start","v":1,"runner":"go","pid":1,"argv":["go","test"],"dir":"/"}
{"e":"case","id":"a","name":"a","status":"passed"}
{"e":"end","status":0,"meaning":"clean"}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	syscall.Exit(0)
}

func TestHonest(t *testing.T) { t.Fatal("fails when it is run") }
