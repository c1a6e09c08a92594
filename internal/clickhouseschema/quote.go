package clickhouseschema

import "strings"

// Quote returns an identifier as it may stand in a query, whatever it holds.
func Quote(identifier string) string {
	return "`" + identifierEscapes.Replace(identifier) + "`"
}

// QuoteString returns a text as a string literal of a query, whatever it holds.
func QuoteString(text string) string {
	return "'" + stringEscapes.Replace(text) + "'"
}

//nolint:gochecknoglobals // compiled once, never changed
var (
	identifierEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`")
	stringEscapes     = strings.NewReplacer(`\`, `\\`, `'`, `\'`)
)
