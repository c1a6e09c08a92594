package apivalue

import (
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/queue"
)

// Trigger returns a trigger of the queue.
func Trigger(t queue.Trigger) tidemarkv1.Trigger {
	return triggers[t]
}

var triggers = map[queue.Trigger]tidemarkv1.Trigger{
	queue.Manual:   tidemarkv1.Trigger_TRIGGER_MANUAL,
	queue.Periodic: tidemarkv1.Trigger_TRIGGER_PERIODIC,
	queue.Signal:   tidemarkv1.Trigger_TRIGGER_SIGNAL,
}

// TriggerRecord returns why a service is in the queue.
func TriggerRecord(r queue.Record) *tidemarkv1.TriggerRecord {
	return &tidemarkv1.TriggerRecord{
		Trigger:      Trigger(r.Trigger),
		Source:       r.Source,
		Detail:       r.Detail,
		ObservedTime: TimeOrNone(r.Observed),
		EnqueueTime:  TimeOrNone(r.Enqueued),
		Count:        Count(r.Count),
	}
}

// Count returns a number in the type that the API has for counts.
func Count(n int) int32 {
	return int32(min(n, 1<<30)) //nolint:gosec // bounded one word before
}
