package observe

import (
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender"
)

// moves are the changes of one direction.
type moves struct {
	leads                []time.Duration
	unadvised, withdrawn int64
	// since is when the change was first recommended that has not been made yet; the zero time for none.
	since time.Time
}

// made notes at a time whether a change was made.
func (m *moves) made(at time.Time, is, counts bool) {
	if !is {
		return
	}

	switch {
	case !counts:
	case m.since.IsZero():
		m.unadvised++
	default:
		m.leads = append(m.leads, at.Sub(m.since))
	}

	m.since = time.Time{}
}

// advised notes at a time whether a change is recommended.
func (m *moves) advised(is bool, at time.Time, counts bool) {
	switch {
	case is && m.since.IsZero():
		m.since = at
	case !is && !m.since.IsZero():
		m.since = time.Time{}

		if counts {
			m.withdrawn++
		}
	}
}

func (m *moves) add(others moves) {
	m.leads = append(m.leads, others.leads...)
	m.unadvised += others.unadvised
	m.withdrawn += others.withdrawn
}

func (m *moves) message() *tidemarkv1.ObservedMoves {
	message := &tidemarkv1.ObservedMoves{
		AdvisedCount: int64(len(m.leads)), UnadvisedCount: m.unadvised, WithdrawnCount: m.withdrawn,
	}

	if n := len(m.leads); n > 0 {
		slices.Sort(m.leads)
		message.MedianLead = durationpb.New((m.leads[(n-1)/2] + m.leads[n/2]) / 2)
	}

	return message
}

// movesOf compares when changes were recommended with when they were made. Those count that came to their end in the period.
func (s *series) movesOf(start time.Time) (up, down moves) {
	for i, at := range s.stretches {
		counts := !at.from.Before(start)

		switch {
		case i == 0:
		case !s.stretches[i-1].until.Equal(at.from):
			// Nothing is known of what happened in between.
			up.since, down.since = time.Time{}, time.Time{}
		default:
			change := recommender.CompareSizes(s.stretches[i-1].inForce, at.inForce)
			up.made(at.from, change == recommender.DirectionUp, counts)
			down.made(at.from, change == recommender.DirectionDown, counts)
		}

		advised := recommender.CompareSizes(at.inForce, at.advised)
		up.advised(advised == recommender.DirectionUp, at.from, counts)
		down.advised(advised == recommender.DirectionDown, at.from, counts)
	}

	return up, down
}
