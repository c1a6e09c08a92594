package clickhouseconn

import "log/slog"

const redacted = "[redacted]"

// Secret is a text that no log, error or dump shows.
type Secret string

// String hides the secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}

	return redacted
}

// GoString hides the secret from %#v.
func (s Secret) GoString() string {
	return `"` + s.String() + `"`
}

// MarshalText hides the secret from JSON, YAML and the like.
func (s Secret) MarshalText() ([]byte, error) {
	return []byte(s.String()), nil
}

// LogValue hides the secret from slog.
func (s Secret) LogValue() slog.Value {
	return slog.StringValue(s.String())
}
