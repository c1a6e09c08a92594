package policies_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/percentile"
	"github.com/tidemark-project/tidemark/recommender/policies"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/profile"
	"github.com/tidemark-project/tidemark/recommender/replicas"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/threshold"
	"github.com/tidemark-project/tidemark/recommender/twowindow"
)

const gib = int64(1) << 30

func parse(tb testing.TB, content string) *policies.Set {
	tb.Helper()

	s, err := policies.Parse("test.yaml", []byte(content))
	require.NoError(tb, err)

	return s
}

// fleet is the file with one of everything.
func fleet(tb testing.TB) *policies.Set {
	tb.Helper()

	content, err := os.ReadFile("testdata/good/fleet.yaml")
	require.NoError(tb, err)

	return parse(tb, string(content))
}

// requireExplained checks that the explanation of a service is a file that gives it the same policy.
func requireExplained(tb testing.TB, s *policies.Set, service string, labels map[string]string) {
	tb.Helper()

	text := s.Explain(service, labels)
	again, err := policies.Parse("explained.yaml", []byte(text))
	require.NoError(tb, err, text)
	require.Equal(tb, s.For(service, labels), again.For(service, labels), text)
}

func TestDefaultIsThePolicyOfTheLibrary(t *testing.T) {
	t.Parallel()

	want := policy.Default()
	got := policies.Default().For("prod/orders-db", nil)

	require.Equal(t, want.Hash, got.Policy.Hash)
	require.Equal(t, policy.DisruptionRolling, got.Policy.Disruption.Class)

	// The class is spelled out; all else is the same to the last field.
	want.Disruption.Class = policy.DisruptionRolling
	require.Equal(t, want, got.Policy)

	rule, err := profile.New(profile.Default)
	require.NoError(t, err)
	require.Equal(t, rule, got.Recommender)
	require.Equal(t, rule.Needs(), got.Request)
	require.Nil(t, got.External)
	require.Empty(t, got.Match)

	again := policies.Default().For("prod/orders-db", nil)
	require.Same(t, got, again)
}

func TestTheFirstThatMatchesWins(t *testing.T) {
	t.Parallel()

	s := fleet(t)
	gold := map[string]string{"tier": "gold"}

	for _, c := range []struct {
		service string
		labels  map[string]string
		policy  string
		match   string
	}{
		{"prod/orders-db", gold, "gold-databases", "prod/orders-* and tier=gold"},
		{"prod/billing", gold, "gold-databases", "prod/billing and tier=gold"},
		{"prod/billing", nil, "default", ""},
		{"prod/billing", map[string]string{"tier": "golden"}, "default", ""},
		{"prod/billing-2", gold, "default", ""},
		{"prod/ratio-1", gold, "ratio", "prod/ratio-?"},
		{"prod/ratio-12", gold, "default", ""},
		{"any/thing", map[string]string{"team": "data-eng", "scale": "out"}, "out-scaled", "scale=out and team=data-*"},
		{"test/mill", map[string]string{"team": "data-eng", "scale": "out"}, "out-scaled", "scale=out and team=data-*"},
		{"test/mill", map[string]string{"team": "data-eng"}, "asked", "test/[a-m]*"},
		{"test/other", nil, "asked-by-http", "test/*"},
		{"dev/other", nil, "lean", "dev/*"},
		{"dev/other/part", nil, "default", ""},
		{"", nil, "default", ""},
	} {
		got := s.For(c.service, c.labels)
		require.Equal(t, c.policy, got.Policy.Name, c.service)
		require.Equal(t, c.match, got.Match, c.service)
		require.Same(t, got, s.For(c.service, c.labels), "the same pointer each time")
		requireExplained(t, s, c.service, c.labels)
	}
}

