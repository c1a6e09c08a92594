package policy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

func TestPermitsWhatTheModeSays(t *testing.T) {
	t.Parallel()

	for mode, want := range map[policy.Mode]struct{ up, down policy.Mode }{
		"":                     {policy.ModeEnforce, policy.ModeEnforce},
		policy.ModeEnforce:     {policy.ModeEnforce, policy.ModeEnforce},
		policy.ModeObserveOnly: {policy.ModeObserveOnly, policy.ModeObserveOnly},
		policy.ModeUpOnly:      {policy.ModeEnforce, policy.ModeOff},
		policy.ModeOff:         {policy.ModeOff, policy.ModeOff},
		"unknown":              {policy.ModeObserveOnly, policy.ModeObserveOnly},
	} {
		p := policy.Policy{Mode: mode}

		for _, resource := range []size.Resource{size.CPU, size.Memory, size.Replicas} {
			require.Equal(t, want.up, p.Permits(resource, true), "%s of %s up", mode, resource)
			require.Equal(t, want.down, p.Permits(resource, false), "%s of %s down", mode, resource)
		}
	}
}

// TestAnExceptionIsForOneDirectionOfOneResource sets each of the six exceptions alone.
func TestAnExceptionIsForOneDirectionOfOneResource(t *testing.T) {
	t.Parallel()

	type change struct {
		resource size.Resource
		up       bool
	}

	changes := []change{
		{size.CPU, true}, {size.CPU, false}, {size.Memory, true}, {size.Memory, false}, {size.Replicas, true}, {size.Replicas, false},
	}

	for i, excepted := range changes {
		p := policy.Policy{Mode: policy.ModeOff}
		at := []*policy.Mode{
			&p.Permissions.CPU.Up, &p.Permissions.CPU.Down, &p.Permissions.Memory.Up, &p.Permissions.Memory.Down,
			&p.Permissions.Replicas.Up, &p.Permissions.Replicas.Down,
		}
		*at[i] = policy.ModeEnforce

		for _, c := range changes {
			want := policy.ModeOff
			if c == excepted {
				want = policy.ModeEnforce
			}

			require.Equal(t, want, p.Permits(c.resource, c.up), "%v with an exception for %v", c, excepted)
		}
	}
}

func TestAnExceptionThatIsNotKnownAllowsNoMoreThanLooking(t *testing.T) {
	t.Parallel()

	p := policy.Policy{Permissions: policy.Permissions{CPU: policy.Permission{Up: "auto"}}}
	require.Equal(t, policy.ModeObserveOnly, p.Permits(size.CPU, true))
	require.Equal(t, policy.ModeEnforce, p.Permits(size.CPU, false))
}
