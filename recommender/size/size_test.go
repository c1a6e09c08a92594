package size_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/size"
)

const gib = int64(1) << 30

func TestResources(t *testing.T) {
	t.Parallel()

	small := size.Resources{CPUMillis: 1000, MemoryBytes: 8 * gib}
	large := size.Resources{CPUMillis: 2000, MemoryBytes: 4 * gib}

	require.Equal(t, size.Resources{CPUMillis: 2000, MemoryBytes: 8 * gib}, small.Max(large))
	require.Equal(t, size.Resources{CPUMillis: 1000, MemoryBytes: 4 * gib}, small.Min(large))
	require.True(t, small.Max(large).Covers(small))
	require.False(t, small.Covers(large))
	require.False(t, large.Covers(small))

	for _, resource := range size.Both() {
		require.Equal(t, int64(7), small.Set(resource, 7).Get(resource))
	}
}

func TestResourcesKnown(t *testing.T) {
	t.Parallel()

	known := size.Resources{CPUMillis: 1, MemoryBytes: 1}
	require.True(t, known.Known())

	for _, resource := range size.Both() {
		require.False(t, known.Set(resource, 0).Known())
		require.False(t, known.Set(resource, -1).Known())
		require.False(t, known.Set(resource, size.MaxMemoryBytes+1).Known())
	}

	require.True(t, size.Resources{}.IsZero())
}

func TestSizeKeepsReplicas(t *testing.T) {
	t.Parallel()

	s := size.Size{CPUMillis: 1, MemoryBytes: 2, Replicas: 3}
	moved := s.With(size.Resources{CPUMillis: 4, MemoryBytes: 5})
	require.Equal(t, size.Size{CPUMillis: 4, MemoryBytes: 5, Replicas: 3}, moved)
	require.Equal(t, size.Resources{CPUMillis: 4, MemoryBytes: 5}, moved.Resources())
}
