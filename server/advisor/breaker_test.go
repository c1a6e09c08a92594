package advisor

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

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

// Many questions at once wait for each other, and none waits beyond its time limit.
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

		for range 2 * maxQuestions {
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
		require.Equal(t, maxQuestions, good)
		require.Equal(t, maxQuestions, bad)
	})
}

func TestAClosedAdvisorSaysSo(t *testing.T) {
	a, _ := start(t)
	require.NoError(t, a.Close())

	_, err := a.Advise(t.Context(), overHTTP("http://recommender.invalid/"), orders)
	require.ErrorIs(t, err, ErrClosed)
}
