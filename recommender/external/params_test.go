package external_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/usage"
)

func TestNeeds(t *testing.T) {
	t.Parallel()

	r := rule(t)
	require.Equal(t, external.Name, r.Name())
	require.Equal(t, usage.Request{Windows: []time.Duration{3 * time.Hour, 30 * time.Hour}}, r.Needs())
	require.Empty(t, rule(t, func(p *external.Params) { p.Windows = nil }).Needs().Windows)
	require.NotEmpty(t, recommender.Decide(r, input()).Explanation.Parameters)

	shared := []time.Duration{time.Hour}
	r = rule(t, func(p *external.Params) { p.Windows = shared })
	shared[0] = 0
	require.Equal(t, []time.Duration{time.Hour}, r.Needs().Windows, "a copy")
}

func TestGoodEndpoints(t *testing.T) {
	t.Parallel()

	for _, endpoint := range []external.Endpoint{
		{Protocol: external.ProtocolHTTP, Address: "http://advice:8080/recommend"},
		{Protocol: external.ProtocolHTTP, Address: "http://[::1]:8080"},
		{Protocol: external.ProtocolHTTP, Address: "https://advice.example/?zone=1", CAFile: "/etc/ca.pem"},
		{Protocol: external.ProtocolGRPC, Address: "advice:9000"},
		{Protocol: external.ProtocolGRPC, Address: "[::1]:9000", TLS: true, CAFile: "/etc/ca.pem"},
	} {
		p := params()
		p.Endpoint = endpoint
		require.NoError(t, p.Validate(), "%+v", endpoint)
	}
}

func TestEveryProblemIsReported(t *testing.T) {
	t.Parallel()

	endpoint := func(e external.Endpoint) func(*external.Params) { return func(p *external.Params) { p.Endpoint = e } }
	url := func(address string) func(*external.Params) {
		return endpoint(external.Endpoint{Protocol: external.ProtocolHTTP, Address: address})
	}
	grpc := func(address string) func(*external.Params) {
		return endpoint(external.Endpoint{Protocol: external.ProtocolGRPC, Address: address})
	}

	for field, changes := range map[string][]func(*external.Params){
		"url": {
			endpoint(external.Endpoint{}), endpoint(external.Endpoint{Protocol: "smoke", Address: "signal:1"}),
			url(""), url("advice:8080"), url("ftp://advice"), url("http://"), url("http://:8080"), url("http://a b"),
			url("http://user:secret@advice"), url("http://advice/#top"), url("http://advice:%zz"),
		},
		"grpc": {grpc(""), grpc("advice"), grpc(":9000"), grpc("advice:"), grpc("advice:0"), grpc("advice:70000"), grpc("http://advice:9000")},
		"tls":  {endpoint(external.Endpoint{Protocol: external.ProtocolHTTP, Address: "http://advice", TLS: true})},
		"ca_file": {
			endpoint(external.Endpoint{Protocol: external.ProtocolHTTP, Address: "http://advice", CAFile: "ca.pem"}),
			endpoint(external.Endpoint{Protocol: external.ProtocolGRPC, Address: "advice:9000", CAFile: "ca.pem"}),
		},
		"timeout":           {func(p *external.Params) { p.Timeout = 0 }, func(p *external.Params) { p.Timeout = time.Hour }},
		"max_age":           {func(p *external.Params) { p.MaxAge = -1 }},
		"max_replicas":      {func(p *external.Params) { p.MaxReplicas = -1 }},
		"failure_threshold": {func(p *external.Params) { p.FailureThreshold = 0 }},
		"open_for":          {func(p *external.Params) { p.OpenFor = 0 }},
		"windows[0]":        {func(p *external.Params) { p.Windows = []time.Duration{time.Minute} }},
		"windows[1]": {
			func(p *external.Params) { p.Windows = []time.Duration{time.Hour, time.Hour} },
			func(p *external.Params) { p.Windows = []time.Duration{time.Hour, 15 * 24 * time.Hour} },
		},
	} {
		for i, change := range changes {
			p := params()
			change(&p)

			_, err := external.New(p)

			var problem *policy.FieldError

			require.ErrorAs(t, err, &problem, "%s %d", field, i)
			require.Equal(t, field, problem.Field, "%d", i)
			require.NotContains(t, err.Error(), "secret")
		}
	}

	var joined interface{ Unwrap() []error }

	require.ErrorAs(t, external.Params{}.Validate(), &joined)
	require.Greater(t, len(joined.Unwrap()), 3, "all at once")

	var problem *policy.FieldError

	require.ErrorAs(t, external.Defaults().Validate(), &problem)
	require.Equal(t, "url", problem.Field, "only the endpoint has no default")
}
