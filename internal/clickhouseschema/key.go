package clickhouseschema

import "regexp"

const maxKeyLength = 253

// keyPattern is the one that the API demands of a service's key.
var keyPattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?/[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)

// ValidKey reports whether a text from a table can be the key of a service, "tenant/name" of at most 253 characters.
func ValidKey(key string) bool {
	return len(key) <= maxKeyLength && keyPattern.MatchString(key)
}
