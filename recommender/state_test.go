package recommender_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender"
)

// A state is kept for longer than the program that wrote it, so it holds names and not numbers.
func TestAStateKeepsClassesByName(t *testing.T) {
	t.Parallel()

	for text, classes := range map[string][2]recommender.MemoryClass{
		`{"classes":["STABLE","SPIKY"]}`: {recommender.MemoryStable, recommender.MemorySpiky},
		`{"classes":["","SPIKY"]}`:       {0, recommender.MemorySpiky},
		`{}`:                             {},
	} {
		state := recommender.State{Classes: classes}

		kept, err := json.Marshal(state)
		require.NoError(t, err)
		require.JSONEq(t, text, string(kept))

		var read recommender.State

		require.NoError(t, json.Unmarshal(kept, &read))
		require.Equal(t, state, read)
	}
}

func TestAClassOfAnotherProgramIsNone(t *testing.T) {
	t.Parallel()

	state := recommender.State{Classes: [2]recommender.MemoryClass{recommender.MemoryStable, recommender.MemoryStable}}

	require.NoError(t, json.Unmarshal([]byte(`{"classes":["WOBBLY","SPIKY"]}`), &state))
	require.Equal(t, [2]recommender.MemoryClass{0, recommender.MemorySpiky}, state.Classes)
}

func TestWhatIsNoValueHasNoName(t *testing.T) {
	t.Parallel()

	require.Empty(t, recommender.Direction(0).String())
	require.Empty(t, recommender.Direction(200).String())
	require.Empty(t, recommender.Reason(200).String())
	require.Equal(t, "UP", recommender.DirectionUp.String())
	require.Equal(t, "COOL_DOWN", recommender.ReasonCoolDown.String())
}
