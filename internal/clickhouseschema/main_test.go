package clickhouseschema

import (
	"testing"

	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

func TestMain(m *testing.M) { clickhousetest.Main(m) }
