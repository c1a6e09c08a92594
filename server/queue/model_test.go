package queue_test

import (
	"slices"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/server/queue"
)

// model is the queue as one would write it if it might be slow: a map of items that is searched for everything.
type model struct {
	cfg   queue.Config
	items map[string]*modelItem
	// rings are the tenants with ready items of each class, in the order of their turns.
	rings map[queue.Trigger][]string
	turn  int
	// pauses are those that were ordered; one that has ended may still be there.
	pauses   map[queue.Scope]queue.Pause
	breakers []*modelBreaker
	// probeDelay is the jittered time until the next probe, for the longest it may take.
	probeDelay func(longest time.Duration) time.Duration

	jumped, stray, gaveUp, retried, unavailable uint64
}

type modelItem struct {
	state    queue.State
	ready    bool
	deadline time.Time
	class    queue.Trigger
	// until is the end of the item's delay; zero when it is not delayed.
	until    time.Time
	wanted   []queue.Record
	revision int64
	attempts int
	// lastError is shown while there are attempts.
	lastError string
	probe     time.Time
	lease     *modelLease
}

type modelLease struct {
	wanted    []queue.Record
	revision  int64
	deadline  time.Time
	class     queue.Trigger
	started   time.Time
	attempts  int
	forgotten bool
}

func newModel(cfg queue.Config) *model {
	m := &model{
		cfg: cfg, items: make(map[string]*modelItem), rings: make(map[queue.Trigger][]string),
		pauses: make(map[queue.Scope]queue.Pause),
	}

	for _, name := range cfg.Breaker.Dependencies {
		m.breakers = append(m.breakers, &modelBreaker{name: name})
	}

	return m
}

func (m *model) slack(t queue.Trigger) time.Duration {
	return map[queue.Trigger]time.Duration{
		queue.Signal: m.cfg.Slack.Signal, queue.Manual: m.cfg.Slack.Manual, queue.Periodic: m.cfg.Slack.Periodic,
	}[t]
}

// full reports whether a new item of the trigger is refused.
func (m *model) full(t queue.Trigger) bool {
	reserved := map[queue.Trigger]int{
		queue.Signal: 0, queue.Manual: m.cfg.MaxItems / 20, queue.Periodic: m.cfg.MaxItems / 10,
	}[t]

	return len(m.items) >= m.cfg.MaxItems-reserved
}

// enqueue returns what Enqueue must answer.
func (m *model) enqueue(r queue.Request) queue.Result {
	now := time.Now()
	deadline := now.Add(m.slack(r.Trigger))
	manual := r.Trigger == queue.Manual

	it := m.items[r.Service]
	if it == nil {
		it = &modelItem{}
		m.items[r.Service] = it
		it.want(r)
		m.setReady(r.Service, deadline, r.Trigger)

		return queue.Result{Outcome: queue.Queued, Due: deadline}
	}

	if manual && it.held() {
		m.jumped++
	}

	if manual && it.lease == nil && it.attempts >= m.cfg.BackoffLimit {
		it.attempts = 0
	}

	switch {
	case it.lease != nil:
		return m.enqueueRunning(it, r, deadline)
	case it.ready:
		it.want(r)

		if !deadline.Before(it.deadline) {
			return queue.Result{Outcome: queue.Merged, Due: it.deadline, Attempts: it.attempts}
		}

		m.unready(r.Service)
		m.setReady(r.Service, deadline, r.Trigger)

		return queue.Result{Outcome: queue.MovedUp, Due: deadline, Attempts: it.attempts}
	case it.until.IsZero():
		return m.enqueueFailed(it, r, deadline)
	}

	it.want(r)

	if deadline.Before(it.deadline) {
		it.deadline, it.class = deadline, r.Trigger
	}

	if !manual && it.attempts > 0 {
		return queue.Result{Outcome: queue.Deferred, Due: it.until, Attempts: it.attempts}
	}

	m.setReady(r.Service, it.deadline, it.class)

	return queue.Result{Outcome: queue.MovedUp, Due: it.deadline, Attempts: it.attempts}
}

// held reports whether failures keep an item that does not run from running.
func (it *modelItem) held() bool {
	return it.attempts > 0 && !it.ready && it.lease == nil && (!it.until.IsZero() || it.probe.After(time.Now()))
}

func (m *model) enqueueRunning(it *modelItem, r queue.Request, deadline time.Time) queue.Result {
	result := queue.Result{Outcome: queue.Queued, Attempts: it.attempts}

	switch {
	case len(it.wanted) == 0:
		if m.slack(r.Trigger) < m.slack(it.lease.class) {
			result.Outcome = queue.MovedUp
		}

		it.deadline, it.class = deadline, r.Trigger
	case deadline.Before(it.deadline):
		result.Outcome = queue.MovedUp
		it.deadline, it.class = deadline, r.Trigger
	default:
		result.Outcome = queue.Merged
	}

	it.want(r)

	result.Due = it.deadline

	return result
}

