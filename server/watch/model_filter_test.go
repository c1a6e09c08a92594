package watch

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	"pgregory.net/rapid"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/store"
)

// traits are what filters by value look at.
type traits struct {
	Observe        bool
	From, To       int64 // memory in bytes; 0 is not known
	FromCPU, ToCPU int64 // thousandths of a core
	Tier, Retired  int   // which tier, and whether there is a label that says that the service is to go
}

// The values that traits have. Amounts are such that differences are just at, just below and far above the percentages.
var (
	modelFrom  = []int64{0, 1000, 1000, 1000}
	modelTo    = []int64{0, 800, 801, 1000, 1000, 1199, 1200, 2000}
	modelTiers = []string{"", "gold", "silver", "tin"}
)

func drawTraits(t *rapid.T) traits {
	from, to := rapid.SampledFrom(modelFrom), rapid.SampledFrom(modelTo)

	return traits{
		Observe: rapid.Bool().Draw(t, "observe"),
		From:    from.Draw(t, "from"), To: to.Draw(t, "to"),
		FromCPU: from.Draw(t, "fromCPU"), ToCPU: to.Draw(t, "toCPU"),
		Tier: rapid.IntRange(0, len(modelTiers)-1).Draw(t, "tier"), Retired: rapid.IntRange(0, 1).Draw(t, "retired"),
	}
}

func randomTraits() traits {
	one := func(of []int64) int64 { return of[rand.IntN(len(of))] }

	return traits{
		Observe: rand.IntN(2) == 0, From: one(modelFrom), To: one(modelTo), FromCPU: one(modelFrom), ToCPU: one(modelTo),
		Tier: rand.IntN(len(modelTiers)), Retired: rand.IntN(2),
	}
}

// modelValue makes a recommendation with these traits.
func modelValue(service string, has traits) *tidemarkv1.Recommendation {
	r := value(service, has.ToCPU)
	r.Recommended.MemoryBytes = has.To
	r.Allocation = &tidemarkv1.Size{CpuMillis: has.FromCPU, MemoryBytes: has.From}
	r.Labels = make(map[string]string)

	if has.Observe {
		observeOnly(r)
	}

	if tier := modelTiers[has.Tier]; tier != "" {
		r.Labels["tier"] = tier
	}

	if has.Retired > 0 {
		r.Labels["retired"] = "yes"
	}

	return timed(r)
}

// timed makes a recommendation hold from now on.
func timed(r *tidemarkv1.Recommendation) *tidemarkv1.Recommendation {
	r.EvaluateTime = timestamppb.Now()
	r.ExpireTime = timestamppb.New(time.Now().Add(modelValidity))

	return r
}

// modelSelectors are label selectors, with what they mean.
var modelSelectors = map[string]func(labels map[string]string) bool{
	"":                       func(map[string]string) bool { return true },
	"tier":                   func(labels map[string]string) bool { return labels["tier"] != "" },
	"!tier":                  func(labels map[string]string) bool { return labels["tier"] == "" },
	"tier=gold":              func(labels map[string]string) bool { return labels["tier"] == "gold" },
	"tier!=gold":             func(labels map[string]string) bool { return labels["tier"] != "gold" },
	"tier notin (gold, tin)": func(labels map[string]string) bool { return labels["tier"] != "gold" && labels["tier"] != "tin" },
	"tier in (gold,silver),!retired": func(labels map[string]string) bool {
		return (labels["tier"] == "gold" || labels["tier"] == "silver") && labels["retired"] == ""
	},
}

// drawFilter makes any filter.
func drawFilter(t *rapid.T) *tidemarkv1.RecommendationFilter {
	services := make([]string, modelServices)
	for i := range services {
		services[i] = serviceName(i)
	}

	return &tidemarkv1.RecommendationFilter{
		Services: rapid.SliceOfNDistinct(rapid.SampledFrom(services), 0, 3, rapid.ID).Draw(t, "services"),
		Tenants:  rapid.SampledFrom([][]string{nil, nil, {"prod"}, {"dev", "prod"}}).Draw(t, "tenants"),
		Modes: rapid.SampledFrom([][]tidemarkv1.Mode{
			nil, nil, {tidemarkv1.Mode_MODE_ENFORCE}, {tidemarkv1.Mode_MODE_OBSERVE_ONLY},
		}).Draw(t, "modes"),
		LabelSelector:    rapid.SampledFrom(slices.Sorted(maps.Keys(modelSelectors))).Draw(t, "selector"),
		MinChangePercent: rapid.SampledFrom([]float64{0, 0, 20, 20, 100}).Draw(t, "percent"),
	}
}

// modelFilters are some of each kind.
var modelFilters = [...]*tidemarkv1.RecommendationFilter{
	nil,
	{Modes: []tidemarkv1.Mode{tidemarkv1.Mode_MODE_ENFORCE}},
	{Services: []string{"prod/s00001", "prod/s00002"}, Modes: []tidemarkv1.Mode{tidemarkv1.Mode_MODE_OBSERVE_ONLY}},
	{Services: []string{"prod/s00000", "prod/s00003"}},
	{Tenants: []string{"prod"}},
	{Tenants: []string{"dev", "prod"}, Services: []string{"prod/s00001"}},
	{LabelSelector: "tier in (gold,silver),!retired"},
	{MinChangePercent: 20},
	{Tenants: []string{"prod"}, LabelSelector: "tier=gold", MinChangePercent: 100},
}

// expected is what a reader with the filter should hold.
func expected(snapshot store.Snapshot, f *tidemarkv1.RecommendationFilter) map[string]holding {
	want := make(map[string]holding)

	for _, record := range snapshot.Records {
		if r := record.Recommendation; wants(f, r) {
			want[r.GetService()] = holding{r.GetRevision(), expiry(r)}
		}
	}

	return want
}

// wants says what filters mean.
func wants(f *tidemarkv1.RecommendationFilter, r *tidemarkv1.Recommendation) bool {
	meaning, known := modelSelectors[f.GetLabelSelector()]
	if !known {
		panic(fmt.Sprintf("what does %q mean?", f.GetLabelSelector()))
	}

	tenant, _, _ := strings.Cut(r.GetService(), "/")
	named := len(f.GetServices()) == 0 || slices.Contains(f.GetServices(), r.GetService())
	ofTenant := len(f.GetTenants()) == 0 || slices.Contains(f.GetTenants(), tenant)
	inMode := len(f.GetModes()) == 0 || slices.Contains(f.GetModes(), r.GetMode())
	from, to := r.GetAllocation(), r.GetRecommended()
	enough := f.GetMinChangePercent() == 0 ||
		large(from.GetCpuMillis(), to.GetCpuMillis(), f.GetMinChangePercent()) ||
		large(from.GetMemoryBytes(), to.GetMemoryBytes(), f.GetMinChangePercent()) ||
		large(int64(from.GetReplicas()), int64(to.GetReplicas()), f.GetMinChangePercent())

	return named && ofTenant && inMode && enough && meaning(r.GetLabels())
}

// large computes with tenths of a percent, in integers.
func large(from, to int64, percent float64) bool {
	const thousand = 1000

	change := (to - from) * thousand

	return to != 0 && (from == 0 || max(change, -change) >= int64(percent*10)*from)
}
