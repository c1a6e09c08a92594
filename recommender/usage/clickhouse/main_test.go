package clickhouse

import (
	"flag"
	"testing"

	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

func TestMain(m *testing.M) {
	// Each check writes thousands of rows; -rapid.checks overrides it.
	if err := flag.Set("rapid.checks", "20"); err != nil {
		panic(err)
	}

	clickhousetest.Main(m)
}
