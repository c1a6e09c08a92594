package clickhouse

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	// sourceName is what the server knows this source as.
	sourceName = "clickhouse"
	// maxDetail is how long a detail may be, by the API.
	maxDetail = 256
)

// requests makes one request for each service that the signals name, ordered by service.
func requests(signals map[signal]int64) []*tidemarkv1.EnqueueRequest {
	byService := map[string]*summary{}

	for s := range signals {
		if byService[s.service] == nil {
			byService[s.service] = &summary{scrapeMillis: s.scrapeMillis, values: map[string]float64{}}
		}

		byService[s.service].add(s)
	}

	list := make([]*tidemarkv1.EnqueueRequest, 0, len(byService))

	for _, service := range slices.Sorted(maps.Keys(byService)) {
		list = append(list, &tidemarkv1.EnqueueRequest{
			Service:      service,
			Trigger:      tidemarkv1.Trigger_TRIGGER_SIGNAL,
			Source:       sourceName,
			Detail:       byService[service].detail(),
			ObservedTime: timestamppb.New(time.UnixMilli(byService[service].scrapeMillis)),
		})
	}

	return list
}

// summary puts the signals of one service together.
type summary struct {
	scrapeMillis int64 // the earliest
	values       map[string]float64
}

// add counts amounts of bytes by their maximum, because they are levels, and everything else by its sum.
func (s *summary) add(found signal) {
	s.scrapeMillis = min(s.scrapeMillis, found.scrapeMillis)

	value := found.value()

	if strings.HasSuffix(found.metric, "_bytes") {
		s.values[found.metric] = max(s.values[found.metric], value)
	} else {
		s.values[found.metric] += value
	}
}

// detail is like "cpu_throttled_seconds=2.5 memory_rejections=12".
func (s *summary) detail() string {
	parts := make([]string, 0, len(s.values))
	for _, metric := range slices.Sorted(maps.Keys(s.values)) {
		parts = append(parts, metric+"="+strconv.FormatFloat(s.values[metric], 'f', -1, 64))
	}

	detail := strings.ToValidUTF8(strings.Join(parts, " "), "?")
	if runes := []rune(detail); len(runes) > maxDetail {
		return string(runes[:maxDetail-1]) + "…"
	}

	return detail
}
