package advisor

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/sony/gobreaker/v2"
	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// scripted answers with what it is told to and counts the questions.
type scripted struct {
	mu    sync.Mutex
	err   error
	asked int
	delay time.Duration
}

func (s *scripted) ask(ctx context.Context, _ external.Params, _ Request) (size.Size, error) {
	s.mu.Lock()
	err, delay := s.err, s.delay
	s.asked++
	s.mu.Unlock()

	if delay > 0 {
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return size.Size{}, ctx.Err()
		}
	}

	return size.Size{Replicas: 4}, err
}

func (*scripted) close() error { return nil }

// script puts the answers of s in the place of an endpoint's.
func script(t *testing.T, a *Advisor, s *scripted) external.Params {
	t.Helper()

	params := overHTTP("http://recommender.invalid/")
	params.FailureThreshold, params.OpenFor = 3, 30*time.Second

	e, err := a.endpoint(params)
	require.NoError(t, err)

	e.asker = s

	return params
}

// questions is how many questions had the outcome.
func questions(t *testing.T, a *Advisor, outcome string) int {
	t.Helper()

	return number(t, a.metrics.questions.WithLabelValues("http://recommender.invalid/", outcome))
}

// number is the value of a collector that has one series.
func number(t *testing.T, collector prometheus.Collector) int {
	t.Helper()

	registry := prometheus.NewRegistry()
	require.NoError(t, registry.Register(collector))

	families, err := registry.Gather()
	require.NoError(t, err)
	require.Len(t, families, 1)
	require.Len(t, families[0].GetMetric(), 1)

	return int(families[0].GetMetric()[0].GetCounter().GetValue() + families[0].GetMetric()[0].GetGauge().GetValue())
}

func TestTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, log := start(t)
		s := &scripted{err: errors.New("down")}
		params := script(t, a, s)
		advise := func() error {
			_, err := a.Advise(t.Context(), params, orders)

			return err
		}

		for range 10 {
			require.Error(t, advise())
		}

		require.Equal(t, 3, s.asked, "after three failures it is left alone")
		require.Equal(t, 1, strings.Count(log.String(), "WARN"), "trouble is said once")

		time.Sleep(31 * time.Second)
		require.Error(t, advise())
		require.Error(t, advise())
		require.Equal(t, 4, s.asked, "one question finds out whether it is back")

		time.Sleep(31 * time.Second)
		s.err = nil
		require.NoError(t, advise())
		require.NoError(t, advise())
		require.Equal(t, 6, s.asked)
		require.Equal(t, 1, strings.Count(log.String(), "answers again"))
	})
}

// Not to know a service is an answer; and a caller that gives up says nothing about the endpoint.
func TestWhatIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, log := start(t)
		s := &scripted{err: errNotKnown}
		params := script(t, a, s)

		for range 10 {
			_, err := a.Advise(t.Context(), params, orders)
			require.ErrorIs(t, err, errNotKnown)
		}

		s.err, s.delay = nil, time.Second

		for range 10 {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Millisecond, cancel)

			_, err := a.Advise(ctx, params, orders)
			require.ErrorIs(t, err, context.Canceled)
		}

		require.Equal(t, 20, s.asked)
		require.Empty(t, log.String())
	})
}

// Many questions at once wait for each other, and none waits beyond its time limit. An endpoint that answers in time is
// not left alone because it is asked too much.
func TestQuestionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := start(t)
		s := &scripted{delay: 4 * time.Second}
		params := script(t, a, s)
		params.Timeout = 5 * time.Second

		var (
			wait      sync.WaitGroup
			mu        sync.Mutex
			good, bad int
		)

		for range 3 * maxQuestions {
			wait.Go(func() {
				_, err := a.Advise(t.Context(), params, orders)

				mu.Lock()
				defer mu.Unlock()

				if err == nil {
					good++
				} else {
					bad++
				}
			})
		}

		wait.Wait()
		require.Equal(t, 2*maxQuestions, good)
		require.Equal(t, maxQuestions, bad)

		_, err := a.Advise(t.Context(), params, orders)
		require.NoError(t, err)
		require.Equal(t, maxQuestions, questions(t, a, "busy"))
		require.Equal(t, 2*maxQuestions+1, questions(t, a, "ok"))
	})
}

func TestMetricsSayWhatIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := start(t)
		s := &scripted{err: errors.New("down")}
		params := script(t, a, s)

		for range 5 {
			require.Zero(t, number(t, a.metrics.open))

			if _, err := a.Advise(t.Context(), params, orders); errors.Is(err, gobreaker.ErrOpenState) || s.asked == 3 {
				break
			}
		}

		require.Equal(t, 1, number(t, a.metrics.open))

		s.err = nil
		_, err := a.Advise(t.Context(), params, orders)
		require.ErrorIs(t, err, gobreaker.ErrOpenState)
		require.Equal(t, 1, questions(t, a, "refused"))

		time.Sleep(31 * time.Second)

		_, err = a.Advise(t.Context(), params, orders)
		require.NoError(t, err)
		require.Zero(t, number(t, a.metrics.open))
	})
}

// What one endpoint does is not held against another, nor against the same one with other settings.
func TestEachEndpointHasItsOwnBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, _ := start(t)
		bad, good := &scripted{err: errors.New("down")}, &scripted{}
		badParams := script(t, a, bad)
		goodParams := badParams
		goodParams.Endpoint.Address = "http://other.invalid/"

		e, err := a.endpoint(goodParams)
		require.NoError(t, err)

		e.asker = good

		for range 10 {
			_, err := a.Advise(t.Context(), badParams, orders)
			require.Error(t, err)

			_, err = a.Advise(t.Context(), goodParams, orders)
			require.NoError(t, err)
		}

		require.Equal(t, 3, bad.asked)
		require.Equal(t, 10, good.asked)
	})
}

func TestCloseEndsQuestionsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, log := start(t)
		s := &scripted{delay: time.Hour}
		params := script(t, a, s)
		params.Timeout = time.Minute
		ended := make(chan error, 1)

		go func() {
			_, err := a.Advise(t.Context(), params, orders)
			ended <- err
		}()
		synctest.Wait()

		began := time.Now()

		require.NoError(t, a.Close())
		require.ErrorIs(t, <-ended, ErrClosed)
		require.Zero(t, time.Since(began))
		require.Empty(t, log.String(), "that is no trouble of the endpoint's")
	})
}

func TestAClosedAdvisorSaysSo(t *testing.T) {
	a, _ := start(t)
	require.NoError(t, a.Close())

	_, err := a.Advise(t.Context(), overHTTP("http://recommender.invalid/"), orders)
	require.ErrorIs(t, err, ErrClosed)
}
