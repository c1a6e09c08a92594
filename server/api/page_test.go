package api

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestListKeysTellListsApart(t *testing.T) {
	keys := make(map[uint64]bool)

	for _, key := range []uint64{
		listKey((*tidemarkv1.RecommendationFilter)(nil)),
		listKey(&tidemarkv1.RecommendationFilter{Tenants: []string{"a"}}),
		listKey(&tidemarkv1.RecommendationFilter{Policies: []string{"a"}}),
		listKey(&tidemarkv1.ListServicesRequest{}),
		listKey(&tidemarkv1.ListServicesRequest{Tenant: "a"}),
	} {
		require.False(t, keys[key])
		keys[key] = true
	}

	require.Equal(t, listKey((*tidemarkv1.RecommendationFilter)(nil)), listKey(&tidemarkv1.RecommendationFilter{}))

	request := &tidemarkv1.ListServicesRequest{Labels: map[string]string{"a": "1", "b": "2", "c": "3", "d": "4"}}
	key := listKey(request)

	for range 20 { // the order of a map is not the request's
		require.Equal(t, key, listKey(request))
	}
}

func FuzzDecodePageToken(f *testing.F) {
	f.Add("", uint64(0))
	f.Add(encodePageToken("prod/a", 1), uint64(1))
	f.Add(encodePageToken("", 1), uint64(2))
	f.Add("AAAAAAAA", uint64(0))

	f.Fuzz(func(t *testing.T, token string, key uint64) {
		after, err := decodePageToken(token, key)
		if err != nil {
			require.Empty(t, after)
			requireStatus(t, err, codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_PAGE_TOKEN)

			return
		}

		again, err := decodePageToken(encodePageToken(after, key), key)
		require.NoError(t, err)
		require.Equal(t, after, again)

		if token != "" {
			_, err = decodePageToken(token, key+1)
			require.Error(t, err, "a token of one list is none of another")
		}
	})
}
