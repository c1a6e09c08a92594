package tidemark

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// FormatEnum shows an enum value of the API in words: "observe only" for MODE_OBSERVE_ONLY.
func FormatEnum(value protoreflect.Enum) string {
	values := value.Descriptor().Values()

	known := values.ByNumber(value.Number())
	if known == nil { // of a newer server
		return strconv.FormatInt(int64(value.Number()), 10)
	}

	// The zero value is the common prefix and this word, as buf's rules for enums demand.
	prefix := strings.TrimSuffix(string(values.ByNumber(0).Name()), "UNSPECIFIED")

	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(string(known.Name()), prefix)), "_", " ")
}
