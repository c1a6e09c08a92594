package inventory

import (
	"time"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// AbsenceMemory is how long it is remembered when a service left the list. What has been away for longer is away for
// longer than that, and no more is said.
const AbsenceMemory = 24 * time.Hour

// absence is since when services are missing from the list. A list that could not be read and one that is empty say
// nothing: that is more likely a fault than the end of all services.
type absence struct {
	blind    bool // the latest read failed, or its list was empty
	present  []*tidemarkv1.Service
	began    time.Time            // when the first list was read
	compared time.Time            // when the latest was
	left     map[string]time.Time // when those that were in a list ceased to be
}

// compare takes in a list that was read, in the order of keys.
func (a *absence) compare(services []*tidemarkv1.Service, now time.Time) {
	a.blind = len(services) == 0
	if a.blind {
		return
	}

	if a.began.IsZero() {
		a.began, a.left = now, make(map[string]time.Time)
	}

	for _, s := range a.present {
		if _, there := find(services, s.GetService()); !there {
			a.left[s.GetService()] = now
		}
	}

	for service, since := range a.left {
		if _, there := find(services, service); there || now.Sub(since) > AbsenceMemory {
			delete(a.left, service)
		}
	}

	a.present, a.compared = services, now
}

// Absent returns for how long a service has been missing from every list that was read. It is 0 for one that is listed,
// and for all while the list is empty or cannot be read.
func (c *Cache) Absent(service string) time.Duration {
	c.mu.RLock()
	defer c.mu.RUnlock()

	a := &c.absence
	if a.blind || a.began.IsZero() {
		return 0
	}

	if _, there := find(a.present, service); there {
		return 0
	}

	since, known := a.left[service]
	if !known {
		since = a.began
	}

	return a.compared.Sub(since)
}
