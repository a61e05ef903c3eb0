//go:build linux || darwin

package process

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Supervise is the whole of main where args, the process's own, say that it was started as a supervisor: then it does not
// return. It comes before all else in main, since every run waits for it.
func Supervise(args []string) {
	if len(args) != 1 || args[0] != supervisorName {
		return
	}
	runtime.LockOSThread() // the leader dies with the thread that started it, and this one lasts as long as the process
	unix.Exit(supervise())
}

// supervise carries one task out and reports its ending. The code that it returns is for those who look at the process.
func supervise() int {
	Adopt()
	calm()
	nameProcess()
	orders := bufio.NewReader(os.NewFile(ordersFD, "orders"))
	report := json.NewEncoder(os.NewFile(reportFD, "report"))
	out := os.NewFile(outputFD, "output")
	counted := make(chan memory, 1)
	go func() { counted <- memoryKills() }() // slow to read; no run is short of memory before it has begun
	line, err := orders.ReadBytes('\n')
	if err != nil {
		return 2
	}
	var t task
	if json.Unmarshal(line, &t) != nil {
		return 2
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	hard := make(chan struct{})
	go obey(orders, cancel, hard)
	begun := func(pid int) { _ = report.Encode(pid) } // nobody hears it: the orders end, too
	exit := attend(ctx, t.program(), t.spec(hard), out, counted, begun)
	if exit.StartError != "" {
		begun(0)
	}
	if report.Encode(reported{exit, exit.Ended}) != nil {
		return 1
	}
	return 0
}

// calm keeps the signals that end a whole session of the user's, a machine that goes down for one, from ending the
// supervisor before its run: they reach the first half, too, which gives the orders.
func calm() {
	dropped := make(chan os.Signal, 1) // never read
	signal.Notify(dropped, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
}

// obey follows orders until there are no more: then the first half is gone, and the run is killed.
func obey(orders io.ByteReader, cancel context.CancelCauseFunc, hard chan<- struct{}) {
	defer close(hard)
	for {
		order, err := orders.ReadByte()
		switch {
		case err != nil || order == orderKill:
			return
		case order == orderStop:
			cancel(nil)
		default:
			cancel(Stopped{syscall.Signal(order)})
		}
	}
}
