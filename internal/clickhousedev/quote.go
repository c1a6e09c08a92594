package clickhousedev

import "strings"

// quoteString writes a string literal of SQL.
func quoteString(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// quoteName writes a quoted identifier of SQL.
func quoteName(s string) string {
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(s) + "`"
}

// unquote takes a quoted string or identifier apart. Text that is not quoted is returned as it is.
func unquote(s string) string {
	if len(s) < 2 || s[0] != s[len(s)-1] || !strings.ContainsRune("'`\"", rune(s[0])) {
		return s
	}
	quote, inner := s[0], s[1:len(s)-1]
	var b strings.Builder
	for i := 0; i < len(inner); i++ {
		c := inner[i]
		switch {
		case c == '\\' && i+1 < len(inner):
			i++
			b.WriteString(unescape(inner[i]))
		case c == quote && i+1 < len(inner) && inner[i+1] == quote:
			i++
			b.WriteByte(quote)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unescape returns what a character stands for after a backslash.
func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case '0':
		return "\x00"
	case 'b':
		return "\b"
	case 'f':
		return "\f"
	case 'a':
		return "\a"
	case 'v':
		return "\v"
	case '\\', '\'', '"', '`', '/', '=':
		return string(c)
	default:
		return `\` + string(c)
	}
}
