package observe

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const gibibyte = 1 << 30

// Query selects what a report is about.
type Query struct {
	// Services and Tenants restrict it; empty means all.
	Services, Tenants []string
	// Start and End are the period.
	Start, End time.Time
	// Top is how many services are told of one by one.
	Top int
}

// Report compares what was observed with what was in force.
func (j *Journal) Report(q Query) *tidemarkv1.GetObserveReportResponse {
	var (
		each  []observation
		total observation
	)

	for service, s := range j.selected(q) {
		one, seen := s.observe(service, q.Start, q.End)
		if !seen {
			continue
		}

		total.add(one)
		each = append(each, one)
	}

	slices.SortFunc(each, func(a, b observation) int {
		return cmp.Or(cmp.Compare(b.difference(), a.difference()), strings.Compare(a.service, b.service))
	})

	response := &tidemarkv1.GetObserveReportResponse{
		StartTime: timestamppb.New(q.Start), EndTime: timestamppb.New(q.End),
		ServiceCount: int64(len(each)), Total: total.message(),
	}

	for _, one := range each[:min(len(each), q.Top)] {
		response.Services = append(response.Services, one.message())
	}

	return response
}

// selected copies the histories that a query is about, so that computing holds nobody up.
func (j *Journal) selected(q Query) map[string]series {
	services, tenants := set(q.Services), set(q.Tenants)
	selected := make(map[string]series)

	j.mu.Lock()
	defer j.mu.Unlock()

	for service, s := range j.series {
		tenant, _, _ := strings.Cut(service, "/")

		if services.has(service) && tenants.has(tenant) {
			selected[service] = series{stretches: slices.Clone(s.stretches)}
		}
	}

	return selected
}

// observation is the outcome for one service, or for several.
type observation struct {
	service                                    string
	observed, agreed                           time.Duration
	savedCores, addedCores, savedGiB, addedGiB float64 // times hours
	up, down                                   moves
}

// observe computes the outcome for a service over a period; false when it was not observed in it.
func (s *series) observe(service string, start, end time.Time) (observation, bool) {
	o := observation{service: service}

	if n := len(s.stretches); n > 0 {
		last := &s.stretches[n-1]
		last.until = last.endBy(end)
	}

	for _, at := range s.stretches {
		from, until := later(at.from, start), at.endBefore(end)
		if !until.After(from) {
			continue
		}

		o.weigh(at, until.Sub(from))
	}

	o.up, o.down = s.movesOf(start)

	return o, o.observed > 0
}

// weigh adds a time in which nothing changed.
func (o *observation) weigh(s stretch, d time.Duration) {
	o.observed += d

	if s.inForce == s.advised {
		o.agreed += d
	}

	replicas := func(n int32) float64 { return float64(max(n, 1)) } // 0 is not known
	before, after := replicas(s.inForce.Replicas), replicas(s.advised.Replicas)

	cores := (float64(s.inForce.CPUMillis)*before - float64(s.advised.CPUMillis)*after) / 1000 * d.Hours()
	memory := (float64(s.inForce.MemoryBytes)*before - float64(s.advised.MemoryBytes)*after) / gibibyte * d.Hours()

	o.savedCores += max(cores, 0)
	o.addedCores += max(-cores, 0)
	o.savedGiB += max(memory, 0)
	o.addedGiB += max(-memory, 0)
}

// difference orders services: how much would have been otherwise. A core is about as dear as eight gibibytes.
func (o *observation) difference() float64 {
	return o.savedCores + o.addedCores + (o.savedGiB+o.addedGiB)/8
}

func (o *observation) add(other observation) {
	o.observed += other.observed
	o.agreed += other.agreed
	o.savedCores += other.savedCores
	o.addedCores += other.addedCores
	o.savedGiB += other.savedGiB
	o.addedGiB += other.addedGiB
	o.up.add(other.up)
	o.down.add(other.down)
}

func (o *observation) message() *tidemarkv1.Observation {
	return &tidemarkv1.Observation{
		Service:          o.service,
		ObservedDuration: durationpb.New(o.observed),
		AgreedDuration:   durationpb.New(o.agreed),
		SavedCoreHours:   o.savedCores,
		AddedCoreHours:   o.addedCores,
		SavedGibHours:    o.savedGiB,
		AddedGibHours:    o.addedGiB,
		Up:               o.up.message(),
		Down:             o.down.message(),
	}
}

// endBefore is when a stretch ends within a period.
func (s *stretch) endBefore(end time.Time) time.Time {
	if s.until.Before(end) {
		return s.until
	}

	return end
}

// filter lets through what it names; an empty one everything.
type filter map[string]struct{}

func set(names []string) filter {
	f := make(filter, len(names))
	for _, name := range names {
		f[name] = struct{}{}
	}

	return f
}

func (f filter) has(name string) bool {
	_, named := f[name]

	return named || len(f) == 0
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}

	return b
}
