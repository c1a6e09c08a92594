package clickhouseschema

import (
	"context"
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// catalogue is what the server says it has, and how it would write down the queries that the views should have.
type catalogue struct {
	tables        map[string]*foundTable
	wantedQueries map[string]string
}

// foundTable is one table or view of the server.
type foundTable struct {
	engine, engineFull, sortingKey string
	query                          string            // of a view
	columns                        map[string]string // name to type
}

func readCatalogue(ctx context.Context, conn Conn, c *Config) (*catalogue, error) {
	found := &catalogue{tables: map[string]*foundTable{}, wantedQueries: map[string]string{}}
	database := QuoteString(c.Names.Database)

	err := eachRow(ctx, conn,
		"SELECT name, engine, engine_full, sorting_key, as_select FROM system.tables WHERE database = "+database,
		func(rows driver.Rows) error {
			var name string

			t := &foundTable{columns: map[string]string{}}
			if err := rows.Scan(&name, &t.engine, &t.engineFull, &t.sortingKey, &t.query); err != nil {
				return fmt.Errorf("scan: %w", err)
			}

			found.tables[name] = t

			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read the tables of database %s: %w", c.Names.Database, err)
	}

	if err := readColumns(ctx, conn, database, found); err != nil {
		return nil, fmt.Errorf("read the columns of database %s: %w", c.Names.Database, err)
	}

	for _, v := range c.views() {
		if err := readWanted(ctx, conn, c, &v, found); err != nil {
			return nil, fmt.Errorf("have the server format the query of view %s: %w", v.name, err)
		}
	}

	return found, nil
}

func readColumns(ctx context.Context, conn Conn, database string, found *catalogue) error {
	return eachRow(ctx, conn, "SELECT table, name, type FROM system.columns WHERE database = "+database,
		func(rows driver.Rows) error {
			var table, name, kind string
			if err := rows.Scan(&table, &name, &kind); err != nil {
				return fmt.Errorf("scan: %w", err)
			}

			// A table may have been dropped or made between the two queries.
			if t, ok := found.tables[table]; ok {
				t.columns[name] = kind
			}

			return nil
		})
}

// readWanted lets the server format the query as it formats those it stores, so that both can be compared.
func readWanted(ctx context.Context, conn Conn, c *Config, v *view, found *catalogue) error {
	return eachRow(ctx, conn, "SELECT formatQuerySingleLine("+QuoteString(v.query(c))+")",
		func(rows driver.Rows) error {
			var query string
			if err := rows.Scan(&query); err != nil {
				return fmt.Errorf("scan: %w", err)
			}

			found.wantedQueries[v.name] = query

			return nil
		})
}

func eachRow(ctx context.Context, conn Conn, query string, visit func(driver.Rows) error) (err error) {
	rows, err := conn.Query(ctx, query)
	if err != nil {
		return fmt.Errorf("query: %w", err)
	}

	defer func() {
		if closeErr := rows.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("close: %w", closeErr)
		}
	}()

	for rows.Next() {
		if err := visit(rows); err != nil {
			return fmt.Errorf("read a row: %w", err)
		}
	}

	if err := rows.Err(); err != nil {
		return fmt.Errorf("read: %w", err)
	}

	return nil
}
