package api

import (
	"time"

	"google.golang.org/protobuf/reflect/protoreflect"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// withFreshness returns the recommendation with its freshness at a time. What the recommendation points to is shared: it
// belongs to the hub, and nobody may change it.
func withFreshness(r *tidemarkv1.Recommendation, now time.Time) *tidemarkv1.Recommendation {
	shown := &tidemarkv1.Recommendation{}
	to := shown.ProtoReflect()

	r.ProtoReflect().Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		to.Set(field, value)

		return true
	})

	shown.Freshness = freshness(r, now)

	return shown
}

// freshness says whether a recommendation may still be relied on.
func freshness(r *tidemarkv1.Recommendation, now time.Time) tidemarkv1.Freshness {
	switch expires := r.GetExpireTime(); {
	case expires != nil && !now.Before(expires.AsTime()):
		return tidemarkv1.Freshness_FRESHNESS_EXPIRED
	case r.GetFailure() != nil, expires != nil && dataTooOld(r, now):
		return tidemarkv1.Freshness_FRESHNESS_STALE
	default:
		return tidemarkv1.Freshness_FRESHNESS_FRESH
	}
}

// dataTooOld reports that no usage sample is younger than the recommendation stays valid.
func dataTooOld(r *tidemarkv1.Recommendation, now time.Time) bool {
	valid := r.GetExpireTime().AsTime().Sub(r.GetEvaluateTime().AsTime())

	return r.GetDataTime() == nil || now.Sub(r.GetDataTime().AsTime()) > valid
}
