package realserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Versions of ClickHouse from which on a server has what the product needs.
const (
	MinMajor = 22
	MinMinor = 3
)

// versionTimeout bounds the time that a program may take to say its version.
const versionTimeout = 10 * time.Second

// program is the name of the program that contains all of ClickHouse's tools.
const program = "clickhouse"

// noVersionOption is what servers say that are too old to tell their version.
const noVersionOption = "Unknown option specified: version"

// ErrNotFound says that there is no server on this machine.
var ErrNotFound = errors.New("no ClickHouse server on PATH")

// Binary is a program that can run as a ClickHouse server.
type Binary struct {
	Path string
	// Args come before all others: one program contains all of ClickHouse's tools.
	Args []string
	// Version is as the program puts it, such as "24.3.1.2672".
	Version      string
	Major, Minor int
}

// Recent reports whether the server has what the product needs.
func (b Binary) Recent() bool {
	return b.Major > MinMajor || b.Major == MinMajor && b.Minor >= MinMinor
}

// Find returns a server that is recent enough, or ErrNotFound. It logs those that are too old.
func Find(ctx context.Context, log *slog.Logger) (Binary, error) {
	for _, b := range candidates(ctx) {
		if b.Recent() {
			return b, nil
		}
		log.Info("ClickHouse server too old, not used", slog.String("path", b.Path),
			slog.String("version", b.Version), slog.String("needed", fmt.Sprintf("%d.%d", MinMajor, MinMinor)))
	}
	return Binary{}, fmt.Errorf("%w (version %d.%d or newer)", ErrNotFound, MinMajor, MinMinor)
}

// FindOld returns a server that is older than Find's, such as Debian's, or ErrNotFound.
func FindOld(ctx context.Context) (Binary, error) {
	for _, b := range candidates(ctx) {
		if !b.Recent() {
			return b, nil
		}
	}
	return Binary{}, fmt.Errorf("%w (Debian's: apt-get install clickhouse-server)", ErrNotFound)
}

// candidates returns the servers on PATH and in the directory where Debian has its own.
func candidates(ctx context.Context) []Binary {
	var found []Binary
	for _, name := range []string{program, program + "-server"} {
		path, err := exec.LookPath(name)
		if err != nil {
			path = filepath.Join("/usr/sbin", name)
			if _, err := os.Stat(path); err != nil {
				continue
			}
		}
		b := Binary{Path: path}
		if name == program {
			b.Args = []string{"server"}
		}
		if b, err = b.withVersion(ctx); err == nil {
			found = append(found, b)
		}
	}
	return found
}

// versionPattern matches what the program says of itself: "ClickHouse server version 24.3.1.2672".
var versionPattern = regexp.MustCompile(`version ((\d+)\.(\d+)[.\d]*\d)`)

// withVersion asks the program for its version.
func (b Binary) withVersion(ctx context.Context) (Binary, error) {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	args := append(append([]string(nil), b.Args...), "--version")
	out, err := exec.CommandContext(ctx, b.Path, args...).CombinedOutput() //nolint:gosec // Programs of fixed names.
	if strings.Contains(string(out), noVersionOption) {
		b.Version = "older than 19"
		return b, nil
	}
	if err != nil {
		return b, fmt.Errorf("%s --version: %w", b.Path, err)
	}
	m := versionPattern.FindSubmatch(out)
	if m == nil {
		return b, fmt.Errorf("%s --version: no version in %.100q", b.Path, out)
	}
	b.Version = string(m[1])
	major, majorErr := strconv.Atoi(string(m[2]))
	minor, minorErr := strconv.Atoi(string(m[3]))
	b.Major, b.Minor = major, minor
	return b, errors.Join(majorErr, minorErr)
}
