package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// desk is a reporter that notes what it is told, and does what a test says.
type desk struct {
	mu      sync.Mutex
	reports []Report
	calls   int
	take    func(ctx context.Context, report Report) error
}

func (d *desk) ReportScaling(ctx context.Context, report Report) error {
	d.mu.Lock()
	d.calls++
	take := d.take
	d.mu.Unlock()

	if take != nil {
		if err := take(ctx, report); err != nil {
			return err
		}
	}

	d.mu.Lock()
	defer d.mu.Unlock()

	d.reports = append(d.reports, report)

	return nil
}

func (d *desk) does(take func(context.Context, Report) error) {
	d.mu.Lock()
	defer d.mu.Unlock()

	d.take = take
}

// told waits until nothing moves and returns what was reported since the last call: "service@revision outcome: message".
func (d *desk) told() []string {
	synctest.Wait()

	d.mu.Lock()
	defer d.mu.Unlock()

	lines := make([]string, len(d.reports))
	for i, r := range d.reports {
		lines[i] = fmt.Sprintf("%s@%d %s: %s", r.Service, r.Revision, tidemark.FormatEnum(r.Outcome), r.Message)
	}

	d.reports = nil

	slices.Sort(lines)

	return lines
}

// attempts waits until nothing moves and returns how often a report was brought so far.
func (d *desk) attempts() int {
	synctest.Wait()

	d.mu.Lock()
	defer d.mu.Unlock()

	return d.calls
}

func TestWhatBecameOfEachRecommendationIsReported(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		reported := &desk{}
		r := acting(t, client, Config{Reporter: reported, ObserveOnly: true})

		server.Put(advice("a/x", 1, 2))
		require.Equal(t, []string{"a/x@1 applied: "}, reported.told())

		r.does(func(context.Context, *tidemarkv1.Recommendation) error {
			return Permanent(errors.New("too big for a node"))
		})
		server.Put(advice("a/x", 1, 3))
		require.Equal(t, []string{"a/x@2 refused: too big for a node"}, reported.told())

		r.does(func(context.Context, *tidemarkv1.Recommendation) error { return errors.New("down") })
		server.Put(advice("a/x", 1, 4))
		require.Equal(t, []string{"a/x@3 failed: down"}, reported.told())

		r.does(nil)
		<-time.After(time.Minute)
		require.Equal(t, []string{"a/x@3 applied: "}, reported.told(), "when tried again")

		// What is only shown has not been applied.
		server.Put(moded(tidemarkv1.Mode_MODE_OBSERVE_ONLY, advice("a/x", 1, 5)))
		require.Contains(t, r.taken(), "a/x 5")
		require.Empty(t, reported.told())
	})
}

// sizer is an actuator that knows what it has done.
type sizer struct{ *recorder }

func (s sizer) Resize(ctx context.Context, r *tidemarkv1.Recommendation) (*tidemarkv1.Size, error) {
	return &tidemarkv1.Size{CpuMillis: 1750}, s.Apply(ctx, r)
}

func TestTheSizeThatTheActuatorKnowsIsReported(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		reported, r := &desk{}, &recorder{}
		running(t, New(Config{Watcher: client, Actuator: sizer{r}, Reporter: reported}, slog.New(slog.DiscardHandler)), r)

		server.Put(advice("a/x", 1, 2))
		require.Equal(t, []string{"a/x 2"}, r.taken())
		require.EqualValues(t, 1750, reported.reports[0].Allocation.GetCpuMillis())

		r.does(func(context.Context, *tidemarkv1.Recommendation) error { return errors.New("half done") })
		server.Put(advice("a/x", 1, 3))
		require.Equal(t, []string{"a/x 3"}, r.taken())
		require.EqualValues(t, 1750, reported.reports[1].Allocation.GetCpuMillis())
	})
}

func TestReportingDoesNotHinderActing(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		reported := &desk{}
		r := acting(t, client, Config{Reporter: reported, MaxChangesPerMinute: -1})

		// The reporter hangs; then the newest of each service comes through, and others need not wait for one that fails.
		reported.does(func(ctx context.Context, _ Report) error {
			<-ctx.Done()

			return ctx.Err()
		})

		for i := range 1000 {
			server.Put(advice(fmt.Sprintf("a/%d", i%10), 1, int64(i+2)))
			synctest.Wait()
		}

		require.Len(t, r.taken(), 1000)
		require.Empty(t, reported.told())

		reported.does(func(_ context.Context, report Report) error {
			if report.Service == "a/3" {
				return errors.New("down")
			}

			return nil
		})
		<-time.After(10 * time.Minute)

		told := reported.told()
		require.Len(t, told, 9)
		require.Equal(t, "a/0@991 applied: ", told[0])
		require.Equal(t, "a/9@1000 applied: ", told[8])

		reported.does(nil)
		<-time.After(time.Minute)
		require.Equal(t, []string{"a/3@994 applied: "}, reported.told())
	})
}

