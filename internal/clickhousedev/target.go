package clickhousedev

import (
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/native"
	"github.com/tidemark-project/tidemark/internal/clickhousedev/statement"
)

// kindDefault is the kind of columns that have a value unless one is given. SQL has the same word for that value.
const kindDefault = "DEFAULT"

// targetColumn is a column that an INSERT writes to.
type targetColumn struct {
	native.Column

	// kind is empty, DEFAULT, MATERIALIZED, ALIAS or EPHEMERAL, and expression is what follows it.
	kind, expression string
}

// target are the columns that an INSERT writes to, in order.
type target []targetColumn

// target finds out the columns that an INSERT writes to.
func (c *conn) target(in statement.InsertParts) (target, error) {
	table := in.Target
	if rest, ok := cutWord(table, "FUNCTION"); ok {
		table = rest
	} else {
		table = "TABLE " + table
	}
	rows, err := queryRows(c.session, "DESCRIBE "+table+describePlainly, nil)
	if err != nil {
		return nil, err
	}
	all := make(target, len(rows))
	for i, row := range rows {
		all[i] = targetColumn{Column: native.Column{Name: row[0], Type: row[1]}, kind: row[2], expression: row[3]}
	}
	if in.Columns == "" {
		return all.insertable(), nil
	}
	names, ok := statement.Names(in.Columns)
	if !ok {
		return c.patternTarget(in)
	}
	return all.pick(names, in.Target)
}

// patternTarget finds out the columns of a list that is not one of names, such as * EXCEPT (a).
func (c *conn) patternTarget(in statement.InsertParts) (target, error) {
	rows, err := queryRows(c.session, "DESCRIBE TABLE (SELECT "+in.Columns+" FROM "+in.Target+")"+describePlainly, nil)
	if err != nil {
		return nil, err
	}
	picked := make(target, len(rows))
	for i, row := range rows {
		picked[i] = targetColumn{Column: native.Column{Name: row[0], Type: row[1]}}
	}
	return picked, nil
}

// insertable returns the columns that are written if the INSERT names none.
func (t target) insertable() target {
	var out target
	for _, col := range t {
		if col.kind == "" || col.kind == kindDefault {
			out = append(out, col)
		}
	}
	return out
}

// pick returns the named columns, in the order of the names.
func (t target) pick(names []string, table string) (target, error) {
	byName := make(map[string]targetColumn, len(t))
	for _, col := range t {
		byName[col.Name] = col
	}
	var out target
	for _, name := range names {
		col, ok := byName[name]
		if !ok {
			return nil, refuse(proto.ErrNoSuchColumnInTable, "No such column %s in table %s", name, table)
		}
		if col.kind == "MATERIALIZED" || col.kind == "ALIAS" {
			return nil, refuse(proto.ErrIllegalColumn, "Cannot insert column %s, because it is %s column.", name, col.kind)
		}
		out = append(out, col)
	}
	return out, nil
}

// sample returns the columns as a block has them.
func (t target) sample() []native.Column {
	columns := make([]native.Column, len(t))
	for i, col := range t {
		columns[i] = col.Column
	}
	return columns
}

// definition writes the columns as a table's definition does, with the defaults that the rows may ask for.
func (t target) definition() string {
	parts := make([]string, len(t))
	for i, col := range t {
		parts[i] = quoteName(col.Name) + " " + col.Type
		if col.kind == kindDefault {
			parts[i] += " " + kindDefault + " " + col.expression
		}
	}
	return strings.Join(parts, ", ")
}

// cutWord drops a word from the start of a text.
func cutWord(s, word string) (string, bool) {
	if len(s) > len(word) && strings.EqualFold(s[:len(word)], word) && s[len(word)] <= ' ' {
		return strings.TrimSpace(s[len(word):]), true
	}
	return s, false
}
