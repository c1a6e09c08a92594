package demo

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// tailLines is how many lines of each log an error shows.
	tailLines = 8
	// tailBytes is how much of the end of a log is read for them.
	tailBytes = 16 << 10
)

// logTails are the last lines of all logs in the directory, for an error.
func logTails(directory string) string {
	paths, err := filepath.Glob(filepath.Join(directory, "*.log"))
	if err != nil {
		return ""
	}

	var b strings.Builder

	for _, path := range slices.Sorted(slices.Values(paths)) {
		if lines := lastLines(path); len(lines) > 0 {
			fmt.Fprintf(&b, "\n--- the end of %s\n%s", path, strings.Join(lines, "\n"))
		}
	}

	return b.String()
}

func lastLines(path string) []string {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close() //nolint:errcheck // only read

	if info, err := file.Stat(); err == nil && info.Size() > tailBytes {
		if _, err := file.Seek(-tailBytes, io.SeekEnd); err != nil {
			return nil
		}
	}

	content, err := io.ReadAll(file)
	if err != nil {
		return nil
	}

	text := strings.TrimRight(string(content), "\n")
	if text == "" {
		return nil
	}

	lines := strings.Split(text, "\n")

	return lines[max(0, len(lines)-tailLines):]
}
