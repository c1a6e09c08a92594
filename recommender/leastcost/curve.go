package leastcost

import "github.com/tidemark-project/tidemark/recommender/usage"

// curve is what each allocation is expected to cost, by a histogram of use.
//
// An allocation a costs, with x the use at any moment and h the headroom:
//
//	cost(a) = E[1 - x/a; x*h <= a] + price * P(x*h > a)
//
// that is, the share of the allocation that lies idle, plus the price of every moment in which it is not enough. It is the
// newsvendor's problem with the cost of too much measured in shares. Only the ends of the buckets, times the headroom,
// need to be tried: between two of them an allocation only gets more idle.
type curve struct {
	*Weighing

	// Only the buckets from the first to the last one that holds anything.
	weights, ends, middles []float64
}

// bounds are where the buckets end and what the use in them is taken for. Computing them anew for every service would
// cost more than all the rest.
type bounds struct {
	buckets       usage.Buckets
	ends, middles []float64
}

func newBounds(buckets usage.Buckets) *bounds {
	b := &bounds{buckets: buckets}

	for i := range buckets.Count {
		start, end := buckets.Start(i), buckets.Start(i+1)
		b.ends, b.middles = append(b.ends, end), append(b.middles, (start+end)/2)
	}

	return b
}

// curve returns the costs by a histogram; false when nothing is known, when the histogram is not what was asked for, or
// when there was use in the last bucket, of which nobody knows how much it was.
func (b *bounds) curve(h *usage.Histogram, w *Weighing) (curve, bool) {
	if h == nil || !h.Plausible(b.buckets) {
		return curve{}, false
	}

	if last := len(b.ends) - 1; len(h.Weights) > last && h.Weights[last] > 0 {
		return curve{}, false
	}

	from, to := held(h.Weights)

	return curve{w, h.Weights[from:to], b.ends[from:to], b.middles[from:to]}, true
}

// held returns where the weights begin and end that are above nothing. A service's use lies in few of all buckets.
func held(weights []float64) (from, to int) {
	to = len(weights)

	for to > 0 && weights[to-1] <= 0 {
		to--
	}

	for from < to && weights[from] <= 0 {
		from++
	}

	return from, to
}

// point is one allocation and what it costs.
type point struct {
	amount float64 // millicores or bytes
	short  float64 // share of the moments in which it is not enough
	cost   float64
}

// best returns the allocation with the least cost among those that are enough for MinEnough of the moments and not below
// the floor; the smallest, if there are several. An empty histogram gives none.
func (c curve) best(floor float64) (least point, ok bool) {
	if floor > 0 {
		if at := c.of(floor); 1-at.short >= c.MinEnough {
			least = at
		}
	}

	enough, used := 0.0, 0.0

	for i, weight := range c.weights {
		if weight <= 0 {
			continue
		}

		enough += weight
		used += weight * c.middles[i]

		if amount := c.ends[i] * c.Headroom; amount >= floor && enough >= c.MinEnough {
			if at := c.at(amount, enough, used); least.amount == 0 || at.cost < least.cost {
				least = at
			}
		}
	}

	return least, least.amount > 0
}

// of returns what a given allocation costs.
func (c curve) of(amount float64) point {
	// A rounding of the amount must not turn enough into not enough.
	const tolerance = 1.0001

	enough, used := 0.0, 0.0

	for i, weight := range c.weights {
		if weight <= 0 {
			continue
		}

		if c.ends[i]*c.Headroom > amount*tolerance {
			break
		}

		enough += weight
		used += weight * c.middles[i]
	}

	return c.at(amount, enough, used)
}

// intolerable is what an allocation costs on top that is too small far more often than MinEnough allows, so that it is
// changed whatever the change has to gain.
const intolerable = 10

// present returns what the present allocation costs.
func (c curve) present(amount float64) point {
	const patience = 1.5

	at := c.of(amount)
	if c.MinEnough > 0 && at.short > patience*(1-c.MinEnough) {
		at.cost += intolerable
	}

	return at
}

// at computes a cost from the share of the moments in which the amount is enough and the use in those.
func (c curve) at(amount, enough, used float64) point {
	short := max(0, 1-enough)

	return point{amount: amount, short: short, cost: enough - used/amount + c.Price*short}
}