func (m *model) enqueueFailed(it *modelItem, r queue.Request, deadline time.Time) queue.Result {
	it.wanted = nil
	it.want(r)

	if r.Trigger != queue.Manual && it.probe.After(time.Now()) {
		it.until, it.deadline, it.class = it.probe, deadline, r.Trigger

		return queue.Result{Outcome: queue.Deferred, Due: it.probe, Attempts: it.attempts}
	}

	m.setReady(r.Service, deadline, r.Trigger)

	return queue.Result{Outcome: queue.Queued, Due: deadline, Attempts: it.attempts}
}

// endDelays does what the passing of time does.
func (m *model) endDelays() {
	var ended []string

	for service, it := range m.items {
		if !it.until.IsZero() && !it.until.After(time.Now()) {
			ended = append(ended, service)
		}
	}

	slices.SortFunc(ended, func(a, b string) int { return m.items[a].until.Compare(m.items[b].until) })

	for _, service := range ended {
		it := m.items[service]
		if it.deadline.Before(it.until) {
			it.deadline = it.until
		}

		m.setReady(service, it.deadline, it.class)
	}
}

func (m *model) setReady(service string, deadline time.Time, class queue.Trigger) {
	it := m.items[service]
	it.state, it.ready, it.until = queue.Waiting, true, time.Time{}
	it.deadline, it.class = deadline, class

	if tenant := tenantOf(service); !slices.Contains(m.rings[class], tenant) {
		m.rings[class] = append(m.rings[class], tenant)
	}
}

func (m *model) unready(service string) {
	it := m.items[service]
	it.ready = false

	if tenant := tenantOf(service); len(m.candidates(it.class, tenant)) == 0 {
		m.rings[it.class] = slices.DeleteFunc(m.rings[it.class], func(t string) bool { return t == tenant })
	}
}

// take returns the services of which one must be handed out next; none when nothing is ready or may be handed out.
func (m *model) take() []string {
	if m.shut() {
		return nil
	}

	var classes []queue.Trigger

	for _, class := range queue.Triggers() {
		if len(m.rings[class]) > 0 {
			classes = append(classes, class)
		}
	}

	if len(classes) == 0 {
		return nil
	}

	class := slices.MinFunc(classes, func(a, b queue.Trigger) int { return m.earliest(a).Compare(m.earliest(b)) })
	turns := []queue.Trigger{queue.Signal, queue.Manual, queue.Signal, queue.Periodic}
	claimant := turns[m.turn%len(turns)]
	m.turn++

	if slices.Contains(classes, claimant) && !m.earliest(claimant).Add(-m.slack(claimant)/2).After(time.Now()) {
		class = claimant
	}

	tenant := m.rings[class][0]
	m.rings[class] = append(m.rings[class][1:], tenant)

	services := m.candidates(class, tenant)
	earliest := m.items[services[0]].deadline

	for _, s := range services {
		if m.items[s].deadline.Before(earliest) {
			earliest = m.items[s].deadline
		}
	}

	return slices.DeleteFunc(services, func(s string) bool { return m.items[s].deadline.After(earliest) })
}

func (m *model) earliest(class queue.Trigger) time.Time {
	var earliest time.Time

	for _, it := range m.items {
		if it.ready && it.class == class && (earliest.IsZero() || it.deadline.Before(earliest)) {
			earliest = it.deadline
		}
	}

	return earliest
}

func (m *model) candidates(class queue.Trigger, tenant string) []string {
	var services []string

	for service, it := range m.items {
		if it.ready && it.class == class && tenantOf(service) == tenant {
			services = append(services, service)
		}
	}

	return services
}

func tenantOf(service string) string {
	tenant, _, _ := strings.Cut(service, "/")

	return tenant
}

// want merges a request into what the item is wanted for.
func (it *modelItem) want(r queue.Request) {
	it.revision = max(it.revision, r.Revision)
	it.wanted = mergeRecords(it.wanted, []queue.Record{{
		Trigger: r.Trigger, Source: r.Source, Detail: r.Detail, Observed: r.Observed, Enqueued: time.Now(), Count: 1,
	}})
}

func mergeRecords(older, newer []queue.Record) []queue.Record {
	merged := slices.Clone(older)

	for _, r := range newer {
		i := slices.IndexFunc(merged, func(m queue.Record) bool { return m.Trigger == r.Trigger && m.Source == r.Source })
		if i < 0 {
			merged = append(merged, r)

			continue
		}

		merged[i].Count += r.Count
		merged[i].Detail = r.Detail

		if r.Observed.Before(merged[i].Observed) {
			merged[i].Observed = r.Observed
		}
	}

	return merged
}
