package tidemark

import (
	"math"
	"strconv"
	"strings"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	millisPerCore = 1000
	// unitStep is the factor between two units of memory.
	unitStep = 1024
)

// FormatSize shows a size as people write it: "1.5 cores, 8Gi, 3 replicas"; "unknown" for none. Parts that are zero are
// left out.
func FormatSize(size *tidemarkv1.Size) string {
	var parts []string

	if size.GetCpuMillis() != 0 {
		parts = append(parts, FormatCPU(size.GetCpuMillis()))
	}

	if size.GetMemoryBytes() != 0 {
		parts = append(parts, FormatMemory(size.GetMemoryBytes()))
	}

	if size.GetReplicas() != 0 {
		parts = append(parts, FormatReplicas(size.GetReplicas()))
	}

	if len(parts) == 0 {
		return "unknown"
	}

	return strings.Join(parts, ", ")
}

// FormatCPU shows thousandths of a core as people write them: "500m", "1 core", "1.5 cores".
func FormatCPU(millis int64) string {
	switch {
	case millis == millisPerCore:
		return "1 core"
	case -millisPerCore < millis && millis < millisPerCore:
		return strconv.FormatInt(millis, 10) + "m"
	default:
		return strconv.FormatFloat(float64(millis)/millisPerCore, 'f', -1, 64) + " cores"
	}
}

// FormatMemory shows bytes as people write them: "8Gi", "512Mi". An amount that is no whole number of its unit is rounded
// to two decimals: it is for people, not for parsing.
func FormatMemory(bytes int64) string {
	units := []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
	amount, unit := float64(bytes), 0

	for math.Abs(amount) >= unitStep && unit < len(units)-1 {
		amount /= unitStep
		unit++
	}

	const hundred = 100

	return strconv.FormatFloat(math.Round(amount*hundred)/hundred, 'f', -1, 64) + units[unit]
}

// FormatReplicas shows a number of replicas: "1 replica", "3 replicas".
func FormatReplicas(replicas int32) string {
	if replicas == 1 {
		return "1 replica"
	}

	return strconv.FormatInt(int64(replicas), 10) + " replicas"
}
