//go:build linux && (amd64 || arm64) && !nochdb

package chdb

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

// sigaction is large enough for the C library's structure of that name.
type sigaction [256]byte

// taken are the signals whose handlers libchdb replaces. SIGINT and SIGTERM are not among them.
func taken() []syscall.Signal {
	return []syscall.Signal{
		syscall.SIGABRT, syscall.SIGSEGV, syscall.SIGILL, syscall.SIGBUS,
		syscall.SIGSYS, syscall.SIGFPE, syscall.SIGTSTP, syscall.SIGTRAP,
	}
}

// keepHandlers notes the handlers of the signals that libchdb takes and returns a function that puts them back.
func keepHandlers() (restore func(), err error) {
	libc, err := purego.Dlopen("libc.so.6", purego.RTLD_NOW)
	if err != nil {
		return nil, fmt.Errorf("load the C library: %w", err)
	}
	address, err := purego.Dlsym(libc, "sigaction")
	if err != nil {
		return nil, fmt.Errorf("find sigaction: %w", err)
	}
	var set func(sig syscall.Signal, action, old unsafe.Pointer) int32
	purego.RegisterFunc(&set, address)

	signals := taken()
	before := make([]sigaction, len(signals))
	for i, sig := range signals {
		if set(sig, nil, unsafe.Pointer(&before[i])) != 0 {
			return nil, errors.New("cannot read the handler of " + sig.String())
		}
	}
	return func() {
		for i, sig := range signals {
			// It cannot fail: the same call has just read this handler.
			set(sig, unsafe.Pointer(&before[i]), nil)
		}
	}, nil
}
