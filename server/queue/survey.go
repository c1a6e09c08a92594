package queue

import "time"

// Part is a part of a queue.
type Part struct {
	// Depth is the number of its items by state.
	Depth Depth
	// Oldest is when the first request came of its oldest item that is pending, which all are but the Failed ones; zero
	// when there is none.
	Oldest time.Time
}

// TenantPart is the part of a queue that belongs to one tenant.
type TenantPart struct {
	Part

	// CamePerSecond are the items that were made a second over the last minute, and LeftPerSecond those that are there no
	// more because they were evaluated and not wanted once more, or were forgotten. Both begin anew when a tenant has had no
	// items while many others had none.
	CamePerSecond, LeftPerSecond float64
}

// Survey is what only a look at every item tells. Each counts as it stood at some moment of the look.
type Survey struct {
	Part

	// Triggers are the parts of each trigger: the items whose deadline it set.
	Triggers [triggerCount]Part
	// Tenants are the parts of those tenants that were asked for, in the same order.
	Tenants []TenantPart
}

// chunksAtATime is how many chunks of items are looked at before others get the lock, about a tenth of a millisecond.
const chunksAtATime = 8

// Survey looks at every item, and by tenant at those of the given ones. Items lie in rows, so that a million take some
// hundredths of a second; nobody is held up for more than a small part of that.
func (q *Queue) Survey(tenants ...string) Survey {
	s := q.newSurvey(tenants)

	for first := 0; q.surveyFrom(first, s); {
		first += chunksAtATime
	}

	return q.finishSurvey(s, tenants)
}

// survey is a Survey that is under way.
type survey struct {
	all      tally
	triggers [triggerCount]tally
	tenants  []tally
	// places are where the tenants stand in the list of those that were asked for.
	places map[*tenant]int
}

func (q *Queue) newSurvey(tenants []string) *survey {
	s := &survey{all: newTally(), tenants: make([]tally, len(tenants)), places: make(map[*tenant]int, len(tenants))}

	for trigger := range s.triggers {
		s.triggers[trigger] = newTally()
	}

	q.lock()
	defer q.unlock()

	for place, name := range tenants {
		s.tenants[place] = newTally()

		if t := q.tenants.byName[name]; t != nil {
			s.places[t] = place
		}
	}

	return s
}

// surveyFrom looks at some chunks of items from the given one on, and reports whether there are more.
func (q *Queue) surveyFrom(first int, s *survey) bool {
	q.lock()
	defer q.unlock()

	chunks := q.items.items.chunks
	last := min(first+chunksAtATime, len(chunks))

	for _, chunk := range chunks[min(first, last):last] {
		for place := range chunk {
			if it := &chunk[place]; it.tenant != nil { // others are not in use
				q.surveyItem(it, s)
			}
		}
	}

	return last < len(chunks)
}

func (q *Queue) surveyItem(it *item, s *survey) {
	enqueued, class := int64(never), it.class

	if it.running() {
		r := q.runs.of(it)
		enqueued, class = r.triggers.enqueued(), r.class
	}

	if it.state != Failed && !it.wanted.empty() {
		enqueued = min(enqueued, it.wanted.enqueued())
	}

	s.all.add(it.state, enqueued)
	s.triggers[class].add(it.state, enqueued)

	if place, wanted := s.places[it.tenant]; wanted {
		s.tenants[place].add(it.state, enqueued)
	}
}

func (q *Queue) finishSurvey(s *survey, tenants []string) Survey {
	survey := Survey{Part: s.all.part(), Tenants: make([]TenantPart, len(tenants))}

	for trigger := range s.triggers {
		survey.Triggers[trigger] = s.triggers[trigger].part()
	}

	for place := range s.tenants {
		survey.Tenants[place].Part = s.tenants[place].part()
	}

	q.lock()
	defer q.unlock()

	at := q.clock.set(q.clock.read())

	for place, name := range tenants {
		if t := q.tenants.byName[name]; t != nil {
			part := &survey.Tenants[place]
			part.CamePerSecond, part.LeftPerSecond = t.traffic.perSecond(at)
		}
	}

	return survey
}

// tally adds up a Part.
type tally struct {
	depth [stateCount]int
	// oldest is in nanoseconds since 1970, or never.
	oldest int64
}

func newTally() tally {
	return tally{oldest: never}
}

func (t *tally) add(s State, enqueued int64) {
	t.depth[s]++
	t.oldest = min(t.oldest, enqueued)
}

func (t *tally) part() Part {
	part := Part{Depth: depthOf(t.depth)}
	if t.oldest != never {
		part.Oldest = time.Unix(0, t.oldest)
	}

	return part
}
