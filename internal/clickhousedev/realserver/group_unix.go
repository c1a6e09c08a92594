//go:build unix

package realserver

import "syscall"

// ownGroup puts a child into a process group of its own, so that a Ctrl-C in the terminal does not reach it: it is
// for its parent to stop it.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
