//go:build !unix

package process

import (
	"os"
	"syscall"
)

func attributes() *syscall.SysProcAttr { return nil }

// terminate kills: there is no gentle way that every system has.
func terminate(process *os.Process) { kill(process) }

func kill(process *os.Process) {
	_ = process.Kill()
}
