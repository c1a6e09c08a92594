package agent

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// pausable runs an agent until the bubble ends.
func pausable(t *testing.T, client *tidemark.Client, config Config) (*Agent, *recorder) {
	t.Helper()

	r := &recorder{}
	config.Watcher, config.Actuator = client, r
	agent := New(config, slog.New(slog.DiscardHandler))
	running(t, agent, r)

	return agent, r
}

func TestAPauseKeepsTheNewestOfEachService(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		reported := &desk{}
		agent, r := pausable(t, client, Config{Reporter: reported, Workers: 2})

		agent.Pause("maintenance")

		for to := int64(2); to < 5; to++ {
			server.Put(advice("a/x", 1, to))
			synctest.Wait()
		}

		for _, service := range []string{"a/gone", "a/observed", "a/y", "a/z"} {
			server.Put(advice(service, 1, 2))
		}

		synctest.Wait()
		server.Remove("a/gone")
		server.Put(moded(tidemarkv1.Mode_MODE_OBSERVE_ONLY, advice("a/observed", 1, 2)))
		<-time.After(time.Hour)
		require.Empty(t, r.taken())
		require.True(t, agent.Paused())
		require.Equal(t, []string{
			"a/gone@4 deferred: the agent is paused: maintenance",
			"a/observed@5 deferred: the agent is paused: maintenance",
			"a/x@1 deferred: the agent is paused: maintenance",
			"a/x@2 deferred: the agent is paused: maintenance",
			"a/x@3 deferred: the agent is paused: maintenance",
			"a/y@6 deferred: the agent is paused: maintenance",
			"a/z@7 deferred: the agent is paused: maintenance",
		}, reported.told())

		agent.Resume()
		require.Equal(t, []string{"a/x 4", "a/y 2", "a/z 2"}, r.taken())
		require.Equal(t, []string{"a/x@3 applied: ", "a/y@6 applied: ", "a/z@7 applied: "}, reported.told())

		<-time.After(time.Hour)
		require.Empty(t, r.taken())
	})
}

func TestAPauseLeavesAloneWhatIsUnderWay(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		reported := &desk{}
		agent, r := pausable(t, client, Config{Reporter: reported})

		finish := make(chan error)
		r.does(func(context.Context, *tidemarkv1.Recommendation) error { return <-finish })
		server.Put(advice("a/x", 1, 2))
		require.Equal(t, []string{"a/x 2"}, r.taken())

		agent.TogglePause("test")

		finish <- errors.New("down")

		<-time.After(time.Hour)
		require.Empty(t, r.taken(), "it is not repeated during the pause")
		require.Equal(t, []string{"a/x@1 deferred: the agent is paused: test", "a/x@1 failed: down"}, reported.told())

		r.does(nil)
		agent.TogglePause("test")
		require.False(t, agent.Paused())
		require.Equal(t, []string{"a/x 2"}, r.taken(), "but afterwards")
	})
}

func TestPausesWithoutEndLoseNothing(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		agent, r := pausable(t, client, Config{Workers: 3, MaxChangesPerMinute: -1})

		for i := range 500 {
			server.Put(advice("a/"+string(rune('a'+i%20)), 1, int64(i+2)))
			agent.TogglePause("test")
		}

		require.False(t, agent.Paused())
		synctest.Wait()

		last := r.taken()
		for i := range 20 {
			require.Contains(t, last, advised(i))
		}
	})
}

// advised is the last call of TestPausesWithoutEndLoseNothing for a service.
func advised(i int) string {
	r := recorder{}
	_ = r.Apply(context.Background(), advice("a/"+string(rune('a'+i)), 1, int64(480+i+2)))

	return r.calls[0]
}

func TestTheStopFile(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "stop")
	loop := filepath.Join(t.TempDir(), "loop")
	require.NoError(t, os.Symlink(loop, loop))

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		reported := &desk{}
		agent, r := pausable(t, client, Config{Reporter: reported, StopFile: path})

		server.Put(advice("a/x", 1, 2))
		require.Equal(t, []string{"a/x 2"}, r.taken())
		reported.told()

		require.NoError(t, os.WriteFile(path, nil, 0o600))
		server.Put(advice("a/x", 1, 3))
		require.Empty(t, r.taken(), "at once")
		<-time.After(time.Hour)
		require.Empty(t, r.taken())
		require.False(t, agent.Paused())
		require.Equal(t, []string{"a/x@2 deferred: the stop file " + path + " exists"}, reported.told())

		agent.Pause("test")
		require.NoError(t, os.Remove(path))
		<-time.After(time.Minute)
		require.Empty(t, r.taken(), "it is paused as well")

		agent.Resume()
		require.Equal(t, []string{"a/x 3"}, r.taken())

		require.NoError(t, os.WriteFile(path, nil, 0o600))
		server.Put(advice("a/x", 1, 4))
		require.Empty(t, r.taken())
		require.NoError(t, os.Remove(path))
		<-time.After(lookEvery)
		require.Equal(t, []string{"a/x 4"}, r.taken(), "within a second")
	})

	// Nobody can say what is there: better not.
	g := gate{stopFile: filepath.Join(loop, "stop"), logger: slog.New(slog.DiscardHandler)}
	require.ErrorContains(t, errors.New(g.closed(t.Context())), "cannot tell whether the stop file exists")
}
