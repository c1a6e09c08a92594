package tidemark_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tidemark-project/tidemark/clients/tidemark"
)

func TestWatchTellsRenewalsFromChanges(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, f := watching(t, tidemark.WatchOptions{})
		revision := server.Put(recommendation("a/x", 1))

		f.expect(tidemark.SnapshotStarted)
		f.expect(tidemark.Changed)
		f.expect(tidemark.CaughtUp)

		again := recommendation("a/x", 1)
		again.ExpireTime = timestamppb.New(time.Now().Add(time.Hour))
		server.Renew(again)

		renewed := f.expect(tidemark.Renewed)
		require.Equal(t, revision, renewed.Recommendation.GetRevision())
		require.Equal(t, again.GetExpireTime().AsTime(), renewed.Recommendation.GetExpireTime().AsTime())
		require.False(t, renewed.Snapshot)
		require.NotEmpty(t, renewed.ResumeToken)

		server.Put(recommendation("a/x", 2))
		require.EqualValues(t, 2, f.expect(tidemark.Changed).Recommendation.GetRecommended().GetCpuMillis())
	})
}

// What a loop asked not to be given at first may be renewed later: it is not new.
func TestWatchOfChangesOnlyTellsRenewalsToo(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, f := watching(t, tidemark.WatchOptions{ChangesOnly: true})

		server.Put(recommendation("a/x", 1))
		f.expect(tidemark.CaughtUp)

		server.Renew(recommendation("a/x", 1))
		f.expect(tidemark.Renewed)
	})
}
