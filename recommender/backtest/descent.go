package backtest

import "github.com/tidemark-project/tidemark/recommender/backtest/history"

// The measure of how soon a size follows demand down. A descent begins when the highest demand of the past 3 hours comes
// to lie below half of the allocation, and it counts when the demand then stays below that half for at least a day: the
// peak that had justified the size was gone for good. It has been followed when the allocation falls.
const (
	descentMinutes = 180
	descentShare   = 0.5
	descentLasts   = 24 * 3600 // seconds
)

// descent finds the descents of one resource of one service.
type descent struct {
	peaks    history.Highest
	first    int64 // minute of the first sample; 0 before it
	low      bool  // the demand lies below half of the allocation
	open     bool
	began    int64
	from     float64 // the allocation then
	followed int64   // when the allocation fell; 0 when it did not
	// latencies are how long it took the allocation to fall, in seconds; unfollowed is how often it did not.
	latencies  []int64
	unfollowed int64
}

func (d *descent) sample(at int64, use, allocated float64, counts bool) {
	minute := at / 60
	if d.first == 0 {
		d.first = minute
	}

	d.peaks.Push(minute, use)
	d.peaks.Expire(minute - descentMinutes + 1)

	if d.open {
		d.follow(at, use, allocated)
	}

	peak, _ := d.peaks.Since(minute - descentMinutes + 1)
	low := peak < descentShare*allocated

	if low && !d.low && !d.open && counts && minute-d.first >= descentMinutes {
		d.open, d.began, d.from, d.followed = true, at, allocated, 0
	}

	d.low = low
}

func (d *descent) follow(at int64, use, allocated float64) {
	if d.followed == 0 && allocated < d.from {
		d.followed = at
	}

	if use >= descentShare*d.from || d.followed != 0 && at-d.began >= descentLasts {
		d.end(at)
	}
}

// end closes a descent.
func (d *descent) end(at int64) {
	if d.open && at-d.began >= descentLasts {
		if d.followed != 0 {
			d.latencies = append(d.latencies, d.followed-d.began)
		} else {
			d.unfollowed++
		}
	}

	d.open = false
}
