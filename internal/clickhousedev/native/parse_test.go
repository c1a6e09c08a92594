package native_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/native"
)

func TestParseType(t *testing.T) {
	for _, name := range []string{
		"UInt8", "String", "FixedString(16)", "Nullable(String)", "Array(Array(UInt8))", "Map(String, Array(UInt8))",
		"LowCardinality(Nullable(String))", "Tuple(UInt8, String)", "Tuple(a UInt8, `b c` Tuple(x Date), \"d)\" String)",
		"Nested(a UInt8, b String)", "Enum8('a' = 1, 'b,)\\'' = 2)", "DateTime('Europe/Paris')", "DateTime64(3, 'UTC')",
		"Decimal(9, 2)", "Decimal(76, 2)", "Decimal64(3)", "SimpleAggregateFunction(sum, UInt64)", "Variant(String, UInt8)",
		"IntervalSecond", "MultiPolygon", "Tuple()", "Time64(3)",
	} {
		if _, err := native.ParseType(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseTypeErrors(t *testing.T) {
	for _, name := range []string{
		"", "uint8", "Array", "Array()", "Array(", "Array(UInt8", "Array(UInt8))", "Map(String)", "FixedString(0)",
		"FixedString(x)", "FixedString(99999999999)", "JSON", "Dynamic", "AggregateFunction(uniq, UInt8)", "Enum8('a = 1)",
		"SimpleAggregateFunction(sum)", "Tuple(a)", "Tuple(`a UInt8)", "Nullable(Unknown)", "Array(UInt8)x",
		strings.Repeat("Array(", 100) + "UInt8" + strings.Repeat(")", 100),
	} {
		if _, err := native.ParseType(name); !errors.Is(err, native.ErrType) {
			t.Errorf("%q: want ErrType, got %v", name, err)
		}
	}
}

func FuzzParseType(f *testing.F) {
	for _, seed := range []string{"Array(Map(String, Tuple(a UInt8, b Nullable(String))))", "Enum8('a' = 1)", "Decimal(9, 2)", "(((", "Tuple(`"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if _, err := native.ParseType(name); err != nil && !errors.Is(err, native.ErrType) {
			t.Fatalf("%q: %v", name, err)
		}
	})
}
