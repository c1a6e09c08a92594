package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/clients/agent"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Result is what one demonstration without a screen has shown.
//
//nolint:tagliatelle // the names that the API uses
type Result struct {
	// Services is how many there were.
	Services int `json:"services"`
	// SignalToAgentMillis is the time from just before the signal's row was sent to ClickHouse until the scale-up was read
	// from the agent.
	SignalToAgentMillis int64 `json:"signal_to_agent_ms"`
	// Stages is where that time went.
	Stages Stages `json:"stages"`
	// Service is the one that the signal was about, From and To are its sizes.
	Service string `json:"service"`
	From    Size   `json:"from"`
	To      Size   `json:"to"`
	// Reasons are those of the recommendation.
	Reasons []string `json:"reasons"`
	// PollIntervalMillis is how often the source looked for signals.
	PollIntervalMillis int64 `json:"poll_interval_ms"`
	// SeedRows is how many samples of history there were, SeedMillis how long writing them took.
	SeedRows   int64 `json:"seed_rows"`
	SeedMillis int64 `json:"seed_ms"`
	// Engine is the ClickHouse, with its version.
	Engine string `json:"engine"`
}

// Stages are moments on the way of the signal, in milliseconds since it was sent.
//
//nolint:tagliatelle // the names that the API uses
type Stages struct {
	// Inserted is when ClickHouse had taken the row in.
	Inserted int64 `json:"inserted_ms"`
	// Enqueued is when the server took in the source's request.
	Enqueued int64 `json:"enqueued_ms"`
	// Evaluated is when the evaluation had ended.
	Evaluated int64 `json:"evaluated_ms"`
	// Agent is when the agent's line was read.
	Agent int64 `json:"agent_ms"`
}

func newStages(o *outcome) Stages {
	return Stages{
		Inserted:  millis(o.inserted.Sub(o.sent)),
		Enqueued:  millis(signalOf(o.decision).GetEnqueueTime().AsTime().Sub(o.sent)),
		Evaluated: millis(o.decision.GetEvaluateTime().AsTime().Sub(o.sent)),
		Agent:     millis(o.took()),
	}
}

// Size is the size of one replica, and how many replicas there are.
//
//nolint:tagliatelle // the names that the API uses
type Size struct {
	CPUMillis   int64 `json:"cpu_millis"`
	MemoryBytes int64 `json:"memory_bytes"`
	Replicas    int32 `json:"replicas"`
}

func sizeOf(s *tidemarkv1.Size) Size {
	return Size{CPUMillis: s.GetCpuMillis(), MemoryBytes: s.GetMemoryBytes(), Replicas: s.GetReplicas()}
}

// newResult describes an outcome.
func newResult(o *outcome) Result {
	reasons := make([]string, 0, len(o.decision.GetReasons()))
	for _, reason := range o.decision.GetReasons() {
		reasons = append(reasons, strings.TrimPrefix(reason.String(), "REASON_"))
	}

	return Result{
		SignalToAgentMillis: millis(o.took()),
		Stages:              newStages(o),
		Service:             o.decision.GetService(),
		From:                sizeOf(o.decision.GetAllocation()),
		To:                  sizeOf(o.decision.GetRecommended()),
		Reasons:             reasons,
	}
}

// write writes the result as the last line of the output.
func (r *Result) write(out io.Writer, asJSON bool, decision *tidemarkv1.Recommendation) error {
	line := fmt.Sprintf("%s  after %d ms (signals are looked for every %d ms; %d services, %s)\n",
		agent.Line(decision), r.SignalToAgentMillis, r.PollIntervalMillis, r.Services, r.Engine)

	if asJSON {
		encoded, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("encode the result: %w", err)
		}

		line = string(encoded) + "\n"
	}

	if _, err := io.WriteString(out, line); err != nil {
		return fmt.Errorf("print the result: %w", err)
	}

	return nil
}

// millis rounds up: a limit that is kept in whole milliseconds is kept.
func millis(d time.Duration) int64 {
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}
