package clickhouseschema

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Check compares the database with the schema and returns, in words for an operator, everything that is missing or
// different; nothing when all is well. Columns and tables that the schema does not know are let be. An error means that
// the comparison could not be made.
func Check(ctx context.Context, conn Conn, config Config) ([]string, error) {
	if err := config.complete(); err != nil {
		return nil, err
	}

	found, err := readCatalogue(ctx, conn, &config)
	if err != nil {
		return nil, err
	}

	var problems []string

	for _, t := range config.tables() {
		problems = append(problems, t.compare(found)...)
	}

	for _, v := range config.views() {
		problems = append(problems, v.compare(found)...)
	}

	return problems, nil
}

func (t *table) compare(found *catalogue) []string {
	have, exists := found.tables[t.name]
	if !exists {
		return []string{fmt.Sprintf("table %s does not exist", t.name)}
	}

	problems := t.compareColumns(have)

	// A cluster's or the cloud's variants of an engine do the same.
	engine := strings.TrimPrefix(strings.TrimPrefix(have.engine, "Replicated"), "Shared")
	if engine != t.engine {
		problems = append(problems, fmt.Sprintf("table %s has the engine %s instead of %s", t.name, have.engine, t.engine))
	}

	if order := strings.Join(t.order, ", "); strings.Trim(have.sortingKey, "()") != order {
		problems = append(problems, fmt.Sprintf("table %s is ordered by (%s) instead of (%s)", t.name, have.sortingKey, order))
	}

	return append(problems, t.compareTTL(have)...)
}

func (t *table) compareColumns(have *foundTable) []string {
	var problems []string

	for _, want := range t.columns {
		kind, exists := have.columns[want.name]

		switch {
		case !exists:
			problems = append(problems, fmt.Sprintf("table %s lacks the column %s %s", t.name, want.name, want.kind))
		case kind != want.kind:
			problems = append(problems,
				fmt.Sprintf("column %s of table %s is %s instead of %s", want.name, t.name, kind, want.kind))
		}
	}

	return problems
}

func (t *table) compareTTL(have *foundTable) []string {
	_, rest, has := strings.Cut(have.engineFull, " TTL ")
	ttl, _, _ := strings.Cut(rest, " SETTINGS ")

	switch {
	case t.keep == 0 && has:
		return []string{fmt.Sprintf("table %s drops rows (TTL %s) although they are to be kept", t.name, ttl)}
	case t.keep > 0 && !has:
		return []string{fmt.Sprintf("table %s never drops rows; its TTL should be %s", t.name, t.ttl())}
	case t.keep > 0 && ttl != t.ttl():
		return []string{fmt.Sprintf("table %s has the TTL %s instead of %s", t.name, ttl, t.ttl())}
	default:
		return nil
	}
}

func (v *view) compare(found *catalogue) []string {
	have, exists := found.tables[v.name]
	if !exists {
		return []string{fmt.Sprintf("view %s does not exist: table %s gets no rows", v.name, v.target.name)}
	}

	if have.engine != "MaterializedView" {
		return []string{fmt.Sprintf("%s is a %s instead of a materialized view", v.name, have.engine)}
	}

	problems := v.compareColumns(have)

	if len(problems) == 0 && have.query != found.wantedQueries[v.name] {
		problems = append(problems, fmt.Sprintf(
			"view %s selects something else than it should; drop it and apply the schema again. It has: %s. It should have: %s",
			v.name, have.query, found.wantedQueries[v.name]))
	}

	return problems
}

// compareColumns finds the columns that ClickHouse fills with defaults because the view has none of that name.
func (v *view) compareColumns(have *foundTable) []string {
	var problems []string

	for _, want := range v.target.columns {
		if _, exists := have.columns[want.name]; !exists {
			problems = append(problems, fmt.Sprintf(
				"view %s has no column %s: it stays empty in table %s", v.name, want.name, v.target.name))
		}
	}

	for name := range have.columns {
		known := slices.ContainsFunc(v.target.columns, func(c column) bool { return c.name == name })
		if !known {
			problems = append(problems, fmt.Sprintf(
				"view %s has a column %s that table %s lacks: it is lost", v.name, name, v.target.name))
		}
	}

	slices.Sort(problems)

	return problems
}
