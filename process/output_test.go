//go:build linux

package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"factgate/facts"
)

func TestOutput(t *testing.T) {
	ask := func(limit int64, argv ...string) (string, int, *HelperError) {
		out, code, err := Output(t.Context(), "/", os.Environ(), argv, limit)
		var e *HelperError
		if err != nil && !errors.As(err, &e) {
			t.Fatal(err)
		}
		return string(out), code, e
	}
	if out, code, err := ask(100, "sh", "-c", "cat; pwd; echo noise >&2"); out != "/\n" || code != 0 || err != nil {
		t.Errorf("%q %d %v", out, code, err)
	}
	if out, code, err := ask(3, "printf", "abc"); out != "abc" || code != 0 || err != nil {
		t.Errorf("%q %d %v", out, code, err)
	}
	if out, _, err := ask(3, "printf", "abcd"); out != "abc" || err == nil || !err.TooLong {
		t.Errorf("%q %v", out, err)
	}
	if _, _, err := ask(3, "yes"); err == nil || !err.TooLong {
		t.Errorf("%v", err)
	}
	out, code, err := ask(100, "sh", "-c", "echo out; head -c 9000 /dev/zero >&2; echo reason >&2; exit 3")
	if out != "out\n" || code != 3 || err == nil || err.Code != 3 || len(err.Stderr) != 4096 || !strings.HasSuffix(err.Error(), "reason") {
		t.Errorf("%q %d %v", out, code, err)
	}
	if _, code, err := ask(100, "sh", "-c", "kill -9 $$"); code != -1 || err == nil || err.Signal != "SIGKILL" {
		t.Errorf("%d %v", code, err)
	}
	if _, code, err := ask(100, "no-such-helper"); code != -1 || err == nil || err.Start != facts.NotFound {
		t.Errorf("%d %v", code, err)
	}
	if out, code, err := ask(100, "sh", "-c", "sleep 600 & echo done"); out != "done\n" || code != 0 || err != nil {
		t.Errorf("%q %d %v", out, code, err)
	}
}

func TestOutputIsStopped(t *testing.T) {
	working := filepath.Join(t.TempDir(), "working")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(working); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, code, err := Output(ctx, "", os.Environ(), []string{"sh", "-c", "trap '' TERM INT; touch " + working + "; sleep 600; sleep 600"}, 100)
	if code != -1 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d %v", code, err)
	}
}
