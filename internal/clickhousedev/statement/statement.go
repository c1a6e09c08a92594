package statement

import (
	"errors"
	"strings"
)

// Kind says how a statement is run.
type Kind uint8

const (
	// Other statements, such as DDL, usually have no rows.
	Other Kind = iota
	// Select is a query whose rows may be many, and which can stand in brackets.
	Select
	// Show is a statement with few rows that is not a SELECT: SHOW, DESCRIBE, EXISTS and the like.
	Show
	// Set changes settings of the session.
	Set
	// Insert writes rows to a table.
	Insert
	// Refused statements would end the process that the engine lives in.
	Refused
)

var (
	// ErrMultiple says that there is more than one statement.
	ErrMultiple = errors.New("Multi-statements are not allowed") //nolint:staticcheck // ClickHouse's own words.
	// ErrEmpty says that there is no statement.
	ErrEmpty = errors.New("Empty query") //nolint:staticcheck // ClickHouse's own words.
)

// Statement is what Parse found out about a statement.
type Statement struct {
	Kind Kind
	// Text is the statement without a FORMAT clause, if it has rows, and without the semicolon.
	Text string
	// Insert is set if Kind is Insert.
	Insert InsertParts
}

// Parse looks at a statement.
func Parse(text string) (Statement, error) {
	l := &lexer{text: text}
	first := l.peek()
	if first.kind == tokenEnd || l.is(first, ";") {
		return Statement{}, ErrEmpty
	}
	s := Statement{Kind: l.kind()}
	if s.Kind == Insert {
		if parts, ok := parseInsert(text); ok {
			s.Insert, s.Text = parts, text
			return s, nil
		}
		s.Kind = Other
	}
	end, format, err := scan(text)
	if err != nil {
		return s, err
	}
	s.Text = text[:end]
	if format.kind != tokenEnd && (s.Kind == Select || s.Kind == Show) {
		s.Text = text[:format.start] + text[format.end:end]
	}
	return s, nil
}

// kind tells the kind of a statement by its first words.
func (l *lexer) kind() Kind {
	ahead := *l
	words := make([]string, 0, 3)
	for range 3 {
		t := ahead.next()
		words = append(words, strings.ToUpper(ahead.text[t.start:t.end]))
	}
	switch words[0] {
	case "SELECT", "WITH", "FROM", "(":
		return Select
	case "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "EXISTS", "CHECK":
		return Show
	case "SET":
		return Set
	case "INSERT":
		return Insert
	case "SYSTEM":
		if words[1] == "SHUTDOWN" || words[1] == "KILL" {
			return Refused
		}
	case "CREATE":
		if words[1] == "NAMED" && words[2] == "COLLECTION" {
			return Refused
		}
	}
	return Other
}

// is reports whether a token is a keyword, or a symbol.
func (l *lexer) is(t token, want string) bool {
	return (t.kind == tokenWord || t.kind == tokenSymbol) && strings.EqualFold(l.text[t.start:t.end], want)
}

// scan finds the end of the only statement and the FORMAT clause that closes it, if there is one.
func scan(text string) (end int, format token, err error) {
	l := &lexer{text: text}
	depth := 0
	for {
		t := l.next()
		switch {
		case t.kind == tokenEnd:
			return len(text), format, nil
		case l.is(t, "("):
			depth++
		case l.is(t, ")"):
			depth--
		case l.is(t, ";"):
			for l.is(l.peek(), ";") {
				l.next()
			}
			if l.peek().kind != tokenEnd {
				return 0, format, ErrMultiple
			}
			return t.start, format, nil
		case depth == 0 && l.is(t, "FORMAT"):
			if name := l.peek(); name.kind == tokenWord && l.closes(name) {
				format = token{kind: tokenWord, start: t.start, end: name.end}
			}
		}
	}
}

// closes reports whether nothing but SETTINGS or the end comes after the token ahead.
func (l *lexer) closes(name token) bool {
	after := lexer{text: l.text, pos: name.end}
	t := after.next()
	return t.kind == tokenEnd || after.is(t, ";") || after.is(t, "SETTINGS")
}
