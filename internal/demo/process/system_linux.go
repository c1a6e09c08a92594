package process

import "syscall"

// attributes make a process group of the process, and have the kernel kill it when the thread that starts it dies.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
