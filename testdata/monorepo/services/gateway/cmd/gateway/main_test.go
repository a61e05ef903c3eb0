package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestServesAndStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, []string{"-listen", "127.0.0.1:0", "-tariff", "../../../../tariffs/tariff.csv"}, writer)
	}()
	line, err := bufio.NewReader(reader).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	answer, err := http.Get("http://" + address + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Error(answer.Status)
	}
	http.DefaultClient.CloseIdleConnections()
	stop()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not stop")
	}
}

func TestDoesNotStart(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "leer & öde.csv")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"unknown flag":  {"-port", "1"},
		"no file":       {"-tariff", empty + ".missing"},
		"empty file":    {"-tariff", empty},
		"no burst":      {"-burst", "0"},
		"no such place": {"-tariff", "../../../../tariffs/tariff.csv", "-listen", "127.0.0.1:http:http"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := run(context.Background(), args, &out); err == nil {
				t.Error("no error")
			}
			if strings.Contains(out.String(), "listening") {
				t.Error(out.String())
			}
		})
	}
}
