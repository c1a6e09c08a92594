//go:build unix

package process

import (
	"os"
	"syscall"
)

// terminate asks the process and its children to end. A group that is gone has ended, which is what was wanted.
func terminate(process *os.Process) {
	_ = syscall.Kill(-process.Pid, syscall.SIGTERM)
}

// kill ends the process and its children.
func kill(process *os.Process) {
	_ = syscall.Kill(-process.Pid, syscall.SIGKILL)
}
