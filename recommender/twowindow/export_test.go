package twowindow

import "github.com/tidemark-project/tidemark/recommender"

// Cell returns what the merge table says, in words.
func Cell(large, small recommender.Direction) string {
	return map[rule]string{trustLarge: "L", trustSmall: "S", hunt: "hunt", contradiction: "impossible"}[ruleFor(large, small)]
}
