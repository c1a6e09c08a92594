package size

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// The errors of ParseCPU and ParseMemory; each comes wrapped with the text and what would be right.
var (
	// ErrSyntax says that the text is not a quantity.
	ErrSyntax = errors.New("not a quantity")
	// ErrNegative says that the quantity is below zero.
	ErrNegative = errors.New("negative quantity")
	// ErrTooFine says that the quantity is not a whole number of the smallest unit.
	ErrTooFine = errors.New("quantity finer than the smallest unit")
	// ErrTooLarge says that the quantity is beyond MaxCPUMillis or MaxMemoryBytes.
	ErrTooLarge = errors.New("quantity too large")
)

// maxTextLength bounds what is handed to the parser: no sensible quantity is longer, and an exponent with many digits
// would make the parser work for minutes.
const maxTextLength = 32

// quantityKind is what differs between a CPU and a memory quantity.
type quantityKind struct {
	name    string
	example string
	scale   resource.Scale
	unit    string
	limit   int64
	shown   string
}

var (
	cpuKind = quantityKind{
		name: "CPU", example: `cores like "2" or "0.5", or millicores like "500m"`,
		scale: resource.Milli, unit: "one millicore (1m)", limit: MaxCPUMillis, shown: "1M cores",
	}
	memoryKind = quantityKind{
		name: "memory", example: `bytes with a unit like "512Mi", "2Gi" or "10G"`,
		scale: 0, unit: "one byte", limit: MaxMemoryBytes, shown: "1Pi",
	}
)

// ParseCPU reads a quantity of CPU ("2", "0.5", "500m") and returns thousandths of a core. Its errors wrap ErrSyntax,
// ErrNegative, ErrTooFine or ErrTooLarge.
func ParseCPU(text string) (int64, error) {
	return cpuKind.parse(text)
}

// ParseMemory reads a quantity of memory ("2Gi", "10G", "1073741824") and returns bytes. Its errors wrap ErrSyntax,
// ErrNegative, ErrTooFine or ErrTooLarge.
func ParseMemory(text string) (int64, error) {
	return memoryKind.parse(text)
}

// parse turns text into a whole number of the kind's smallest unit. The quantity type keeps the number and its scale
// apart; reading the number alone would take "1" for one millicore.
func (k quantityKind) parse(text string) (int64, error) {
	if len(text) > maxTextLength || exponentDigits(text) > 2 {
		return 0, k.fail(text, ErrTooLarge, "write at most "+k.shown)
	}

	quantity, err := resource.ParseQuantity(text)
	if err != nil {
		return 0, k.fail(text, ErrSyntax, "write "+k.example)
	}

	if quantity.Sign() < 0 {
		return 0, k.fail(text, ErrNegative, "write 0 or more, "+k.example)
	}

	// The comparison comes before the conversion, which wraps around silently.
	if quantity.Cmp(*resource.NewScaledQuantity(k.limit, k.scale)) > 0 {
		return 0, k.fail(text, ErrTooLarge, "write at most "+k.shown)
	}

	amount := quantity.ScaledValue(k.scale)
	if resource.NewScaledQuantity(amount, k.scale).Cmp(quantity) != 0 {
		return 0, k.fail(text, ErrTooFine, "write a multiple of "+k.unit+k.suffixHint(text))
	}

	return amount, nil
}

// suffixHint points at the usual slip: "m" is a thousandth, so "512m" of memory is half a byte.
func (k quantityKind) suffixHint(text string) string {
	if k.scale == 0 && strings.HasSuffix(text, "m") {
		return `; "m" is a thousandth, mebibytes are "Mi"`
	}

	return ""
}

func (k quantityKind) fail(text string, cause error, remedy string) error {
	if len(text) > maxTextLength {
		text = text[:maxTextLength] + "..."
	}

	return fmt.Errorf("%s %q: %w: %s", k.name, text, cause, remedy)
}

// exponentDigits counts the digits after an "e" or "E", leading zeros and all.
func exponentDigits(text string) int {
	at := strings.LastIndexAny(text, "eE")
	if at < 0 {
		return 0
	}

	return len(strings.TrimLeft(text[at+1:], "+-"))
}
