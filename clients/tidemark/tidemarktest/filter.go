package tidemarktest

import (
	"slices"
	"strings"

	"google.golang.org/grpc/codes"
	"k8s.io/apimachinery/pkg/labels"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// filter is a request's filter, with its label selector read.
type filter struct {
	*tidemarkv1.RecommendationFilter

	selector labels.Selector
}

func newFilter(f *tidemarkv1.RecommendationFilter) (filter, error) {
	selector, err := labels.Parse(f.GetLabelSelector())
	if err != nil {
		return filter{}, Error(codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT,
			"filter.label_selector: "+err.Error())
	}

	return filter{f, selector}, nil
}

// names reports that the filter lets the service through, as far as its name is concerned.
func (f filter) names(service string) bool {
	tenant, _, _ := strings.Cut(service, "/")

	return containsOrAny(f.GetServices(), service) && containsOrAny(f.GetTenants(), tenant)
}

// selects reports that the filter lets a recommendation through, which may be nil for none.
func (f filter) selects(r *tidemarkv1.Recommendation) bool {
	return r != nil && f.names(r.GetService()) &&
		containsOrAny(f.GetPolicies(), r.GetPolicy().GetName()) &&
		containsOrAny(f.GetModes(), r.GetMode()) &&
		containsOrAny(f.GetDirections(), r.GetDirection()) &&
		containsOrAny(f.GetStatuses(), r.GetStatus()) &&
		f.selector.Matches(labels.Set(r.GetLabels())) &&
		f.GetMinChangePercent() <= changePercent(r)
}

// changePercent is by how many percent a recommendation changes what it changes most.
func changePercent(r *tidemarkv1.Recommendation) float64 {
	from, to := r.GetAllocation(), r.GetRecommended()

	return max(
		percent(float64(from.GetCpuMillis()), float64(to.GetCpuMillis())),
		percent(float64(from.GetMemoryBytes()), float64(to.GetMemoryBytes())),
		percent(float64(from.GetReplicas()), float64(to.GetReplicas())),
	)
}

// percent is by how much one amount differs from another; what was not known (0) differs without end.
func percent(from, to float64) float64 {
	const hundred = 100

	if to == 0 {
		return 0
	}

	return max(to-from, from-to) * hundred / from
}

// containsOrAny reports that a value is one of those asked for; none means any.
func containsOrAny[T comparable](asked []T, value T) bool {
	return len(asked) == 0 || slices.Contains(asked, value)
}
