package watch

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/labels"
)

// selectorField is the path of the label selector in the requests that have one.
const selectorField = "filter.label_selector"

// selectorSyntax says what would be right.
const selectorSyntax = `right are key=value, key!=value, key in (a, b), key notin (a, b), key, !key, key>1 and key<1, joined by commas`

// parseSelector reads a label selector in Kubernetes' syntax; nil for a blank one, which wants all. The error is a
// FilterError.
func parseSelector(text string) (labels.Selector, error) {
	// Kubernetes' parser takes this character for the end, and would overlook what follows.
	if at := strings.IndexByte(text, 0); at >= 0 {
		return nil, selectorError(text, at, "a NUL character does not belong there")
	}

	selector, err := labels.Parse(text)

	switch {
	case err != nil:
		return nil, locate(text, err)
	case selector.Empty():
		return nil, nil //nolint:nilnil // no condition
	default:
		return selector, nil
	}
}

// locate says which requirement of a selector is wrong, which the parser's error leaves open. It is the first one that is
// wrong by itself.
func locate(text string, whole error) error {
	begin := 0

	for i, requirement := range requirements(text) {
		_, err := labels.Parse(requirement)

		switch {
		case strings.TrimSpace(requirement) == "" && (i > 0 || len(text) > len(requirement)):
			return selectorError(text, begin, "a requirement is missing")
		case err != nil:
			at := begin + len(requirement) - len(strings.TrimLeft(requirement, " \t\r\n"))

			return selectorError(text, at, fmt.Sprintf("%q: %s", start(strings.TrimSpace(requirement)), plain(err)))
		}

		begin += len(requirement) + len(",")
	}

	return selectorError(text, 0, plain(whole))
}

// requirements are the parts between the commas, but for those within parentheses, which separate values.
func requirements(text string) (parts []string) {
	begin, within := 0, false

	for i := range len(text) {
		switch text[i] {
		case '(':
			within = true
		case ')':
			within = false
		case ',':
			if !within {
				parts = append(parts, text[begin:i])
				begin = i + 1
			}
		}
	}

	return append(parts, text[begin:])
}

// plain is what the parser says, without its preliminaries.
func plain(err error) string {
	return start(strings.TrimPrefix(strings.TrimPrefix(err.Error(), "unable to parse requirement: "), "<nil>: "))
}

// start is as much of a text as an error has room for, which travels in the headers of an answer: many clients take no
// more than 8 KiB of these, and it is there twice.
func start(text string) string {
	const most = 100

	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}

	return text
}

// selectorError says what is wrong at a place, which is a number of bytes.
func selectorError(text string, at int, what string) error {
	return FilterError{
		Field:       selectorField,
		Description: fmt.Sprintf("at character %d: %s; %s", utf8.RuneCountInString(text[:at])+1, what, selectorSyntax),
	}
}
