package agent

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Print is an actuator that shows each recommendation as one line.
type Print struct {
	json bool

	mu  sync.Mutex
	out io.Writer
}

// NewPrint returns an actuator that writes one line per recommendation to out: for people, or as JSON. Each line is one
// Write, and is flushed at once if out has a Flush method.
func NewPrint(out io.Writer, json bool) *Print { return &Print{json: json, out: out} }

// Apply implements Actuator.
func (p *Print) Apply(_ context.Context, recommendation *tidemarkv1.Recommendation) error {
	line := Line(recommendation)

	if p.json {
		encoded, err := tidemark.MarshalJSON(recommendation)
		if err != nil {
			return Permanent(err)
		}

		line = string(encoded)
	}

	p.mu.Lock()
	defer p.mu.Unlock()

	if _, err := io.WriteString(p.out, line+"\n"); err != nil {
		return Permanent(fmt.Errorf("print: %w", err))
	}

	if buffered, ok := p.out.(interface{ Flush() error }); ok {
		if err := buffered.Flush(); err != nil {
			return Permanent(fmt.Errorf("print: %w", err))
		}
	}

	return nil
}
