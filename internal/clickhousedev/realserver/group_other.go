//go:build !unix

package realserver

import "syscall"

// ownGroup does nothing: this system has no process groups.
func ownGroup() *syscall.SysProcAttr { return nil }
