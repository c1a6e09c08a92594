package size

import (
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

// FormatCPU prints thousandths of a core as ParseCPU reads them: "2" or "500m".
func FormatCPU(millis int64) string {
	return resource.NewMilliQuantity(millis, resource.DecimalSI).String()
}

// FormatMemory prints bytes exactly, as ParseMemory reads them, with the binary or the decimal unit that needs fewer
// characters: "2Gi", "10G".
func FormatMemory(bytes int64) string {
	binary := resource.NewQuantity(bytes, resource.BinarySI).String()
	decimal := resource.NewQuantity(bytes, resource.DecimalSI).String()

	if len(decimal) < len(binary) {
		return decimal
	}

	return binary
}

// Format prints an amount of the resource: millicores or bytes.
func (r Resource) Format(amount int64) string {
	if r == CPU {
		return FormatCPU(amount)
	}

	return FormatMemory(amount)
}

// String prints both resources for people: "2 CPU, 8Gi".
func (r Resources) String() string {
	return FormatCPU(r.CPUMillis) + " CPU, " + FormatMemory(r.MemoryBytes)
}

// String prints the size for people: "2 CPU, 8Gi, 3 replicas"; an unknown number of replicas is left out.
func (s Size) String() string {
	text := s.Resources().String()

	switch s.Replicas {
	case 0:
		return text
	case 1:
		return text + ", 1 replica"
	default:
		return text + ", " + strconv.FormatInt(int64(s.Replicas), 10) + " replicas"
	}
}
