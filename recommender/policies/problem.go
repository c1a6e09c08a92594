package policies

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-project/tidemark/recommender/policy"
)

// Problem is one thing that is wrong with a policy file.
type Problem struct {
	// File is the name that Parse was given.
	File string
	// Line and Column are where, from 1.
	Line, Column int
	// Field is the field as the file spells it, "policies[0].min.cpu"; empty when no field is to blame.
	Field string
	// Description is what is wrong, and what would be right.
	Description string
}

// String returns the problem in one line: "fleet.yaml:7:12: policies[0].min.cpu: ...".
func (p Problem) String() string {
	text := fmt.Sprintf("%s:%d:%d: ", p.File, p.Line, p.Column)
	if p.Field != "" {
		text += p.Field + ": "
	}

	return text + p.Description
}

// ParseError is everything that is wrong with a policy file.
type ParseError struct {
	// Problems are in the order of the lines; of very many, the ones that were found first.
	Problems []Problem
	// More is how many there are besides.
	More int
}

// maxProblems is how many problems are kept: more are seldom more than one, many times.
const maxProblems = 200

// Error returns one line for each problem.
func (e *ParseError) Error() string {
	lines := make([]string, 0, len(e.Problems))
	for _, p := range e.Problems {
		lines = append(lines, p.String())
	}

	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.More))
	}

	return strings.Join(lines, "\n")
}

// reader collects what is wrong while a file is read.
type reader struct {
	file  string
	found []Problem
	more  int
	seen  map[Problem]bool
	// inDefaults are the problems that the defaults have by themselves.
	inDefaults map[policy.FieldError]bool
	// made are the recommenders that have been made, by name and parameters.
	made map[string]built
	// comparisons is how many pairs of policies may still be compared.
	comparisons int
}

// maxComparisons bounds the search for policies that never apply, whose work grows with the square of their number. It
// is enough to compare a thousand policies with each other.
const maxComparisons = 500_000

func newReader(file string) *reader {
	return &reader{
		file: file, seen: map[Problem]bool{}, inDefaults: map[policy.FieldError]bool{}, made: map[string]built{},
		comparisons: maxComparisons,
	}
}

// noted is how many problems have been noted.
func (r *reader) noted() int { return len(r.found) + r.more }

// failf notes a problem of a node.
func (r *reader) failf(n *node, format string, args ...any) {
	r.failAtf(n.line, n.column, n.path, format, args...)
}

// failAtf notes a problem of a place. What was noted before is not noted again: what is wrong in the defaults is met once
// for each policy that inherits it.
func (r *reader) failAtf(line, column int, field, format string, args ...any) {
	p := Problem{
		File: r.file, Line: max(line, 1), Column: max(column, 1), Field: field, Description: fmt.Sprintf(format, args...),
	}

	switch {
	case r.seen[p]:
	case len(r.found) == maxProblems:
		r.more++
	default:
		r.seen[p] = true
		r.found = append(r.found, p)
	}
}

// failedIn reports that a field, or one inside of it, has one of the first problems.
func (r *reader) failedIn(path string, first int) bool {
	return slices.ContainsFunc(r.found[:first], func(p Problem) bool {
		rest, inside := strings.CutPrefix(p.Field, path)

		return inside && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// err returns what was found in the order of lines, and nil when all is well.
func (r *reader) err() error {
	if len(r.found) == 0 {
		return nil
	}

	slices.SortStableFunc(r.found, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})

	return &ParseError{Problems: r.found, More: r.more}
}
