package policy

import (
	"math/bits"

	"github.com/tidemark-project/tidemark/recommender/size"
)

// millisPerCore converts between cores and thousandths of a core.
const millisPerCore = 1000

// Couple returns the smallest pair on the policy's ratio that covers the need: the larger of both needs decides. Without
// a ratio it is the need itself.
//
// On the ratio means that memory is what the millicores are entitled to, rounded down to a byte; with that, coupling a
// coupled pair changes nothing even when the ratio does not divide evenly.
func (p *Policy) Couple(need size.Resources) size.Resources {
	if p.MemoryPerCoreBytes <= 0 {
		return need
	}

	cpu := max(need.CPUMillis, mulDivUp(need.MemoryBytes, millisPerCore, p.MemoryPerCoreBytes))

	return p.pairOf(cpu)
}

// decouple returns the largest pair on the ratio that the limit covers.
func (p *Policy) decouple(limit size.Resources) size.Resources {
	if p.MemoryPerCoreBytes <= 0 {
		return limit
	}

	cpu := mulDiv(limit.MemoryBytes, millisPerCore, p.MemoryPerCoreBytes)

	// Memory is rounded down to a byte, so one more millicore can still fit.
	if p.pairOf(cpu+1).MemoryBytes <= limit.MemoryBytes {
		cpu++
	}

	return p.pairOf(min(cpu, limit.CPUMillis))
}

// pairOf returns CPU with the memory that it is entitled to.
func (p *Policy) pairOf(cpuMillis int64) size.Resources {
	return size.Resources{CPUMillis: cpuMillis, MemoryBytes: mulDiv(cpuMillis, p.MemoryPerCoreBytes, millisPerCore)}
}

// mulDiv returns a * b / c rounded down, for non-negative a and b and a positive c. The product may exceed 64 bits; a
// result that does is cut to the largest amount there is.
func mulDiv(a, b, c int64) int64 {
	quotient, _ := mulDivRemainder(a, b, c)

	return quotient
}

// mulDivUp is mulDiv rounded up.
func mulDivUp(a, b, c int64) int64 {
	quotient, remainder := mulDivRemainder(a, b, c)
	if remainder > 0 {
		quotient++
	}

	return quotient
}

func mulDivRemainder(a, b, c int64) (int64, uint64) {
	const most = size.MaxMemoryBytes

	high, low := bits.Mul64(uint64(a), uint64(b)) //nolint:gosec // Both are non-negative.
	if high >= uint64(c) {                        //nolint:gosec // c is positive.
		return most, 0
	}

	quotient, remainder := bits.Div64(high, low, uint64(c)) //nolint:gosec // c is positive.
	if quotient > uint64(most) {
		return most, 0
	}

	return int64(quotient), remainder
}
