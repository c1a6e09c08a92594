package inventory

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

const interval = 15 * time.Second

// fakeLister lists what it is told to.
type fakeLister struct {
	mu   sync.Mutex // guards all below
	list func(context.Context) ([]*tidemarkv1.Service, error)
}

func (f *fakeLister) List(ctx context.Context) ([]*tidemarkv1.Service, error) {
	f.mu.Lock()
	list := f.list
	f.mu.Unlock()

	return list(ctx)
}

func (f *fakeLister) set(list func(context.Context) ([]*tidemarkv1.Service, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.list = list
}

func (f *fakeLister) services(services ...*tidemarkv1.Service) {
	f.set(func(context.Context) ([]*tidemarkv1.Service, error) { return services, nil })
}

func (f *fakeLister) fail(err error) {
	f.set(func(context.Context) ([]*tidemarkv1.Service, error) { return nil, err })
}

// run keeps a cache up to date until the test ends, and returns it with its log.
func run(t *testing.T, lister Lister) (*Cache, *bytes.Buffer) {
	t.Helper()

	var log bytes.Buffer

	cache := New(lister, interval, slog.New(slog.NewTextHandler(&log, nil)))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)

	go func() { ended <- cache.Run(ctx) }()

	t.Cleanup(func() {
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})

	return cache, &log
}

func named(names ...string) []*tidemarkv1.Service {
	services := make([]*tidemarkv1.Service, len(names))
	for i, name := range names {
		services[i] = &tidemarkv1.Service{Service: name}
	}

	return services
}

func keys(services []*tidemarkv1.Service) []string {
	list := make([]string, len(services))
	for i, s := range services {
		list[i] = s.GetService()
	}

	return list
}

func TestTheListIsKeptUpToDate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lister := &fakeLister{}
		lister.services(named("prod/b", "prod/a")...)

		cache, _ := run(t, lister)

		synctest.Wait()

		page, more, read := cache.Page(Query{Limit: 10})
		require.Equal(t, []string{"prod/a", "prod/b"}, keys(page))
		require.False(t, more)
		require.Equal(t, time.Now().UTC(), read.AsTime())

		lister.services(named("prod/c")...)
		<-time.After(interval)
		synctest.Wait()

		page, _, read = cache.Page(Query{Limit: 10})
		require.Equal(t, []string{"prod/c"}, keys(page))
		require.Equal(t, time.Now().UTC(), read.AsTime())
	})
}

func TestAnInventoryThatWasNeverReadSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lister := &fakeLister{}
		lister.fail(errors.New("away"))

		cache, _ := run(t, lister)

		synctest.Wait()

		page, more, read := cache.Page(Query{Limit: 10})
		require.Empty(t, page)
		require.False(t, more)
		require.Nil(t, read)

		lister.services()
		<-time.After(interval)
		synctest.Wait()

		_, _, read = cache.Page(Query{Limit: 10})
		require.NotNil(t, read, "one that is empty was read")
	})
}

func TestAFailedReadKeepsTheListAndIsLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lister := &fakeLister{}
		lister.services(named("prod/a")...)

		cache, log := run(t, lister)

		synctest.Wait()

		began := time.Now().UTC()

		lister.fail(errors.New("connection refused"))
		<-time.After(5 * interval)
		synctest.Wait()

		page, _, read := cache.Page(Query{Limit: 10})
		require.Equal(t, []string{"prod/a"}, keys(page))
		require.Equal(t, began, read.AsTime(), "and says how old it is")
		require.Equal(t, 1, strings.Count(log.String(), "connection refused"))

		lister.services(named("prod/b")...)
		<-time.After(5 * interval)
		synctest.Wait()

		page, _, _ = cache.Page(Query{Limit: 10})
		require.Equal(t, []string{"prod/b"}, keys(page))
		require.Equal(t, 1, strings.Count(log.String(), "can be read again"))
	})
}

func TestAReadThatHangsIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lister := &fakeLister{}
		lister.set(func(ctx context.Context) ([]*tidemarkv1.Service, error) {
			<-ctx.Done()

			return nil, ctx.Err()
		})

		cache, log := run(t, lister)

		synctest.Wait()
		lister.services(named("prod/a")...)
		<-time.After(readTimeout + interval)
		synctest.Wait()

		page, _, _ := cache.Page(Query{Limit: 10})
		require.Equal(t, []string{"prod/a"}, keys(page))
		require.Contains(t, log.String(), "deadline exceeded")
	})
}
