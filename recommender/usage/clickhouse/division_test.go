package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

var errTooLarge = usage.QueryError{Err: errors.New("too many rows"), Divisible: true}

// limitedReader reads services whose rows together are within the limit.
type limitedReader struct {
	rows  map[string]int
	limit int
	fault error
	reads int
	away  int // the read from which on nothing is there; 0 for never
	takes time.Duration
}

var errGone = errors.New("connection refused")

func (l *limitedReader) Read(
	_ context.Context, services []string, request usage.Request,
) (map[string]usage.Snapshot, error) {
	time.Sleep(l.takes)

	if l.reads++; l.away > 0 && l.reads >= l.away {
		return nil, errGone
	}

	rows, snapshots := 0, make(map[string]usage.Snapshot, len(services))

	for _, service := range services {
		rows += l.rows[service]
		snapshots[service] = usage.Snapshot{Service: service, Windows: make([]usage.Window, len(request.Windows))}
	}

	if rows > l.limit {
		return nil, fmt.Errorf("read usage of %d services: %w", len(services), l.fault)
	}

	return snapshots, nil
}

// fleet is services of one row each.
func fleet(size int) (rows map[string]int, services []string) {
	rows = make(map[string]int, size)
	for i := range size {
		rows[fmt.Sprintf("a/%03d", i)] = 1
	}

	return rows, slices.Sorted(maps.Keys(rows))
}

func TestOneServiceThatIsTooLargeFailsAlone(t *testing.T) {
	rows, services := fleet(200)
	rows["a/117"] = 1000
	reader := &limitedReader{rows: rows, limit: 500, fault: errTooLarge}

	snapshots, failed, err := divide(t.Context(), reader, services, twoWindows)
	if err != nil || len(snapshots) != 199 || len(failed) != 1 || !errors.Is(failed["a/117"], errTooLarge.Err) {
		t.Errorf("%d snapshots, failed %v, %v", len(snapshots), failed, err)
	}

	if reader.reads > 17 {
		t.Errorf("%d reads", reader.reads)
	}
}

// None of them is too large, only all of them are.
func TestABatchThatIsTooLarge(t *testing.T) {
	rows, services := fleet(60)
	reader := &limitedReader{rows: rows, limit: 25, fault: errTooLarge}

	snapshots, failed, err := divide(t.Context(), reader, services, twoWindows)
	if err != nil || len(snapshots) != 60 || len(failed) != 0 || reader.reads != 7 {
		t.Errorf("%d snapshots, failed %v, %v after %d reads", len(snapshots), failed, err, reader.reads)
	}
}

// What fewer services would not mend is asked for once.
func TestABatchIsNotDividedForNothing(t *testing.T) {
	rows, services := fleet(60)
	reader := &limitedReader{rows: rows, fault: usage.QueryError{Err: errors.New("no such table")}}

	snapshots, failed, err := divide(t.Context(), reader, services, twoWindows)
	if err != nil || len(snapshots) != 0 || len(failed) != 60 || reader.reads != 1 {
		t.Errorf("%d snapshots, %d failed, %v after %d reads", len(snapshots), len(failed), err, reader.reads)
	}
}

// An outage in the middle ends the reading; what has been read stands.
func TestAnOutageInTheMiddleOfADivision(t *testing.T) {
	rows, services := fleet(8)
	reader := &limitedReader{rows: rows, limit: 2, fault: errTooLarge, away: 5}

	snapshots, failed, err := divide(t.Context(), reader, services, twoWindows)
	if !errors.Is(err, errGone) || len(failed) != 0 || reader.reads != 5 {
		t.Errorf("failed %v, %v after %d reads", failed, err, reader.reads)
	}

	if diff := cmp.Diff([]string{"a/000", "a/001", "a/002", "a/003"}, slices.Sorted(maps.Keys(snapshots))); diff != "" {
		t.Errorf("snapshots (-want +got):\n%s", diff)
	}
}

