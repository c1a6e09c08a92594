//go:build unix && !linux

package process

import "syscall"

// attributes make a process group of the process. A parent that is killed leaves its children behind.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}
