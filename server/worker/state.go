package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/recommender"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/server/store"
)

// storedState is the recommender's state as it lies in the store. Its names outlive the program that wrote them.
type storedState struct {
	Time      time.Time  `json:"time,omitzero"`
	Small     storedNeed `json:"small,omitzero"`
	PrevTime  time.Time  `json:"prevTime,omitzero"`
	PrevSmall storedNeed `json:"prevSmall,omitzero"`
}

type storedNeed struct {
	CPUMillis   int64 `json:"cpuMillis,omitempty"`
	MemoryBytes int64 `json:"memoryBytes,omitempty"`
}

// encodeState writes a state down; one that says nothing takes no room.
func encodeState(s recommender.State) ([]byte, error) {
	if s == (recommender.State{}) {
		return nil, nil
	}

	encoded, err := json.Marshal(storedState{
		Time: s.Time, Small: storedNeed(s.Small), PrevTime: s.PrevTime, PrevSmall: storedNeed(s.PrevSmall),
	})
	if err != nil {
		return nil, fmt.Errorf("encode the recommender's state: %w", err)
	}

	return encoded, nil
}

// stateOf reads the state back. One that cannot be read is as good as none: without it the recommender sees no trend and
// lowers nothing for that, while an error would keep the service from ever being evaluated again.
func (p *Pool) stateOf(ctx context.Context, record store.Record) recommender.State {
	if len(record.State) == 0 {
		return recommender.State{}
	}

	var s storedState
	if err := json.Unmarshal(record.State, &s); err != nil {
		p.logger.WarnContext(ctx, "the recommender's state cannot be read and starts anew",
			"service", record.Recommendation.GetService(), "error", err)

		return recommender.State{}
	}

	return recommender.State{
		Time: s.Time, Small: size.Resources(s.Small), PrevTime: s.PrevTime, PrevSmall: size.Resources(s.PrevSmall),
	}
}