// Whatever their sizes: every service is read or has failed, none that is too large is read, a lone one that is not never
// fails, and there are at most twice as many reads as services, and one.
func TestDivisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, services := fleet(rapid.IntRange(1, 40).Draw(t, "services"))
		for _, service := range services {
			rows[service] = rapid.IntRange(1, 12).Draw(t, "rows")
		}

		reader := &limitedReader{rows: rows, limit: rapid.IntRange(1, 60).Draw(t, "limit"), fault: errTooLarge}

		snapshots, failed, err := divide(t.Context(), reader, services, twoWindows)
		if err != nil || len(snapshots)+len(failed) != len(services) {
			t.Fatalf("%d snapshots and %d failed of %d, %v", len(snapshots), len(failed), len(services), err)
		}

		if reader.reads > 1+spareReads(len(services)) {
			t.Fatalf("%d reads of %d services", reader.reads, len(services))
		}

		for service := range snapshots {
			if rows[service] > reader.limit {
				t.Fatalf("%s was read", service)
			}
		}

		for service := range failed {
			if rows[service] <= reader.limit && reader.reads < spareReads(len(services)) {
				t.Fatalf("%s failed after %d reads, and is not too large", service, reader.reads)
			}
		}
	})
}

// Callers get what became of their own service.
func TestCallersOfADividedBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows, services := fleet(4)
		rows["a/002"] = 10
		reader := &limitedReader{rows: rows, limit: 5, fault: errTooLarge, takes: time.Second}

		b := NewBatcher(BatcherConfig{MaxWait: time.Minute, MaxServices: 4, MaxReads: 1}, reader)
		defer b.Close()

		busy := ask(b, "a/busy")
		shared := make(map[string]asking, len(services))

		for _, service := range services {
			shared[service] = ask(b, service)
		}

		if err := <-busy.done; err != nil {
			t.Error(err)
		}

		for service, caller := range shared {
			if err := <-caller.done; errors.Is(err, errTooLarge.Err) != (service == "a/002") || err != nil && service != "a/002" {
				t.Errorf("%s got %v", service, err)
			}
		}
	})
}

// With the real engine: what is too much together is read, and of the services only the one that is too large fails.
func TestBatchesThatExceedALimitOfTheEngine(t *testing.T) {
	e := startEngine(t)
	e.config.MaxRows = 1500

	const hours = 30

	var (
		now     = noon()
		names   = make([]string, 0, 61)
		samples = make([]sample, 0, 160*hours)
	)

	for i := range 60 {
		names = append(names, fmt.Sprintf("many/s%02d", i))

		for hour := range hours {
			samples = append(samples, sample{names[i], "r", cpu, now.Add(-time.Duration(hour) * time.Hour), 1})
		}
	}

	names = append(names, "many/s30-large")

	for i := range 100 * hours {
		samples = append(samples, sample{
			"many/s30-large", fmt.Sprintf("r%d", i%100), cpu, now.Add(-time.Duration(i/100) * time.Hour), 1,
		})
	}

	e.insert(samples...)
	e.merge()

	request := usage.Request{Windows: []time.Duration{hours * time.Hour}}

	snapshots, failed, err := divide(t.Context(), e.readerAt(now), names, request)
	if err != nil || len(snapshots) != 60 || len(failed) != 1 || !verdictOf(failed["many/s30-large"]).asked {
		t.Errorf("%d snapshots, failed %v, %v", len(snapshots), failed, err)
	}
}

// A service whose rows make no sense fails alone, and for good: there is no minute 70 in an hour.
func TestMalformedDataOfOneService(t *testing.T) {
	e := startEngine(t)
	now := noon()
	names := []string{"a/1", "a/2", "a/3", "a/bad"}

	for _, name := range names {
		e.insert(sample{name, "r", cpu, now, 1})
	}

	e.execf("INSERT INTO %s (service, replica, hour, resident_bytes) VALUES ('a/bad', 'r', toDateTime(%d), ([70], [1]))",
		e.config.Names.Qualified(e.config.Names.Usage), now.Truncate(time.Hour).Unix())

	snapshots, failed, err := divide(t.Context(), e.readerAt(now), names, twoWindows)
	if err != nil || len(snapshots) != 3 || len(failed) != 1 {
		t.Fatalf("%d snapshots, failed %v, %v", len(snapshots), failed, err)
	}

	if got := verdictOf(failed["a/bad"]); !got.permanent || !strings.Contains(failed["a/bad"].Error(), "resident_bytes of a/bad") {
		t.Errorf("%+v: %v", got, failed["a/bad"])
	}
}
