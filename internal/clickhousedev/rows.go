package clickhousedev

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/chdb"
)

// formatRows is the format of results that this package reads itself: a JSON array of strings per row.
const formatRows = "JSONCompactStringsEachRow"

// describePlainly makes DESCRIBE write types as blocks have them, whatever the settings of the session.
const describePlainly = " SETTINGS print_pretty_type_names = 0, describe_include_subcolumns = 0, describe_compact_output = 0"

// queryRows runs a query with few rows and returns their values as text.
func queryRows(s session, sql string, params []chdb.Param) ([][]string, error) {
	out, _, err := s.query(sql, formatRows, params)
	if err != nil {
		return nil, asException(err)
	}
	return decodeRows(out)
}

func decodeRows(out []byte) ([][]string, error) {
	var rows [][]string
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var row []string
		err := dec.Decode(&row)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("decode the engine's answer: %w", err)
		}
		rows = append(rows, row)
	}
}
