// Package apivalue writes the recommender's values down in the API's terms.
package apivalue

import (
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

// SizeOrNone leaves out a size that is not known.
func SizeOrNone(s size.Size) *tidemarkv1.Size {
	if s == (size.Size{}) {
		return nil
	}

	return &tidemarkv1.Size{CpuMillis: s.CPUMillis, MemoryBytes: s.MemoryBytes, Replicas: s.Replicas}
}

// TimeOrNone leaves out a time that is not known.
func TimeOrNone(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}

	return timestamppb.New(t)
}

// Window is what was seen in one look-back window.
func Window(w usage.Window) *tidemarkv1.WindowUsage {
	return &tidemarkv1.WindowUsage{
		Length:                       durationpb.New(w.Length),
		Coverage:                     w.Coverage,
		CpuPeakMillis:                w.CPUPeakMillis,
		QueryMemoryPeakBytes:         w.QueryMemoryPeakBytes,
		ResidentMemoryPeakBytes:      w.ResidentMemoryPeakBytes,
		ResidentMemoryMedianBytes:    w.ResidentMemoryMedianBytes,
		MemoryRejections:             w.MemoryRejections,
		OomKills:                     w.OOMKills,
		OomKillResidentBytes:         w.OOMKillResidentBytes,
		RejectionResidentBytes:       w.RejectionResidentBytes,
		NewestRejectionTime:          TimeOrNone(w.NewestRejectionTime),
		NewestOomKillTime:            TimeOrNone(w.NewestOOMKillTime),
		CpuTotalPeakMillis:           w.CPUTotalPeakMillis,
		CpuTotalLowMillis:            w.CPUTotalLowMillis,
		ResidentMemoryTotalPeakBytes: w.ResidentMemoryTotalPeakBytes,
		ResidentMemoryTotalLowBytes:  w.ResidentMemoryTotalLowBytes,
	}
}
