package worker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/reflect/protoreflect"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/server/apivalue"
	"github.com/tidemark-project/tidemark/server/queue"
)

// complete checks a table against the published enum: every published value but those named stands for something, and
// what it stands for has its name.
func complete[D comparable, E protoreflect.Enum](t *testing.T, table map[D]E, prefix string, unused ...E) {
	t.Helper()

	values := make(map[protoreflect.EnumNumber]string)
	for value, published := range table {
		require.NotContains(t, values, published.Number(), "two values for one")
		values[published.Number()] = strings.ToUpper(strings.NewReplacer("-", "_", " ", "_").Replace(fmt.Sprint(value)))
	}

	for _, e := range unused {
		require.NotContains(t, values, e.Number())
		values[e.Number()] = "-"
	}

	var zero E

	descriptors := zero.Descriptor().Values()
	require.Len(t, values, descriptors.Len()-1)

	for i := 1; i < descriptors.Len(); i++ {
		d := descriptors.Get(i)

		value, has := values[d.Number()]
		require.True(t, has, d.Name())

		if value != "-" {
			require.Equal(t, string(d.Name()), prefix+value)
		}
	}
}

func TestEveryPublishedValueStandsForOneOfOurs(t *testing.T) {
	complete(t, directions, "DIRECTION_")
	complete(t, statuses, "STATUS_", tidemarkv1.Status_STATUS_FAILED) // of a failure, which is no decision
	complete(t, modes, "MODE_")
	complete(t, bands, "BAND_POSITION_")
	complete(t, memoryClasses, "MEMORY_CLASS_")
	complete(t, memoryTerms, "MEMORY_TERM_")
	complete(t, picks, "WINDOW_PICK_")
	complete(t, scopes, "RESOURCE_", tidemarkv1.Resource_RESOURCE_REPLICAS) // no merge of windows decides them
	complete(t, stages, "ADJUSTMENT_STAGE_")
	complete(t, disruptions, "DISRUPTION_CLASS_")
	complete(t, groupActions, "GROUP_ACTION_")
}

func TestEveryModeTriggerAndResourceIsPublished(t *testing.T) {
	for _, mode := range policy.Modes() {
		require.Contains(t, modes, mode)
	}

	for _, trigger := range queue.Triggers() {
		require.Equal(t, "TRIGGER_"+strings.ToUpper(trigger.String()), apivalue.Trigger(trigger).String())
	}

	for resource, published := range resources {
		require.Equal(t, "RESOURCE_"+resource.String(), published.String())
	}
}

func TestEveryReasonIsPublished(t *testing.T) {
	published := make(map[tidemarkv1.Reason]recommender.Reason)

	for _, reason := range recommender.Reasons() {
		require.NotZero(t, reasonOf(reason), reason)
		published[reasonOf(reason)] = reason
	}

	require.Len(t, published, len(tidemarkv1.Reason_name)-1, "and none is published that cannot be")
}
