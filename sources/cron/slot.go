package cron

import (
	"hash/fnv"
	"math/bits"
	"time"
)

// Slot returns when within each period the service is due: at least 0 and less than period. It depends on its arguments
// only. Slots are spread as if drawn at random, so the number of services per second varies as random numbers do.
func Slot(service string, period time.Duration) time.Duration {
	if period <= 0 {
		return 0
	}

	hash := fnv.New64a()
	_, _ = hash.Write([]byte(service)) // never fails

	// The share of the period is the hash's share of all hashes.
	share, _ := bits.Mul64(mix(hash.Sum64()), uint64(period))

	return time.Duration(share) //nolint:gosec // less than period
}

// mix makes every bit of the hash depend on all others (the finalizer of MurmurHash3). FNV alone leaves the upper bits,
// which decide here, nearly alike for names that differ only in their last characters, and most names do.
func mix(h uint64) uint64 {
	const shift = 33

	h ^= h >> shift
	h *= 0xff51afd7ed558ccd
	h ^= h >> shift
	h *= 0xc4ceb9fe1a85ec53

	return h ^ h>>shift
}
