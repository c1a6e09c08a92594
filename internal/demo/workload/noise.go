package workload

// stream tells the independent noises of one replica apart.
type stream uint64

const (
	streamSkew stream = iota + 1
	streamDrift
	streamShift
	streamJitter
	streamRipple
	streamBurst
	streamBurstStart
	streamBurstLength
	streamBurstHeight
)

// noise is a number from 0 to 1, without 1, that looks random and depends on nothing but its arguments. It has no state,
// unlike a generator, so any moment can be asked for without those before.
func noise(seed uint64, of stream, slot int64) float64 {
	const mantissa = 53

	hash := mix(mix(seed+uint64(of)) + uint64(slot)) //nolint:gosec // wraps around, as a hash may

	return float64(hash>>(64-mantissa)) / (1 << mantissa)
}

// between stretches noise to a range.
func between(low, high, noise float64) float64 { return low + (high-low)*noise }

// mix spreads the bits of a number over the whole word: the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb

	return x ^ x>>31
}