func TestWhatAFileSays(t *testing.T) {
	t.Parallel()

	s := fleet(t)
	gold := s.For("prod/billing", map[string]string{"tier": "gold"})
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)

	want := policy.Policy{
		Name:      "gold-databases",
		Min:       size.Resources{CPUMillis: 500, MemoryBytes: gib / 2},
		Max:       size.Resources{CPUMillis: 32_000, MemoryBytes: 128 * gib},
		Catalogue: []size.Resources{{CPUMillis: 2000, MemoryBytes: 8 * gib}, {CPUMillis: 8000, MemoryBytes: 32 * gib}},

		MinReplicas: 1, MaxReplicas: 9,
		Floor:    policy.Floor{Window: 7 * 24 * time.Hour, CPUUtilisation: 0.6, MemoryMultiplier: 1.1},
		StepUp:   policy.StepLimit{Share: 1, Size: size.Size{CPUMillis: 8000, MemoryBytes: 32 * gib, Replicas: 2}},
		StepDown: policy.StepLimit{Share: 0.5},
		Disruption: policy.Disruption{
			Class: policy.DisruptionRestart, MinReplicas: 2, MinUp: 0.03, MinDown: 0.1,
			ScaleDown: []policy.TimeWindow{
				{
					Days: []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Thursday, time.Friday},
					From: 22 * time.Hour, To: 6 * time.Hour, Location: berlin,
				},
				{Days: []time.Weekday{time.Saturday, time.Sunday}},
			},
		},
		CoolDown: policy.CoolDown{Down: 30 * time.Minute},
		Mode:     policy.ModeEnforce,
		Permissions: policy.Permissions{
			CPU:      policy.Permission{Up: policy.ModeEnforce, Down: policy.ModeOff},
			Memory:   policy.Permission{Up: policy.ModeEnforce, Down: policy.ModeObserveOnly},
			Replicas: policy.Permission{Up: policy.ModeOff, Down: policy.ModeOff},
		},
	}
	want.Hash = gold.Policy.Hash
	require.Equal(t, want, gold.Policy)

	params := threshold.Defaults()
	params.CPU = threshold.Rule{Max: 0.8, Min: 0.2, SustainedFor: 10 * time.Minute}
	params.Memory = threshold.Rule{Max: 0.9}
	params.ScaleInInterval = 20 * time.Minute
	params.Templates = []threshold.Template{
		{Name: "small", Resources: size.Resources{CPUMillis: 2000, MemoryBytes: 8 * gib}, StorageBytes: 100 * gib, Count: 5},
		{Name: "large", Resources: size.Resources{CPUMillis: 8000, MemoryBytes: 32 * gib}},
	}
	rule, err := threshold.New(params)
	require.NoError(t, err)
	require.Equal(t, rule, gold.Recommender)
	require.Equal(t, rule.Needs().WithWindow(7*24*time.Hour), gold.Request, "the floor's window is read too")
}

func TestEachRecommender(t *testing.T) {
	t.Parallel()

	s := fleet(t)

	ratio := percentile.Defaults()
	ratio.CPUPercentile, ratio.Margin, ratio.LoadAdjusted, ratio.OOMMinBytes = 0.95, 0.2, true, 200<<20
	byPercentile, err := percentile.New(ratio)
	require.NoError(t, err)
	require.Equal(t, byPercentile, s.For("prod/ratio-1", nil).Recommender)

	out := replicas.Defaults()
	out.SpareReplicas, out.Joint, out.MemoryTarget, out.DownWindow = 1, true, 0, 6*time.Hour
	byReplicas, err := replicas.New(out)
	require.NoError(t, err)
	require.Equal(t, byReplicas, s.For("a/b", map[string]string{"team": "data-", "scale": "out"}).Recommender)

	asked := external.Defaults()
	asked.Endpoint = external.Endpoint{Protocol: external.ProtocolGRPC, Address: "advisor:9000", TLS: true}
	asked.Windows, asked.MaxReplicas, asked.Component = []time.Duration{time.Hour}, 5, "tidb"
	byAdvice, err := external.New(asked)
	require.NoError(t, err)

	got := s.For("test/a", nil)
	require.Equal(t, byAdvice, got.Recommender)
	require.Equal(t, &asked, got.External)
	require.Equal(t, external.ProtocolHTTP, s.For("test/z", nil).External.Endpoint.Protocol)

	usual := twowindow.Defaults()
	usual.CPUTarget, usual.TrendInterval, usual.OOMMultiplier = 0.6, 5*time.Minute, 2
	byWindows, err := twowindow.New(usual)
	require.NoError(t, err)
	require.Equal(t, byWindows, s.For("dev/a", nil).Recommender)
}

func TestPoliciesAreInOrderWithTheDefaultsLast(t *testing.T) {
	t.Parallel()

	all := fleet(t).Policies()
	names := make([]string, 0, len(all))

	for _, e := range all {
		names = append(names, e.Policy.Name)
	}

	require.Equal(t, []string{"gold-databases", "ratio", "out-scaled", "asked", "asked-by-http", "lean", "default"}, names)
}
