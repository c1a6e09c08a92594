package agent

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Where the direction is NONE nothing is done, whatever size is recommended, at the start and later; an actuator that
// shows is given it.
func TestNothingIsDoneWithoutADirection(t *testing.T) {
	t.Parallel()

	for settled, want := range map[bool]string{
		false: "[] [] [] [a/x 4]",
		true:  "[a/x 1] [a/x 2] [a/x 4] [a/x 4]",
	} {
		synctest.Test(t, func(t *testing.T) {
			server, client := connected(t)
			server.Put(advice("a/x", 1, 1))

			r := acting(t, client, Config{Snapshot: SnapshotAll, Settled: settled})
			put := func(next *tidemarkv1.Recommendation) []string {
				server.Put(next)

				return r.taken()
			}

			require.Equal(t, want, fmt.Sprint(
				r.taken(),
				put(advice("a/x", 2, 2)),       // allocation and recommendation
				put(held(advice("a/x", 1, 4))), // the recommendation alone
				put(advice("a/x", 1, 4)),       // the same sizes, and now it is to be done
			))
		})
	}
}

// What waits, is under way or is to be tried again is given up as soon as there is nothing to do any more: the service has
// reached the size by other means, or had better keep its own.
func TestWhatIsSettledIsNotTriedAgain(t *testing.T) {
	t.Parallel()

	for name, now := range map[string]*tidemarkv1.Recommendation{
		"reached":      advice("a/x", 2, 2),
		"reconsidered": advice("a/x", 1, 1),
		"held":         held(advice("a/x", 1, 2)),
	} {
		for _, underWay := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, under way %v", name, underWay), func(t *testing.T) {
				t.Parallel()

				synctest.Test(t, func(t *testing.T) {
					server, client := connected(t)
					r := acting(t, client, Config{})
					r.does(func(context.Context, *tidemarkv1.Recommendation) error {
						if underWay {
							<-time.After(time.Minute)
						}

						return errors.New("down")
					})

					server.Put(advice("a/x", 1, 2))
					require.Equal(t, []string{"a/x 2"}, r.taken())

					server.Put(now)
					synctest.Wait()
					<-time.After(time.Hour)
					require.Empty(t, r.taken())
				})
			})
		}
	}
}
