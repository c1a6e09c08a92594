package profile_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tidemark-project/tidemark/recommender/leastcost"
	"github.com/tidemark-project/tidemark/recommender/profile"
	"github.com/tidemark-project/tidemark/recommender/twowindow"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEveryNameIsAProfile(t *testing.T) {
	t.Parallel()

	rules := map[string]string{profile.Stable: twowindow.Name, profile.Balanced: leastcost.Name, profile.Lean: leastcost.Name}

	for _, name := range profile.Names() {
		r, err := profile.New(name)
		require.NoError(t, err)
		require.Equal(t, rules[name], r.Name())
	}

	require.Contains(t, profile.Names(), profile.Default)

	_, err := profile.New("lavish")
	require.EqualError(t, err, `"lavish" is not a profile: use one of stable, balanced, lean`)
}
