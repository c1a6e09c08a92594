package statement

import "strings"

// DataSource says where the rows of an INSERT come from.
type DataSource uint8

const (
	// FromClient is an INSERT whose rows the client sends as blocks.
	FromClient DataSource = iota
	// Inline is an INSERT whose rows stand in its text.
	Inline
)

// InsertParts are the parts of an INSERT whose rows are data. One whose rows are the result of a SELECT has none: it
// is run as it stands.
type InsertParts struct {
	Source DataSource
	// Target is the table, or FUNCTION and a table function.
	Target string
	// Columns is the text of the list of columns, without its brackets; empty if there is no list.
	Columns string
	// Settings is the SETTINGS clause; empty if there is none.
	Settings string
	// Format is the format of Data.
	Format string
	// Data is the text of the rows, if Source is Inline.
	Data string
}

// parseInsert splits an INSERT. It is not ok if the rows are not data, or if the statement is none that this package
// understands.
func parseInsert(text string) (InsertParts, bool) {
	l := &lexer{text: text}
	l.next()
	for _, word := range []string{"INTO", "TABLE"} {
		if l.is(l.peek(), word) {
			l.next()
		}
	}
	p := InsertParts{Target: l.target()}
	if p.Target == "" {
		return p, false
	}
	if l.is(l.peek(), "(") && !l.subquery() {
		p.Columns = l.brackets()
	}
	if start := l.peek(); l.is(start, "SETTINGS") {
		p.Settings = l.settings()
	}
	switch t := l.next(); {
	case l.is(t, "VALUES"):
		p.Format = "Values"
	case l.is(t, "FORMAT"):
		name := l.next()
		if name.kind != tokenWord {
			return p, false
		}
		p.Format = text[name.start:name.end]
	default:
		return p, false
	}
	l.data(&p)
	return p, true
}

// target reads the name of a table, with or without its database, or a call of a table function.
func (l *lexer) target() string {
	first := l.next()
	if first.kind != tokenWord && first.kind != tokenQuoted {
		return ""
	}
	end := first.end
	if l.is(first, "FUNCTION") && l.peek().kind == tokenWord {
		l.next()
		if !l.is(l.peek(), "(") {
			return ""
		}
		l.brackets()
		return l.text[first.start:l.pos]
	}
	for l.is(l.peek(), ".") {
		l.next()
		end = l.next().end
	}
	return l.text[first.start:end]
}

// subquery reports whether the brackets ahead hold a SELECT.
func (l *lexer) subquery() bool {
	ahead := *l
	t := ahead.next()
	for ahead.is(t, "(") {
		t = ahead.next()
	}
	return ahead.is(t, "SELECT") || ahead.is(t, "WITH")
}

// brackets reads a pair of brackets and returns what is between them.
func (l *lexer) brackets() string {
	start, depth := l.next().end, 1
	for {
		t := l.next()
		switch {
		case t.kind == tokenEnd:
			return l.text[start:]
		case l.is(t, "("):
			depth++
		case l.is(t, ")"):
			if depth--; depth == 0 {
				return l.text[start:t.start]
			}
		}
	}
}

// settings reads a SETTINGS clause, up to the keyword that comes after it.
func (l *lexer) settings() string {
	start := l.next().start
	for {
		t := l.peek()
		if t.kind == tokenEnd || l.is(t, "VALUES") || l.is(t, "FORMAT") || l.is(t, "SELECT") || l.is(t, "WITH") {
			return strings.TrimSpace(l.text[start:t.start])
		}
		l.next()
	}
}

// data looks at what follows the format: the rows, or nothing but a semicolon.
func (l *lexer) data(p *InsertParts) {
	rest := l.text[l.pos:]
	after := *l
	t := after.next()
	for after.is(t, ";") {
		t = after.next()
	}
	if t.kind == tokenEnd {
		return
	}
	p.Source = Inline
	// The rows start after one line break or any other space.
	trimmed := strings.TrimLeft(rest, " \t\r")
	p.Data = strings.TrimPrefix(trimmed, "\n")
	if p.Format == "Values" {
		p.Data = strings.TrimRight(rest, "; \t\r\n")
	}
}
