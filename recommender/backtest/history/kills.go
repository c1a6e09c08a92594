package history

// kills are the times at which a process was killed for lack of memory.
type kills struct {
	times   queue // the value is the time in seconds since 1970
	highest Highest
}

func (k *kills) push(minute, seconds int64, resident float64) {
	k.times.push(entry{minute, float64(seconds)})
	k.highest.Push(minute, resident)
}

func (k *kills) expire(before int64) {
	k.times.expire(before)
	k.highest.Expire(before)
}

// Kill takes in that a process was killed for lack of memory while it held so many bytes. Kills come in the order of
// time.
func (h *History) Kill(seconds, residentBytes int64) {
	h.kills.push(minuteOf(seconds), seconds, float64(residentBytes))
}

// since returns how many kills there were from a minute on, and the time of the newest.
func (k *kills) since(first int64) (number, newest int64) {
	times := k.times.since(first)
	if len(times) == 0 {
		return 0, 0
	}

	return int64(len(times)), int64(times[len(times)-1].value)
}
