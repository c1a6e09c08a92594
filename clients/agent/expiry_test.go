package agent

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestTheAgentDoesNotActOnExpiredData(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server, client := connected(t)
		r := acting(t, client, Config{})

		stale, fresh := advice("a/x", 1, 2), advice("a/y", 1, 2)
		stale.ExpireTime = timestamppb.New(time.Now())
		fresh.ExpireTime = timestamppb.New(time.Now().Add(time.Minute))

		r.does(func(context.Context, *tidemarkv1.Recommendation) error { return errors.New("down") })
		server.Put(stale)
		server.Put(fresh)
		require.Equal(t, []string{"a/y 2"}, r.taken())

		// While it is tried again, it expires.
		<-time.After(2 * time.Minute)
		require.NotEmpty(t, r.taken())
		<-time.After(10 * time.Minute)
		require.Empty(t, r.taken())
	})
}
