package history

// Hour is where the samples of one hour of one replica go. Samples of the same minute may come in several pieces and in
// any order: sums add up and maxima stay. What does not matter for the request is left out.
type Hour struct {
	history *History
	replica string
	start   int64 // minute
	hour    *hour // nil until there is something to keep
}

// Hour returns the hour that begins so many minutes after the epoch; a multiple of 60.
func (h *History) Hour(replica string, start int64) Hour {
	return Hour{history: h, replica: replica, start: start}
}

// matters returns the age of a minute, and whether it lies within the reach of the request.
func (h *History) matters(minute int64) (age int64, matters bool) {
	age = h.thisMinute - minute

	return age, age >= 0 && age < h.plan.Reach()
}

// keep returns where the hour is kept.
func (o *Hour) keep() *hour {
	if o.hour != nil {
		return o.hour
	}

	r := o.history.replica(o.replica)
	index := o.start/minutesOfHour - o.history.firstHour

	if r.hours[index] == nil {
		r.hours[index] = &hour{}
	}

	o.hour = r.hours[index]

	return o.hour
}

// CPU adds samples of CPU in a minute of the hour: how many there were, and their sum in billionths of a core.
func (o *Hour) CPU(minute, nanos, samples int64) {
	if _, matters := o.history.matters(o.start + minute); !matters || samples <= 0 {
		return
	}

	kept := o.keep()
	kept.cpu |= 1 << minute
	kept.nanos[minute] += nanos
	kept.samples[minute] += samples
}

// Resident adds the peak of the resident memory in a minute of the hour.
func (o *Hour) Resident(minute, bytes int64) {
	if _, matters := o.history.matters(o.start + minute); !matters {
		return
	}

	kept := o.keep()
	kept.resident |= 1 << minute
	kept.bytes[minute] = max(kept.bytes[minute], bytes)
}

// Query adds the peak of the memory that work held in a minute of the hour.
func (o *Hour) Query(minute, bytes int64) {
	age, matters := o.history.matters(o.start + minute)

	for i, window := range o.history.plan.windows {
		if matters && age < window {
			o.history.query[i] = max(o.history.query[i], bytes)
		}
	}
}

// Rejections adds how many requests were refused at a millisecond of the hour.
func (o *Hour) Rejections(milli, count int64) {
	o.event(&o.history.rejections, milli, count)
}

// Kill adds the resident memory of a process that was killed at a millisecond of the hour.
func (o *Hour) Kill(milli, bytes int64) {
	o.event(&o.history.kills, milli, bytes)
}

// event adds one event, which counts once however often it is written.
func (o *Hour) event(events *map[moment]int64, milli, value int64) {
	if _, matters := o.history.matters(o.start + milli/millisOfMinute); !matters || value <= 0 {
		return
	}

	if *events == nil {
		*events = map[moment]int64{}
	}

	at := moment{replica: o.replica, millis: o.start*millisOfMinute + milli}
	(*events)[at] = max((*events)[at], value)
}

// Sampled adds the millisecond of a minute of the hour in which the last sample of it was taken.
func (o *Hour) Sampled(minute, milli int64) {
	age, _ := o.history.matters(o.start + minute)

	if age >= 0 && age < max(o.history.plan.longest(), o.history.plan.span) {
		o.history.newest = max(o.history.newest, (o.start+minute)*millisOfMinute+milli)
	}
}
