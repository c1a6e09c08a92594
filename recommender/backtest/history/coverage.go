package history

// bucket is the length of the stretches by which coverage is counted, in minutes.
const bucket = 10

// coverage knows in how many 10-minute buckets CPU and memory are both known. Buckets are counted back from the minute of
// the snapshot, so there are ten ways to lay them; each is kept.
type coverage [bucket]laid

// laid are the covered buckets of one way to lay them. Buckets are numbered on from one of long ago.
type laid struct {
	covered     queue // the bucket is the minute
	newest      int64
	cpu, memory bool // what is known in the newest bucket
}

// number is the bucket of a minute, when buckets end with minutes that leave this remainder.
func number(minute int64, remainder int) int64 {
	return (minute + bucket - 1 - int64(remainder)) / bucket
}

func (c *coverage) push(minute int64, cpu, memory bool) {
	for remainder := range c {
		c[remainder].push(number(minute, remainder), cpu, memory)
	}
}

func (l *laid) push(at int64, cpu, memory bool) {
	if at != l.newest {
		l.newest, l.cpu, l.memory = at, false, false
	}

	before := l.cpu && l.memory
	l.cpu, l.memory = l.cpu || cpu, l.memory || memory

	if l.cpu && l.memory && !before {
		l.covered.push(entry{minute: at})
	}
}

func (c *coverage) expire(before int64) {
	for remainder := range c {
		c[remainder].covered.expire(number(before, remainder))
	}
}

// share is the part of the buckets of the window that are covered.
func (c *coverage) share(now, minutes int64) float64 {
	remainder := int(now % bucket)
	all := minutes / bucket
	covered := c[remainder].covered.since(number(now, remainder) - all + 1)

	return float64(len(covered)) / float64(all)
}
