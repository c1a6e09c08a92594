package policies

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

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/policies"
)

// file is a file that is not on a disk.
type file struct {
	mu      sync.Mutex
	content string
	err     error
	reads   int
}

func (f *file) write(content string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.content, f.err = content, err
}

func (f *file) read(string) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.reads++

	return []byte(f.content), f.err
}

func (f *file) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()

	return f.reads
}

// following is a Live that runs, in a bubble of synctest.
type following struct {
	*Live

	t        *testing.T
	file     *file
	log      *bytes.Buffer
	registry *prometheus.Registry
	stop     context.CancelFunc
	ended    chan error
}

// follow begins with a file that says eight.
func follow(t *testing.T) *following {
	t.Helper()

	f := &following{t: t, file: &file{content: eight}, log: &bytes.Buffer{}, registry: prometheus.NewRegistry(), ended: make(chan error, 1)}

	live, err := newLive("fleet.yaml", 5*time.Second, f.file.read, slog.New(slog.NewTextHandler(f.log, nil)), f.registry)
	require.NoError(t, err)

	f.Live = live

	ctx, cancel := context.WithCancel(t.Context())
	f.stop = cancel

	go func() { f.ended <- live.Run(ctx) }()

	synctest.Wait()

	return f
}

// after lets time pass until the next reading is over.
func (f *following) after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (f *following) end() {
	f.stop()
	require.ErrorIs(f.t, <-f.ended, context.Canceled)
}

// logged returns the lines of the log since the last call.
func (f *following) logged() []string {
	text := strings.TrimSpace(f.log.String())
	f.log.Reset()

	if text == "" {
		return nil
	}

	return strings.Split(text, "\n")
}

func (f *following) metric(name string) float64 {
	families, err := f.registry.Gather()
	require.NoError(f.t, err)

	for _, family := range families {
		if family.GetName() == name {
			m := family.GetMetric()[0]

			return m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}

	f.t.Fatalf("there is no metric %s", name)

	return 0
}

// hashes are the hashes that the metrics show.
func (f *following) hashes() []string {
	families, err := f.registry.Gather()
	require.NoError(f.t, err)

	var shown []string

	for _, family := range families {
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				require.Equal(f.t, "hash", l.GetName())
				require.InDelta(f.t, 1, m.GetGauge().GetValue(), 0)
				shown = append(shown, l.GetValue())
			}
		}
	}

	return shown
}

func (f *following) maxCPU() int64 { return f.For("prod/a", nil).Policy.Max.CPUMillis }

const (
	eight = "defaults: {max: {cpu: 8}}"
	four  = "defaults: {max: {cpu: 4}}"
	wrong = "defaults: {max: {cpu: x}}"
)

func TestAChangedFileIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t)
		defer f.end()

		before := f.For("prod/a", nil)
		require.Equal(t, int64(8000), f.maxCPU())

		f.after(5 * time.Second)
		require.Empty(t, f.logged(), "nothing is new")

		same := f.For("prod/a", nil)
		require.Same(t, before, same)

		f.file.write(four, nil)
		f.after(4 * time.Second)
		require.Equal(t, int64(8000), f.maxCPU(), "not read yet")
		f.after(time.Second)
		require.Equal(t, int64(4000), f.maxCPU())

		lines := f.logged()
		require.Len(t, lines, 1)
		require.Contains(t, lines[0], "policies changed")
		require.Contains(t, lines[0], "hash="+f.Set().Hash())
		require.InDelta(t, float64(time.Now().Unix()), f.metric("tidemark_policy_last_reload_success_timestamp_seconds"), 0)
		require.Equal(t, []string{f.Set().Hash()}, f.hashes())
	})
}

func TestAWrongFileChangesNothingAndIsSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t)
		defer f.end()

		began := f.metric("tidemark_policy_last_reload_success_timestamp_seconds")

		f.file.write(wrong, nil)
		f.after(time.Minute)
		require.Equal(t, int64(8000), f.maxCPU())

		lines := f.logged()
		require.Len(t, lines, 1, "twelve readings, one line")
		require.Contains(t, lines[0], "level=ERROR")
		require.Contains(t, lines[0], "fleet.yaml:1:23: defaults.max.cpu")
		require.InDelta(t, 1, f.metric("tidemark_policy_reload_failures_total"), 0)
		require.InDelta(t, began, f.metric("tidemark_policy_last_reload_success_timestamp_seconds"), 0)

		// Wrong in another way is news.
		f.file.write("defaults: {max: {cpu: y}}", nil)
		f.after(time.Minute)
		require.Len(t, f.logged(), 1)
		require.InDelta(t, 2, f.metric("tidemark_policy_reload_failures_total"), 0)

		// Put right again with what was in force.
		f.file.write(eight, nil)
		f.after(time.Minute)
		lines = f.logged()
		require.Len(t, lines, 1)
		require.Contains(t, lines[0], "says what is in force")
		require.Greater(t, f.metric("tidemark_policy_last_reload_success_timestamp_seconds"), began)

		// And wrong as before is news again.
		f.file.write(wrong, nil)
		f.after(time.Minute)
		require.Len(t, f.logged(), 1)
	})
}

func TestAFileThatVanishesChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t)
		defer f.end()

		f.file.write("", errors.New("no such file"))
		f.after(time.Minute)
		require.Equal(t, int64(8000), f.maxCPU())

		lines := f.logged()
		require.Len(t, lines, 1)
		require.Contains(t, lines[0], "no such file")

		f.file.write(four, nil)
		f.after(5 * time.Second)
		require.Equal(t, int64(4000), f.maxCPU())
	})
}

func TestReloadReadsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t)
		defer f.end()

		f.file.write(four, nil)
		f.Reload()
		f.after(0)
		require.Equal(t, int64(4000), f.maxCPU())
		require.Len(t, f.logged(), 1)

		// Who asks is answered, also when nothing is new.
		f.Reload()
		f.after(0)
		require.Len(t, f.logged(), 1)

		f.file.write(wrong, nil)

		for range 2 {
			f.Reload()
			f.after(0)

			lines := f.logged()
			require.Len(t, lines, 1)
			require.Contains(t, lines[0], "level=ERROR")
		}
	})
}

func TestReloadDoesNotWait(t *testing.T) {
	live, err := newLive("", time.Hour, nil, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
	require.NoError(t, err)

	for range 10 {
		live.Reload() // nothing runs that could take it
	}
}

func TestWithoutAPathTheBuiltInPoliciesHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &file{}

		live, err := newLive("", time.Second, f.read, slog.New(slog.DiscardHandler), prometheus.NewRegistry())
		require.NoError(t, err)
		require.Same(t, policies.Default(), live.Set())

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()

		live.Reload()
		require.ErrorIs(t, live.Run(ctx), context.DeadlineExceeded)
		require.Zero(t, f.count(), "no file is read")
		require.Equal(t, "default", live.For("prod/a", nil).Policy.Name)
	})
}

func TestNewRefusesWhatItCannotUse(t *testing.T) {
	logger := slog.New(slog.DiscardHandler)

	_, err := newLive("f.yaml", time.Second, (&file{content: wrong}).read, logger, prometheus.NewRegistry())

	var problems *policies.ParseError

	require.ErrorAs(t, err, &problems)

	_, err = newLive("f.yaml", time.Second, (&file{err: errors.New("not there")}).read, logger, prometheus.NewRegistry())
	require.EqualError(t, err, "policies: not there")

	_, err = newLive("f.yaml", 0, nil, logger, prometheus.NewRegistry())
	require.ErrorContains(t, err, "must be positive")
}
