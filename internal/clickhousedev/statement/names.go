package statement

import "strings"

// Names splits a list of columns into their names. It is not ok if the list has anything but names.
func Names(list string) ([]string, bool) {
	l := &lexer{text: list}
	var names []string
	for {
		name, ok := l.name()
		if !ok {
			return nil, false
		}
		names = append(names, name)
		switch t := l.next(); {
		case t.kind == tokenEnd:
			return names, true
		case !l.is(t, ","):
			return nil, false
		}
	}
}

// name reads an identifier; dots join its parts.
func (l *lexer) name() (string, bool) {
	var parts []string
	for {
		t := l.next()
		switch {
		case t.kind == tokenWord:
			parts = append(parts, l.text[t.start:t.end])
		case t.kind == tokenQuoted && l.text[t.start] != '\'':
			parts = append(parts, unquoteName(l.text[t.start:t.end]))
		default:
			return "", false
		}
		if !l.is(l.peek(), ".") {
			return strings.Join(parts, "."), true
		}
		l.next()
	}
}

// unquoteName drops the quotes of an identifier and its escapes.
func unquoteName(s string) string {
	if len(s) < 2 {
		return s
	}
	quote, inner := s[:1], s[1:len(s)-1]
	inner = strings.ReplaceAll(inner, quote+quote, quote)
	return strings.NewReplacer(`\\`, `\`, `\`+quote, quote).Replace(inner)
}
