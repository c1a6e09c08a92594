package apivalue

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Labels makes labels fit to be published: the inventory may hold any bytes, and text that is not valid UTF-8 could not be
// sent to anybody. The map may be the one that was given.
func Labels(labels map[string]string) map[string]string {
	if validLabels(labels) {
		return labels
	}

	const unknown = "\uFFFD"

	valid := make(map[string]string, len(labels))

	// In a fixed order, since two names may become one: the same labels must always become the same.
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		valid[strings.ToValidUTF8(name, unknown)] = strings.ToValidUTF8(labels[name], unknown)
	}

	return valid
}

func validLabels(labels map[string]string) bool {
	for name, value := range labels {
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			return false
		}
	}

	return true
}
