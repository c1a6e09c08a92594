package clickhouse

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// step is something that happens in a history.
type step struct {
	kind string
	// number is how many signals arrive, or how many seconds something takes.
	number int
	// late is how long a signal takes until it can be read.
	late time.Duration
}

func drawSteps(t *rapid.T, kinds []string) []step {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		return step{
			kind:   rapid.SampledFrom(kinds).Draw(t, "kind"),
			number: rapid.IntRange(1, 40).Draw(t, "number"),
			late:   time.Duration(rapid.IntRange(0, 10_000).Draw(t, "late")) * time.Millisecond,
		}
	}), 1, 40).Draw(t, "steps")
}

// history runs steps and returns how often each signal was delivered.
func history(t *testing.T, steps []step) map[string]int {
	t.Helper()

	delivered := map[string]int{}

	synctest.Test(t, func(t *testing.T) {
		store, sink := &fakeStore{}, &fakeSink{}
		stop := run(t, newFakeSource(DefaultConfig(), store), sink)

		for _, s := range steps {
			switch s.kind {
			case "signals in one moment":
				for range s.number {
					name := fmt.Sprintf("a/s%d", len(delivered))
					delivered[name] = 0
					store.arrive(name, "m", 1, s.late)
				}
			case "repeated insert":
				store.set(func(f *fakeStore) {
					if len(f.rows) > 0 {
						repeated := f.rows[len(f.rows)-1]
						repeated.arrival = time.Now().Add(f.skew).UTC().Truncate(time.Millisecond)
						f.rows = append(f.rows, repeated)
					}
				})
			case "time passes":
				wait(time.Duration(s.number)*time.Second + s.late)
			case "ClickHouse goes away":
				store.set(func(f *fakeStore) { f.fails = errors.New("away") })
			case "ClickHouse comes back":
				store.set(func(f *fakeStore) { f.fails = nil })
			case "the server goes away":
				sink.setDown(true)
			case "the server comes back":
				sink.setDown(false)
			case "ClickHouse is slow":
				store.set(func(f *fakeStore) { f.slow = s.late / 2 })
			case "another replica answers":
				store.set(func(f *fakeStore) { f.lost = s.late })
			case "the clock goes back":
				store.set(func(f *fakeStore) { f.skew -= time.Duration(s.number) * time.Second })
			case "the clock goes forward":
				store.set(func(f *fakeStore) { f.skew += time.Duration(s.number) * time.Second })
			case "restart":
				stop()
				stop = run(t, newFakeSource(DefaultConfig(), store), sink)
			}
		}

		store.set(func(f *fakeStore) { f.fails, f.slow, f.lost = nil, 0, 0 })
		sink.setDown(false)
		wait(5 * time.Minute)
		stop()

		for _, request := range sink.requests {
			delivered[request.GetService()]++
		}
	})

	return delivered
}

func TestEverySignalIsDeliveredExactlyOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		steps := drawSteps(rt, []string{
			"signals in one moment", "signals in one moment", "time passes", "time passes", "repeated insert",
			"ClickHouse goes away", "ClickHouse comes back", "the server goes away", "the server comes back",
			"ClickHouse is slow", "another replica answers", "the clock goes back", "the clock goes forward",
		})

		for service, times := range history(t, steps) {
			if times != 1 {
				rt.Errorf("%s was delivered %d times", service, times)
			}
		}
	})
}

// With restarts, a signal may come twice, but never not at all. The longest history stays within the lookback.
func TestEverySignalIsDeliveredAcrossRestarts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		steps := drawSteps(rt, []string{
			"signals in one moment", "signals in one moment", "time passes", "repeated insert", "restart",
			"ClickHouse goes away", "ClickHouse comes back", "the server goes away", "the server comes back",
		})

		passed := time.Duration(0)

		for i := range steps {
			if steps[i].kind == "time passes" {
				steps[i].number = min(steps[i].number, 10)
				passed += time.Duration(steps[i].number)*time.Second + steps[i].late
			}

			if passed > 4*time.Minute {
				steps = steps[:i]

				break
			}
		}

		for service, times := range history(t, steps) {
			if times < 1 {
				rt.Errorf("%s was not delivered", service)
			}
		}
	})
}
