package statement

import "strings"

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	// tokenWord is a bare identifier, a keyword or a number.
	tokenWord
	// tokenQuoted is a string or a quoted identifier.
	tokenQuoted
	// tokenSymbol is any other character.
	tokenSymbol
)

// token is a piece of a statement, from one offset to another.
type token struct {
	kind       tokenKind
	start, end int
}

// lexer splits a statement into tokens. It leaves out space and comments.
type lexer struct {
	text string
	pos  int
}

// next returns the next token, and at the end of the text, again and again, one of kind tokenEnd.
func (l *lexer) next() token {
	l.skipSpace()
	start := l.pos
	if start >= len(l.text) {
		return token{kind: tokenEnd, start: start, end: start}
	}
	switch c := l.text[start]; {
	case c == '\'' || c == '`' || c == '"':
		l.pos = l.closing(start)
		return token{kind: tokenQuoted, start: start, end: l.pos}
	case c == '$':
		if end := l.heredoc(start); end > 0 {
			l.pos = end
			return token{kind: tokenQuoted, start: start, end: end}
		}
	case isWord(c):
		for l.pos < len(l.text) && isWord(l.text[l.pos]) {
			l.pos++
		}
		return token{kind: tokenWord, start: start, end: l.pos}
	}
	l.pos++
	return token{kind: tokenSymbol, start: start, end: l.pos}
}

// peek returns the token that next will return.
func (l *lexer) peek() token {
	ahead := *l
	return ahead.next()
}

func (l *lexer) skipSpace() {
	for l.pos < len(l.text) {
		rest := l.text[l.pos:]
		switch {
		case isSpace(rest[0]):
			l.pos++
		case strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "#!"), strings.HasPrefix(rest, "# "):
			l.pos += until(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			l.pos += 2 + until(rest[2:], "*/")
		default:
			return
		}
	}
}

// closing returns the offset after the quote that closes the one at start, or the end of the text.
func (l *lexer) closing(start int) int {
	quote := l.text[start]
	for i := start + 1; i < len(l.text); i++ {
		switch l.text[i] {
		case '\\':
			i++
		case quote:
			if i+1 == len(l.text) || l.text[i+1] != quote {
				return i + 1
			}
			// A doubled quote stands for itself.
			i++
		}
	}
	return len(l.text)
}

// heredoc returns the end of a string such as $tag$...$tag$, or 0 if there is none at start.
func (l *lexer) heredoc(start int) int {
	i := start + 1
	for i < len(l.text) && isWord(l.text[i]) {
		i++
	}
	if i >= len(l.text) || l.text[i] != '$' {
		return 0
	}
	tag := l.text[start : i+1]
	return i + 1 + until(l.text[i+1:], tag)
}

// until returns the number of bytes up to and with the first stop, or all if there is none.
func until(s, stop string) int {
	if i := strings.Index(s, stop); i >= 0 {
		return i + len(stop)
	}
	return len(s)
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}
