package apivalue_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/apivalue"
)

func TestLabelsCanBeSent(t *testing.T) {
	require.Nil(t, apivalue.Labels(nil))

	fine := map[string]string{"tier": "gold", "stadt": "Köln"}
	require.Equal(t, fine, apivalue.Labels(fine))

	mended := apivalue.Labels(map[string]string{"tier": "gold", "city": "K\xf6ln", "l\xe4nd": "de"})
	require.Equal(t, map[string]string{"tier": "gold", "city": "K\uFFFDln", "l\uFFFDnd": "de"}, mended)

	for range 20 {
		require.Equal(t, map[string]string{"l\uFFFDnd": "at"}, apivalue.Labels(map[string]string{"l\xe4nd": "de", "l\xffnd": "at"}))
	}

	_, err := proto.Marshal(&tidemarkv1.Recommendation{Labels: mended})
	require.NoError(t, err)
}
