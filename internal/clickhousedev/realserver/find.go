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
	for _, name := range []string{"clickhouse", "clickhouse-server"} {
		path, err := exec.LookPath(name)
		if err != nil {
			path = filepath.Join("/usr/sbin", name)
			if _, err := os.Stat(path); err != nil {
				continue
			}
		}
		b := Binary{Path: path}
		if name == "clickhouse" {
			b.Args = []string{"server"}
		}
		if b.readVersion(ctx) == nil {
			found = append(found, b)
		}
	}
	return found
}

// versionPattern matches what the program says of itself: "ClickHouse server version 18.16.1."
var versionPattern = regexp.MustCompile(`version ((\d+)\.(\d+)[.\d]*\d)`)

func (b *Binary) readVersion(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	args := append(append([]string(nil), b.Args...), "--version")
	out, err := exec.CommandContext(ctx, b.Path, args...).CombinedOutput() //nolint:gosec // Programs of fixed names.
	if strings.Contains(string(out), noVersionOption) {
		b.Version = "older than 19"
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s --version: %w", b.Path, err)
	}
	return b.parseVersion(string(out))
}

func (b *Binary) parseVersion(out string) error {
	m := versionPattern.FindStringSubmatch(out)
	if m == nil {
		return fmt.Errorf("%s --version: no version in %.100q", b.Path, out)
	}
	var err error
	b.Version = m[1]
	if b.Major, err = strconv.Atoi(m[2]); err != nil {
		return fmt.Errorf("%s --version: %w", b.Path, err)
	}
	if b.Minor, err = strconv.Atoi(m[3]); err != nil {
		return fmt.Errorf("%s --version: %w", b.Path, err)
	}
	return nil
}
