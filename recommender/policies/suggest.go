package policies

import "strings"

// nearest returns the known name that was probably meant, and "" when none is near.
func nearest(name string, known []string) string {
	best, least := "", max(len(name)/3, 1)+1

	for _, candidate := range known {
		if distance := editDistance(strings.ToLower(name), candidate); distance < least {
			best, least = candidate, distance
		}
	}

	return best
}

// didYouMean says what is known in place of a name that is not.
func didYouMean(name string, known []string) string {
	candidate := nearest(name, known)
	if candidate == "" {
		return "write " + alternatives(known)
	}

	return "did you mean " + candidate + "?"
}

// alternatives lists names: "a, b or c".
func alternatives(names []string) string {
	last := len(names) - 1
	if last <= 0 {
		return strings.Join(names, "")
	}

	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// maxNameLength bounds the work that a very long name makes.
const maxNameLength = 64

// editDistance is how many letters have to be put in, taken out or replaced to make one word of the other; Levenshtein's
// algorithm.
func editDistance(a, b string) int {
	if len(a) > maxNameLength || len(b) > maxNameLength {
		return maxNameLength
	}

	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}

	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1

		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = min(diagonal, row[j], row[j+1]) + 1
			}

			diagonal, row[j+1] = row[j+1], cost
		}
	}

	return row[len(b)]
}
