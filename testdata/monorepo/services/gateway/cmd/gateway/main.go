// Command gateway serves parcel quotes over HTTP.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"parcel/gateway/internal/api"
	"parcel/gateway/internal/limit"
	"parcel/gateway/internal/tariff"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gateway:", err)
		os.Exit(1)
	}
}

// run serves until ctx is done, then lets requests under way finish.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("gateway", flag.ContinueOnError)
	flags.SetOutput(out)
	listen := flags.String("listen", "127.0.0.1:8080", "address; port 0 takes a free one")
	file := flags.String("tariff", "tariffs/tariff.csv", "prices")
	burst := flags.Int("burst", 100, "requests at once from one address")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *burst < 1 {
		return fmt.Errorf("burst must be at least 1, not %d", *burst)
	}
	opened, err := os.Open(*file)
	if err != nil {
		return err
	}
	defer opened.Close()
	prices, err := tariff.Read(opened)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "listening on %s\n", listener.Addr())
	server := &http.Server{
		Handler:           api.New(prices, limit.New(*burst, time.Second, time.Now)),
		ReadHeaderTimeout: 5 * time.Second,
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		stopped <- server.Shutdown(last)
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
