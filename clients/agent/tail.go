package agent

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// tail keeps the end of what is written to it, in little memory. One goroutine may write; text is for when it has ended.
type tail struct{ kept []byte }

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p[max(0, len(p)-maxStderr):]...)

	if cut := len(t.kept) - maxStderr; cut > 0 {
		t.kept = append(t.kept[:0], t.kept[cut:]...)
	}

	return len(p), nil
}

// text is what was kept, without a character that was cut in two, as valid UTF-8.
func (t *tail) text() string {
	kept := t.kept
	for len(t.kept) == maxStderr && len(kept) > 0 && !utf8.RuneStart(kept[0]) {
		kept = kept[1:]
	}

	return strings.ToValidUTF8(string(bytes.TrimSpace(kept)), "\uFFFD")
}
