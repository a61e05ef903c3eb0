package process

import (
	"fmt"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

const (
	sigTerm = syscall.SIGTERM
	sigKill = syscall.SIGKILL
)

// child is a program that we started and whose handle is open.
type child struct {
	pid       int
	handle    windows.Handle
	job       windows.Handle // 0 for ourGroup
	startedAt time.Time
	endedAt   time.Time     // valid once ended is closed
	ended     chan struct{} // closed when it has ended
}

// Adopt prepares this process for starting runs; on Windows nothing needs it.
func Adopt() {}

// start starts a program with the three files as its standard ones; nil is ours. It begins suspended, so that nothing it starts can
// stand outside its job. The caller must reap it.
func start(p program, files []*os.File, h how) (*child, error) {
	c := &child{ended: make(chan struct{}), startedAt: time.Now()}
	sys := &syscall.SysProcAttr{}
	if h.relation != ourGroup {
		sys.CreationFlags = windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP
	}
	handles := []uintptr{uintptr(syscall.Stdin), uintptr(syscall.Stdout), uintptr(syscall.Stderr)}
	for i, f := range files {
		if f != nil {
			handles[i] = f.Fd()
		}
	}
	pid, handle, err := syscall.StartProcess(p.path, p.argv, &syscall.ProcAttr{Dir: p.dir, Env: p.env, Sys: sys, Files: handles})
	if err != nil {
		return nil, explain(p, err)
	}
	c.pid, c.handle = pid, windows.Handle(handle)
	if h.relation != ourGroup {
		if err := c.confine(); err != nil {
			_ = windows.TerminateProcess(c.handle, 1)
			windows.CloseHandle(c.handle)
			return nil, fmt.Errorf("%s: %w", p.argv[0], err)
		}
	}
	go func() {
		_, _ = windows.WaitForSingleObject(c.handle, windows.INFINITE)
		c.endedAt = time.Now()
		close(c.ended)
	}()
	return c, nil
}

// confine puts the suspended child into a job that ends with our handle, and lets it run.
func (c *child) confine() error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return fmt.Errorf("create a job: %w", err)
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, c.handle)
	}
	if err == nil {
		resume := windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")
		if err = resume.Find(); err == nil {
			if status, _, _ := resume.Call(uintptr(c.handle)); status != 0 {
				err = windows.NTStatus(status)
			}
		}
	}
	if err != nil {
		windows.CloseHandle(job)
		return fmt.Errorf("put it into a job: %w", err)
	}
	c.job = job
	return nil
}

func (c *child) over() bool {
	event, err := windows.WaitForSingleObject(c.handle, 0)
	return err == nil && event == windows.WAIT_OBJECT_0
}

// signalGroup ends the job for SIGKILL; any other signal is a Ctrl-Break to the console group.
func (c *child) signalGroup(sig syscall.Signal) {
	if sig == sigKill && c.job != 0 {
		_ = windows.TerminateJobObject(c.job, 1)
		return
	}
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(c.pid))
}

// sweep ends what is left in the job. Programs that may outlive a run are not told apart here.
func (c *child) sweep(_ []string, limit time.Duration) (strays, left int, alone []string) {
	strays = c.active()
	for deadline := time.Now().Add(limit); ; time.Sleep(time.Millisecond) {
		c.signalGroup(sigKill)
		if left = c.active(); left == 0 || time.Now().After(deadline) {
			return strays - left, left, nil
		}
	}
}

// active is how many processes of the job run.
func (c *child) active() int {
	var info struct { // JOBOBJECT_BASIC_ACCOUNTING_INFORMATION
		_                   [4]int64 // times
		_, _, active, ended uint32
	}
	err := windows.QueryInformationJobObject(c.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	if err != nil {
		return 0
	}
	return int(info.active)
}

// reap returns the code of a child that has ended, 32 bits without a sign.
func (c *child) reap() (code int, signal string) {
	var status uint32
	err := windows.GetExitCodeProcess(c.handle, &status)
	windows.CloseHandle(c.handle)
	if c.job != 0 {
		windows.CloseHandle(c.job)
	}
	if err != nil {
		return -1, ""
	}
	return int(status), ""
}

func politely(sig syscall.Signal) []syscall.Signal { return []syscall.Signal{sig} }

func signalName(sig syscall.Signal) string {
	switch sig {
	case syscall.SIGHUP:
		return "SIGHUP"
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGQUIT:
		return "SIGQUIT"
	case syscall.SIGKILL:
		return "SIGKILL"
	case syscall.SIGTERM:
		return "SIGTERM"
	}
	return fmt.Sprintf("SIG%d", int(sig))
}
