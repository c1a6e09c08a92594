//go:build unix

package agent

import (
	"os"
	"syscall"
)

// ownGroup makes a process the first of its own group. Its children are in that group unless they leave it.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// signalGroup sends a signal to the process and all others of its group. There may be none left.
func signalGroup(process *os.Process, signal syscall.Signal) { _ = syscall.Kill(-process.Pid, signal) }
