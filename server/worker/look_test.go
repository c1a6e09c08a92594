package worker

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/policies"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
	"github.com/tidemark-project/tidemark/server/queue"
)

func reading(windows ...time.Duration) usage.Request { return usage.Request{Windows: windows} }

// labelled makes every snapshot come with a tier.
func labelled(f *fixture, tier string) {
	f.usage.set(func(_ context.Context, service string) (usage.Snapshot, error) {
		s := seen(service)
		s.Labels = map[string]string{"tier": tier}

		return s, nil
	})
}

// The labels of the inventory select what is read; newer ones that come with it select anew, and what is missing is read.
func TestTheNewestLabelsSelectThePolicy(t *testing.T) {
	for name, c := range map[string]struct {
		inventory, snapshot string
		request             usage.Request // of the gold policy
		want                string
		reads               int
	}{
		"both know":                     {"gold", "gold", reading(time.Hour), "gold", 1},
		"the inventory is behind":       {"", "gold", reading(time.Hour), "gold", 2},
		"behind, but nothing more read": {"", "gold", usage.Request{}, "gold", 1},
		"the label has gone":            {"gold", "", reading(time.Hour), "test", 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := start(t)
				f.sizing.effective["gold"] = &policies.Effective{
					Policy: policy.Policy{Name: "gold", Hash: "h2"}, Recommender: f.recommender, Request: c.request,
				}
				f.sizing.labels = map[string]string{"tier": c.inventory}
				labelled(f, c.snapshot)

				f.enqueue("prod/a", queue.Periodic)
				synctest.Wait()

				require.Equal(t, c.want, f.recommendation("prod/a").GetPolicy().GetName())
				require.Len(t, f.usage.requests, c.reads)
			})
		})
	}
}

func TestAdviceReachesTheRecommender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		inputs := make(chan recommender.Input, 10)
		f.recommender.set(func(in recommender.Input) recommender.Proposal {
			inputs <- in

			return recommender.Proposal{}
		})

		f.enqueue("prod/a", queue.Periodic)
		require.Zero(t, (<-inputs).Advice)
		synctest.Wait()
		require.Empty(t, f.sizing.asked, "a policy that names no outside recommender asks none")

		params := external.Defaults()
		f.sizing.effective[""].External = &params
		f.sizing.advice = recommender.Advice{Size: size.Size{CPUMillis: 5_000}, Time: time.Now()}

		f.enqueue("prod/a", queue.Periodic)
		require.Equal(t, f.sizing.advice, (<-inputs).Advice)
		synctest.Wait()
		require.Equal(t, "prod/a", f.sizing.asked[0].Service)
		require.Equal(t, allocated, f.sizing.asked[0].Allocation)

		f.sizing.err = errors.New("down")

		f.enqueue("prod/a", queue.Periodic)
		require.Zero(t, (<-inputs).Advice, "no answer is no advice, and no failure")
		synctest.Wait()
		require.Zero(t, f.recommendation("prod/a").GetFailure())
	})
}

// Asking takes time, and the evaluation is of the moment after it: advice that seemed to come from later than now could not
// be believed.
func TestAdviceIsNotNewerThanTheEvaluation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		inputs := make(chan recommender.Input, 1)
		f.recommender.set(func(in recommender.Input) recommender.Proposal {
			inputs <- in

			return recommender.Proposal{}
		})

		params := external.Defaults()
		f.sizing.effective[""].External = &params
		f.sizing.takes = 3 * time.Second

		f.enqueue("prod/a", queue.Periodic)

		in := <-inputs
		require.False(t, in.Advice.Time.IsZero())
		require.False(t, in.Advice.Time.After(in.Now), "%s is after %s", in.Advice.Time, in.Now)
	})
}

// Where nothing is known of the size, there is nothing to ask.
func TestNoAdviceWithoutAnAllocation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t)
		f.usage.set(func(_ context.Context, service string) (usage.Snapshot, error) {
			return usage.Snapshot{Service: service}, nil
		})

		params := external.Defaults()
		f.sizing.effective[""].External = &params

		f.enqueue("prod/a", queue.Periodic)
		synctest.Wait()
		require.Empty(t, f.sizing.asked)
	})
}
