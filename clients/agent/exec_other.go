//go:build !unix

package agent

import (
	"os"
	"syscall"
)

// ownGroup does nothing: this system has no process groups.
func ownGroup() *syscall.SysProcAttr { return nil }

// signalGroup ends the process, the only way that this system has.
func signalGroup(process *os.Process, _ syscall.Signal) { _ = process.Kill() }
