package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/tidemark-project/tidemark/server/store"
	"github.com/tidemark-project/tidemark/server/store/storetest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

func TestMemoryConforms(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		t.Helper()

		st := store.NewMemory()
		t.Cleanup(func() { require.NoError(t, st.Close()) })

		return st
	})
}

func TestEveryMemoryStoreIsAnEpochOfItsOwn(t *testing.T) {
	first, second := store.NewMemory(), store.NewMemory()
	require.NotEqual(t, first.Epoch(), second.Epoch())
}
