package kubernetes

import (
	"maps"
	"math"
	"math/bits"

	"k8s.io/apimachinery/pkg/api/resource"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	cpu    = "cpu"
	memory = "memory"
)

// sizes are the resources that are set here.
var sizes = []string{cpu, memory}

// want is the size that a container is to have; a resource that is 0 is left alone.
type want struct{ cpuMillis, memoryBytes int64 }

func wanted(size *tidemarkv1.Size) want {
	return want{cpuMillis: max(0, size.GetCpuMillis()), memoryBytes: max(0, size.GetMemoryBytes())}
}

// of returns how much is wanted of a resource, in its unit.
func (w want) of(name string) int64 {
	if name == cpu {
		return w.cpuMillis
	}

	return w.memoryBytes
}

// amount is a quantity in the unit of its resource: thousandths of a core, or bytes, rounded up.
func amount(name string, quantity resource.Quantity) int64 {
	if name == cpu {
		return quantity.MilliValue()
	}

	return quantity.Value()
}

func quantityOf(name string, amount int64) resource.Quantity {
	if name == cpu {
		return *resource.NewMilliQuantity(amount, resource.DecimalSI)
	}

	return *resource.NewQuantity(amount, resource.BinarySI)
}

// resized returns what a container that has these resources gets. A container of a Guaranteed pod stays so.
func (p LimitPolicy) resized(has resources, to want, guaranteed bool) resources {
	gets := resources{Requests: maps.Clone(has.Requests), Limits: maps.Clone(has.Limits)}

	for _, name := range sizes {
		request := to.of(name)
		if request == 0 {
			continue
		}

		if gets.Requests == nil {
			gets.Requests = make(map[string]quantity)
		}

		gets.Requests[name] = quantityOf(name, request)

		if limit, limited := has.Limits[name]; limited {
			gets.Limits[name] = quantityOf(name, p.limit(amount(name, limit), amount(name, has.Requests[name]), request, guaranteed))
		}
	}

	return gets
}

// limit returns the limit that belongs to a request, where limit and of were those before.
func (p LimitPolicy) limit(limit, of, request int64, guaranteed bool) int64 {
	switch {
	case guaranteed, p == LimitsRequest:
		return request
	case p == LimitsKeep, of <= 0: // there is no ratio
		return max(limit, request)
	default:
		return max(scaled(request, limit, of), request)
	}
}

// scaled returns request*limit/of, rounded up so that a limit above its request stays above it, and the largest number
// when that is none.
func scaled(request, limit, of int64) int64 {
	if request < 0 || limit < 0 || of <= 0 {
		return 0
	}

	high, low := bits.Mul64(uint64(request), uint64(limit))
	if high >= uint64(of) {
		return math.MaxInt64
	}

	quotient, remainder := bits.Div64(high, low, uint64(of))
	if remainder > 0 {
		quotient++
	}

	if quotient > math.MaxInt64 {
		return math.MaxInt64
	}

	return int64(quotient)
}

// same reports that two containers have as much CPU and memory, and as high limits.
func same(a, b resources) bool {
	for _, name := range sizes {
		if !equal(a.Requests, b.Requests, name) || !equal(a.Limits, b.Limits, name) {
			return false
		}
	}

	return true
}

// changes returns which resources differ.
func changes(a, b resources) (names []string) {
	for _, name := range sizes {
		if !equal(a.Requests, b.Requests, name) || !equal(a.Limits, b.Limits, name) {
			names = append(names, name)
		}
	}

	return names
}

func equal(a, b map[string]quantity, name string) bool {
	one, isOne := a[name]
	other, isOther := b[name]

	return isOne == isOther && one.Cmp(other) == 0
}

// only returns the resources that are set here, without others such as storage.
func (r resources) only() resources {
	return resources{Requests: pick(r.Requests), Limits: pick(r.Limits)}
}

func pick(from map[string]quantity) map[string]quantity {
	picked := make(map[string]quantity)

	for _, name := range sizes {
		if quantity, ok := from[name]; ok {
			picked[name] = quantity
		}
	}

	return picked
}
