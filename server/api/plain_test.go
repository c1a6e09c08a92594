package api

import (
	"strings"
	"testing"

	"buf.build/go/protovalidate"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"
	"pgregory.net/rapid"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// What is plainly valid is valid by the rules of the API.
func TestPlainlyValidIsValid(t *testing.T) {
	part := rapid.StringMatching(`[a-zA-Z0-9._/ ä-]{0,4}`)
	long := rapid.IntRange(0, 260)

	rapid.Check(t, func(t *rapid.T) {
		request := &tidemarkv1.EnqueueRequest{
			Service: part.Draw(t, "tenant") + rapid.SampledFrom([]string{"/", "", "//"}).Draw(t, "slash") + part.Draw(t, "name") +
				strings.Repeat("x", rapid.SampledFrom([]int{0, 240, 247, 248, 249, 250, 251}).Draw(t, "more")),
			Trigger:   tidemarkv1.Trigger(rapid.Int32Range(-1, 5).Draw(t, "trigger")),
			Source:    strings.Repeat(rapid.SampledFrom([]string{"s", "ä"}).Draw(t, "source"), long.Draw(t, "length")/4),
			Detail:    strings.Repeat(rapid.SampledFrom([]string{"d", "ä"}).Draw(t, "detail"), long.Draw(t, "length")),
			RequestId: rapid.SampledFrom([]string{"", "no uuid", "5f0b5f4e-6b1a-4f43-9d3e-0c8f0d8a1b2c"}).Draw(t, "id"),
		}

		if err := protovalidate.Validate(request); err != nil && plainlyValid(request) {
			t.Fatalf("%v is plainly valid, but: %v", request, err)
		}
	})
}

// What sources send is seen to be valid; otherwise they would only wait longer, and nobody would notice.
func TestWhatSourcesSendIsPlainlyValid(t *testing.T) {
	t.Parallel()

	for _, service := range []string{"prod/orders-db", "a/b", "tenant_1/x.y-z.1", "t/" + strings.Repeat("x", 251)} {
		require.True(t, plainlyValid(&tidemarkv1.EnqueueRequest{
			Service: service, Trigger: tidemarkv1.Trigger_TRIGGER_SIGNAL, Source: "clickhouse", Detail: "rejections=3",
			ObservedTime: timestamppb.Now(),
		}), service)
	}

	require.True(t, plainlyValid(&tidemarkv1.EnqueueRequest{Service: "a/b"}))
}
