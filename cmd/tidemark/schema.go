package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/tidemark-project/tidemark/internal/clickhouseconn"
	"github.com/tidemark-project/tidemark/internal/clickhouseschema"
)

// schemaCmd prints or applies the ClickHouse tables.
type schemaCmd struct {
	Print schemaPrintCmd `cmd:"" help:"Print the statements that make the tables."`
	Apply schemaApplyCmd `cmd:"" help:"Make the tables that are missing, and say what differs in those that exist."`
}

// schemaPrintCmd prints the statements.
type schemaPrintCmd struct {
	Database string                  `name:"clickhouse-database" env:"TIDEMARK_CLICKHOUSE_DATABASE" default:"tidemark" help:"Database of Tidemark's tables."`
	Schema   clickhouseschema.Config `embed:""`
}

// Run prints.
func (c *schemaPrintCmd) Run(out io.Writer) error {
	c.Schema.Names.Database = c.Database

	statements, err := clickhouseschema.Statements(c.Schema)
	if err != nil {
		return fmt.Errorf("schema settings: %w", err)
	}

	for _, statement := range statements {
		if _, err := fmt.Fprintf(out, "%s;\n\n", statement); err != nil {
			return fmt.Errorf("print the statements: %w", err)
		}
	}

	return nil
}

// schemaApplyCmd makes the tables.
type schemaApplyCmd struct {
	ClickHouse clickhouseconn.Config   `embed:""`
	Schema     clickhouseschema.Config `embed:""`
}

// Run applies and checks.
func (c *schemaApplyCmd) Run(ctx context.Context, out io.Writer, logger *slog.Logger) error {
	c.Schema.Names.Database = c.ClickHouse.Database

	conn, err := clickhouseconn.Open(c.ClickHouse)
	if err != nil {
		return fmt.Errorf("ClickHouse settings: %w", err)
	}
	defer conn.Close() //nolint:errcheck // the process ends

	if err := clickhouseschema.Apply(ctx, conn, c.Schema); err != nil {
		return err
	}

	differences, err := clickhouseschema.Check(ctx, conn, c.Schema)
	if err != nil {
		return err
	}

	if len(differences) > 0 {
		for _, difference := range differences {
			logger.ErrorContext(ctx, "the schema differs", "difference", difference)
		}

		return errors.New("the tables exist but differ from what is needed: change them by hand, or choose other names")
	}

	_, err = fmt.Fprintf(out, "the tables are in place in database %s\n", c.ClickHouse.Database)

	return err //nolint:wrapcheck // only the terminal
}
