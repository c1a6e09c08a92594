package worker

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server/queue"
)

// readsBut has some services fail with an error that is about what was asked.
func (f *fixture) readsBut(fault usage.QueryError, services ...string) {
	bad := make(map[string]bool)
	for _, service := range services {
		bad[service] = true
	}

	f.usage.set(func(_ context.Context, service string) (usage.Snapshot, error) {
		if bad[service] {
			return usage.Snapshot{}, fmt.Errorf("read usage of %s: %w", service, fault)
		}

		return seen(service), nil
	})
}

// An answer about a query is no outage, however many services get one: the usage store is there, and each is retried and
// then given up for itself.
func TestAnAnswerAboutTheQueryIsNoOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const services = 60

		f := start(t)
		names := make([]string, services)

		for i := range names {
			names[i] = fmt.Sprintf("prod/s%d", i)
		}

		f.readsBut(usage.QueryError{Err: errors.New("code: 158, message: too many rows"), Divisible: true}, names...)

		for _, name := range names {
			f.enqueue(name, queue.Signal)
		}

		<-time.After(time.Hour)
		synctest.Wait()

		require.Equal(t, queue.Closed, f.queue.Dependencies()[0].State)
		require.Zero(t, f.queue.Dependencies()[0].Trips)
		require.Zero(t, f.observer.outcomes()[Unavailable])

		f.enqueue("prod/another", queue.Signal)
		synctest.Wait()
		require.NotNil(t, f.recommendation("prod/another").GetRecommended())
	})
}

func TestWhatIsTooLargeIsRetriedAndThenGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.readsBut(usage.QueryError{Err: errors.New("too many rows"), Divisible: true}, "prod/large")
		f.enqueue("prod/large", queue.Signal)
		f.enqueue("prod/small", queue.Signal)
		<-time.After(time.Hour)
		synctest.Wait()

		limit := queue.Default().BackoffLimit
		require.Equal(t, map[string]int{Succeeded: 1, Retried: limit}, f.observer.outcomes())

		failure := f.recommendation("prod/large").GetFailure()
		require.EqualValues(t, limit, failure.GetAttempts())
		require.Equal(t, "usage store: read usage of prod/large: too many rows", failure.GetMessage())
		require.Nil(t, failure.GetRetryTime())
	})
}

// Data that make no sense make no more of it a second later.
func TestMalformedDataAreNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.readsBut(usage.QueryError{Err: errors.New("no tuple"), Permanent: true}, "prod/a")
		f.enqueue("prod/a", queue.Signal)
		<-time.After(time.Hour)
		synctest.Wait()

		require.Equal(t, map[string]int{Failed: 1}, f.observer.outcomes())
		require.Equal(t, queue.Depth{Failed: 1}, f.queue.Depth())
		require.Nil(t, f.recommendation("prod/a").GetFailure().GetRetryTime())
	})
}
