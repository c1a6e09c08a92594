package worker

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/server/store"
)

// encodeState writes a state down; one that says nothing takes no room.
func encodeState(s recommender.State) ([]byte, error) {
	if s == (recommender.State{}) {
		return nil, nil
	}

	encoded, err := json.Marshal(s)
	if err != nil {
		return nil, PermanentError{fmt.Errorf("encode the recommender's state: %w", err)} // the same input has the same output
	}

	return encoded, nil
}

// stateOf reads the state back. One that cannot be read is as good as none: without it the recommender sees no trend and
// lowers nothing for that, while an error would keep the service from ever being evaluated again.
func (p *Pool) stateOf(ctx context.Context, record store.Record) recommender.State {
	var state recommender.State

	if len(record.State) == 0 {
		return state
	}

	if err := json.Unmarshal(record.State, &state); err != nil {
		p.logger.WarnContext(ctx, "the recommender's state cannot be read and starts anew",
			"service", record.Recommendation.GetService(), "error", err)

		return recommender.State{}
	}

	return state
}