func TestAReportIsGivenUpInTheEnd(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		reported := &desk{}
		acting(t, client, Config{Reporter: reported})

		reported.does(func(context.Context, Report) error { return Permanent(errors.New("unknown service")) })
		server.Put(advice("a/x", 1, 2))
		<-time.After(2 * time.Hour)
		require.Equal(t, 1, reported.attempts())

		reported.does(func(context.Context, Report) error { return errors.New("down") })
		server.Put(advice("a/x", 1, 3))
		<-time.After(maxReportAge - maxReportDelay)

		within := reported.attempts()
		require.Greater(t, within, 60)
		require.Less(t, within, 300)

		<-time.After(maxReportDelay * 3)

		given := reported.attempts()
		require.Greater(t, given, within)
		<-time.After(10 * time.Hour)
		require.Equal(t, given, reported.attempts())

		reported.does(nil)
		server.Put(advice("a/x", 1, 4))
		require.Equal(t, []string{"a/x@3 applied: "}, reported.told(), "the next one is delivered")
	})
}

// A server that takes no reports keeps the agent from nothing: each report is brought once, and it is told of once.
func TestReportsThatAreRefusedAsSuch(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		reported, r, log := &desk{}, &recorder{}, &bytes.Buffer{}
		logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelInfo}))
		running(t, New(Config{Watcher: client, Actuator: r, Reporter: reported}, logger), r)

		refuse := func(context.Context, Report) error { return RefusesReports(errors.New("not allowed")) }
		reported.does(refuse)

		const changes = 20
		for i := range int64(changes) {
			server.Put(advice("a/x", i+1, i+2))
			require.Len(t, r.taken(), 1)
		}

		<-time.After(2 * maxReportAge)
		require.Equal(t, changes, reported.attempts())
		require.Equal(t, 1, strings.Count(log.String(), "\n"), log)
		require.Contains(t, log.String(), "level=ERROR")
		require.Contains(t, log.String(), "not allowed")

		reported.does(nil)
		server.Put(advice("a/x", 1, 99))
		require.Equal(t, []string{fmt.Sprintf("a/x@%d applied: ", changes+1)}, reported.told())
		require.Equal(t, 2, strings.Count(log.String(), "\n"), "and when they are taken again")

		reported.does(refuse)
		server.Put(advice("a/x", 1, 98))
		synctest.Wait()
		require.Equal(t, 2, strings.Count(log.String(), "level=ERROR"))
	})
}

func TestTheLastReportsAreDelivered(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct {
		take func(context.Context, Report) error
		want []string
		most time.Duration
	}{
		"at once": {nil, []string{"a/x@1 failed: the agent was stopped: context canceled"}, 0},
		"at the second attempt": {
			failFirst(), []string{"a/x@1 failed: the agent was stopped: context canceled"}, 2 * time.Second,
		},
		"or not": {func(context.Context, Report) error { return errors.New("down") }, []string{}, lastReports},
	} {
		synctest.Test(t, func(t *testing.T) {
			server, client := connected(t)
			reported, r := &desk{take: c.take}, &recorder{}

			r.does(func(ctx context.Context, _ *tidemarkv1.Recommendation) error {
				<-ctx.Done()

				return ctx.Err()
			})
			server.Put(advice("a/x", 1, 2))

			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			config := Config{Watcher: client, Actuator: r, Reporter: reported, Snapshot: SnapshotAll}

			go func() { done <- New(config, slog.New(slog.DiscardHandler)).Run(ctx) }()

			synctest.Wait()
			cancel()

			before := time.Now()

			require.ErrorIs(t, <-done, context.Canceled)
			require.LessOrEqual(t, time.Since(before), c.most, name)
			require.Equal(t, c.want, reported.told(), name)
		})
	}
}

// failFirst fails at the first call.
func failFirst() func(context.Context, Report) error {
	called := false

	return func(context.Context, Report) error {
		if !called {
			called = true

			return errors.New("down")
		}

		return nil
	}
}

func TestReportsThatWaitAreBounded(t *testing.T) {
	t.Parallel()

	r := newReports(&desk{}, slog.New(slog.DiscardHandler))
	for i := range maxReports + 10 {
		r.add(Report{Service: fmt.Sprintf("a/%d", i)})
		r.add(Report{Service: fmt.Sprintf("a/%d", i), Revision: 2})
	}

	require.Len(t, r.waiting, maxReports)
	require.Len(t, r.order, maxReports)
	require.Equal(t, Report{Service: "a/10", Revision: 2}, r.pop().report, "the oldest were dropped")
}

func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()

	require.Equal(t, "short", bounded("short"))
	require.Equal(t, "a\uFFFDb", bounded("a\xffb"))

	for cut := range 3 {
		long := bounded(strings.Repeat("x", cut) + strings.Repeat("€", 1000))
		require.True(t, utf8.ValidString(long))
		require.LessOrEqual(t, len(long), maxMessage)
		require.Greater(t, len(long), maxMessage-3)
		require.NotContains(t, long, "\uFFFD")
	}
}

func TestTheLastReportsDoNotWaitForABackoff(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		reported := &desk{take: func(context.Context, Report) error { return errors.New("down") }}
		r := newReports(reported, slog.New(slog.DiscardHandler))
		done := make(chan struct{})

		go func() {
			defer close(done)

			r.run(t.Context())
		}()

		r.add(Report{Service: "a/x", Revision: 1, Outcome: tidemarkv1.ScalingOutcome_SCALING_OUTCOME_APPLIED})
		<-time.After(10 * time.Minute)
		require.Greater(t, reported.attempts(), 10, "by now a wait takes half a minute")
		reported.does(nil)

		before := time.Now()

		r.close()
		<-done
		require.Equal(t, []string{"a/x@1 applied: "}, reported.told())
		require.Zero(t, time.Since(before))
	})
}
