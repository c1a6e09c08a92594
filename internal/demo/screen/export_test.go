package screen

import (
	"io"
)

// Colourful lets tests see the decision, and NewColoured pass it by.
var (
	Colourful   = colourful
	NewColoured = func(out io.Writer) *Screen { return onWriter(out, true) }
)
