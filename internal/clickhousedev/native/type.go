package native

// kind is the way in which the bytes of a column are laid out.
type kind uint8

const (
	kindFixed kind = iota
	kindString
	kindNullable
	kindArray
	kindTuple
	kindLowCardinality
	kindVariant
)

// Type is a parsed column type, reduced to what tells how long its bytes are.
type Type struct {
	kind kind
	// size is the width of one value in bytes, for kindFixed.
	size int
	// elems are the types inside: one, or for kindTuple and kindVariant any number.
	elems []*Type
}

func fixed(size int) *Type { return &Type{kind: kindFixed, size: size} }

func arrayOf(elem *Type) *Type { return &Type{kind: kindArray, elems: []*Type{elem}} }

func tupleOf(elems ...*Type) *Type { return &Type{kind: kindTuple, elems: elems} }

// simpleType returns the type of a name that takes no arguments, or nil if there is none.
func simpleType(name string) *Type {
	switch name {
	case "String":
		return &Type{kind: kindString}
	case "Point":
		return tupleOf(fixed(8), fixed(8))
	case "Ring", "LineString":
		return arrayOf(simpleType("Point"))
	case "Polygon", "MultiLineString":
		return arrayOf(simpleType("Ring"))
	case "MultiPolygon":
		return arrayOf(simpleType("Polygon"))
	}
	if size := fixedSize(name); size > 0 {
		return fixed(size)
	}
	return nil
}

// fixedSize returns the width in bytes of the values of a type, or 0 if the name is not one of a fixed-width type.
func fixedSize(name string) int {
	switch name {
	case "Int8", "UInt8", "Bool", "Nothing", "Enum8":
		return 1
	case "Int16", "UInt16", "BFloat16", "Date", "Enum16":
		return 2
	case "Int32", "UInt32", "Float32", "Date32", "DateTime", "Time", "IPv4", "Decimal32":
		return 4
	case "Int64", "UInt64", "Float64", "DateTime64", "Time64", "Decimal64",
		"IntervalNanosecond", "IntervalMicrosecond", "IntervalMillisecond", "IntervalSecond", "IntervalMinute",
		"IntervalHour", "IntervalDay", "IntervalWeek", "IntervalMonth", "IntervalQuarter", "IntervalYear":
		return 8
	case "Int128", "UInt128", "UUID", "IPv6", "Decimal128":
		return 16
	case "Int256", "UInt256", "Decimal256":
		return 32
	}
	return 0
}

// decimalSize returns the width in bytes of a Decimal of the given precision in digits.
func decimalSize(precision int) int {
	switch {
	case precision <= 9:
		return 4
	case precision <= 18:
		return 8
	case precision <= 38:
		return 16
	default:
		return 32
	}
}
