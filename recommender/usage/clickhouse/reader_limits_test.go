package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

func TestReadSplitsLargeBatches(t *testing.T) {
	e := startEngine(t)
	e.config.MaxServices = 7

	services, samples := make([]string, 0, 20), make([]sample, 0, 20)

	now := noon()
	for i := range 20 {
		services = append(services, fmt.Sprintf("many/s%d", i))
		samples = append(samples, sample{services[i], "r", cpu, now, float64(i + 1)})
	}

	e.insert(samples...)

	got, err := e.readerAt(now).Read(t.Context(), services, usage.Request{Windows: []time.Duration{time.Hour}})
	if err != nil {
		t.Fatal(err)
	}

	for i, service := range services {
		if peak := got[service].Windows[0].CPUPeakMillis; peak != int64(i+1)*1000 {
			t.Errorf("%s: peak %d", service, peak)
		}
	}
}

func TestReadFails(t *testing.T) {
	e := startEngine(t)
	e.insert(sample{"a/b", "r", cpu, time.Now(), 1}, sample{"a/b", "r2", cpu, time.Now(), 1})

	read := func(ctx context.Context, config Config, windows ...time.Duration) error {
		_, err := NewReader(config, e.conn).Read(ctx, []string{"a/b"}, usage.Request{Windows: windows})

		return err
	}

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()

	if err := read(cancelled, e.config, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}

	if err := read(t.Context(), e.config, 15*time.Minute); err == nil {
		t.Error("a window of a bucket and a half gives no error")
	}

	tight := e.config
	tight.MaxRows = 1

	if err := read(t.Context(), tight, time.Hour); err == nil || !strings.Contains(err.Error(), "TOO_MANY_ROWS") && !strings.Contains(err.Error(), "Limit for rows") {
		t.Errorf("too many rows gives %v", err)
	}

	missing := e.config
	missing.Names.Usage = "nowhere"

	if err := read(t.Context(), missing, time.Hour); err == nil || !strings.Contains(err.Error(), "read usage of 1 services") {
		t.Errorf("a missing table gives %v", err)
	}

	if err := read(t.Context(), e.config, time.Hour); err != nil {
		t.Errorf("the connection did not survive the failures: %v", err)
	}
}

// A query that takes long is given up when its time or its caller's has passed.
func TestReadThatTakesLong(t *testing.T) {
	e := startEngine(t)
	reader := e.readerAt(time.Time{})
	reader.clock = "sleep(3) + " + serverClock

	brief, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()

	start := time.Now()

	if _, err := reader.Read(brief, []string{"a/b"}, usage.Request{Windows: []time.Duration{time.Hour}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the caller's deadline gives %v", err)
	}

	reader.config.QueryTimeout = 50 * time.Millisecond

	_, err := reader.Read(t.Context(), []string{"a/b"}, usage.Request{Windows: []time.Duration{time.Hour}})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "did not answer within 50ms") {
		t.Errorf("the reader's own timeout gives %v", err)
	}

	if took := time.Since(start); took > 2500*time.Millisecond {
		t.Errorf("took %s", took)
	}
}

func TestConfigValidate(t *testing.T) {
	good := DefaultConfig()
	if err := good.Validate(); err != nil {
		t.Error(err)
	}

	bad := Config{QueryTimeout: time.Millisecond, MaxRows: -1, MaxServices: 501}

	err := bad.Validate()
	for _, word := range []string{"usage-query-timeout", "usage-query-max-rows", "usage-query-max-services", "usage table"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%v does not name %s", err, word)
		}
	}
}

func TestFlagsDefault(t *testing.T) {
	var flags struct {
		Config Config `embed:""`
	}

	parser, err := kong.New(&flags)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := parser.Parse(nil); err != nil {
		t.Fatal(err)
	}

	want := DefaultConfig()
	want.Names.Database = ""

	if diff := cmp.Diff(want, flags.Config); diff != "" {
		t.Errorf("flags and DefaultConfig differ (-DefaultConfig +flags):\n%s", diff)
	}
}
