package usage

import "time"

// Clock returns the time by which the ages of samples are measured: the usage store's own clock, and now if it did not
// tell.
func (s Snapshot) Clock(now time.Time) time.Time {
	if s.ReadTime.IsZero() {
		return now
	}

	return s.ReadTime
}

// Stale reports that the newest sample is older than maxAge, or that there is none. A sample from the future says that a
// clock is wrong, and then its age is not known.
func (s Snapshot) Stale(now time.Time, maxAge time.Duration) bool {
	if s.NewestSample.IsZero() {
		return true
	}

	age := s.Clock(now).Sub(s.NewestSample)

	return age > maxAge || age < -maxAge
}
