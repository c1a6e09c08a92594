package watch

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/reflect/protoreflect"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

type (
	event   = tidemarkv1.WatchRecommendationsResponse
	request = tidemarkv1.WatchRecommendationsRequest
)

var discard = slog.New(slog.DiscardHandler)

// newHub returns a hub that follows a store until the test ends.
func newHub(t *testing.T, st store.Store, change ...func(*Config)) *Hub {
	t.Helper()

	config := DefaultConfig()
	for _, c := range change {
		c(&config)
	}

	require.NoError(t, config.Validate())

	h := New(st, config, discard)
	require.NoError(t, h.Load(t.Context()))

	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)

	go func() { ended <- h.Run(ctx) }()

	t.Cleanup(func() {
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})

	return h
}

// value makes a recommendation with as many millicores.
func value(service string, millis int64, change ...func(*tidemarkv1.Recommendation)) *tidemarkv1.Recommendation {
	r := &tidemarkv1.Recommendation{
		Service:     service,
		Recommended: &tidemarkv1.Size{CpuMillis: millis},
		Mode:        tidemarkv1.Mode_MODE_ENFORCE,
		Status:      tidemarkv1.Status_STATUS_OK,
		Direction:   tidemarkv1.Direction_DIRECTION_UP,
		Policy:      &tidemarkv1.PolicyRef{Name: "default"},
		Explanation: &tidemarkv1.Explanation{Recommender: "test"},
		Triggers:    []*tidemarkv1.TriggerRecord{{Source: "test"}},
	}
	for _, c := range change {
		c(r)
	}

	return r
}

func observeOnly(r *tidemarkv1.Recommendation) { r.Mode = tidemarkv1.Mode_MODE_OBSERVE_ONLY }

// put commits a new value and returns its revision.
func put(t *testing.T, st store.Store, r *tidemarkv1.Recommendation) int64 {
	t.Helper()

	return commit(t, st, r, true).Revision
}

// renew commits the same value again and returns the revision of the write.
func renew(t *testing.T, st store.Store, r *tidemarkv1.Recommendation) int64 {
	t.Helper()

	return commit(t, st, r, false).Revision
}

func commit(t *testing.T, st store.Store, r *tidemarkv1.Recommendation, changed bool) store.Record {
	t.Helper()

	before, err := st.Get(t.Context(), r.GetService())
	if err != nil {
		require.ErrorIs(t, err, store.ErrNotFound)
	}

	record, err := st.Commit(t.Context(), store.Commit{Recommendation: r, Changed: changed, Previous: before.Revision})
	require.NoError(t, err)

	return record
}

func remove(t *testing.T, st store.Store, service string) int64 {
	t.Helper()

	revision, err := st.Delete(t.Context(), service)
	require.NoError(t, err)

	return revision
}

// reader is a client on a stream. Its transport blocks unless it has credit, and ends when the stream does.
type reader struct {
	cancel context.CancelFunc
	credit chan struct{}
	ended  chan struct{}
	err    error // why the stream ended, once ended is closed

	mu  sync.Mutex
	got []*event
}

// all is credit without end; otherwise there is never more than most.
const all, most = -1, 1 << 12

// open starts a stream whose reader takes as many events before it blocks.
func open(t *testing.T, h *Hub, credit int, q *request) *reader {
	t.Helper()

	ctx, cancel := context.WithCancel(t.Context())
	r := &reader{cancel: cancel, credit: make(chan struct{}, most), ended: make(chan struct{})}
	r.grant(credit)

	go func() {
		defer close(r.ended)
		defer cancel()

		r.err = h.Stream(ctx, q, func(e *event) error { return r.take(ctx, e) })
	}()

	return r
}

// take is the transport's send.
func (r *reader) take(ctx context.Context, e *event) error {
	select {
	case <-r.credit:
	case <-ctx.Done():
		return context.Cause(ctx)
	}

	r.mu.Lock()
	defer r.mu.Unlock()

	r.got = append(r.got, e)

	return nil
}

// grant lets the reader take more; after all, nothing more can be granted.
func (r *reader) grant(credit int) {
	if credit == all {
		close(r.credit)
	}

	for range credit {
		r.credit <- struct{}{}
	}
}

// taken returns the events since the last call.
func (r *reader) taken() []*event {
	r.mu.Lock()
	defer r.mu.Unlock()

	got := r.got
	r.got = nil

	return got
}

func (r *reader) hasEnded() bool {
	select {
	case <-r.ended:
		return true
	default:
		return false
	}
}

// stop ends the stream from the client's side.
func (r *reader) stop() {
	r.cancel()
	<-r.ended
}

// texts says in short what events there are: "prod/a=100", "-prod/a", "end 3" with the count, or "beat".
func texts(events []*event) []string {
	short := make([]string, 0, len(events))

	for _, e := range events {
		switch {
		case e.GetRecommendation() != nil:
			r := e.GetRecommendation()
			short = append(short, fmt.Sprintf("%s=%d", r.GetService(), r.GetRecommended().GetCpuMillis()))
		case e.GetRemoved() != nil:
			short = append(short, "-"+e.GetRemoved().GetService())
		case e.GetEndOfSnapshot() != nil:
			short = append(short, fmt.Sprintf("end %d", e.GetEndOfSnapshot().GetCount()))
		case e.GetHeartbeat() != nil:
			short = append(short, "beat")
		default:
			short = append(short, "nothing")
		}
	}

	return short
}

// only selects the services.
func only(services ...string) *tidemarkv1.RecommendationFilter {
	return &tidemarkv1.RecommendationFilter{Services: services}
}

// parsed is a filter as the hub has it.
func parsed(tb testing.TB, f *tidemarkv1.RecommendationFilter) *Filter {
	tb.Helper()

	wanted, err := ParseFilter(f)
	require.NoError(tb, err)

	return wanted
}

// nonZero is some value of a scalar field.
func nonZero(t *testing.T, field protoreflect.FieldDescriptor) protoreflect.Value {
	t.Helper()

	switch field.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString("x")
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(1)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(1)
	default:
		require.Fail(t, "no value for this kind yet", field.Kind())

		return protoreflect.Value{}
	}
}
