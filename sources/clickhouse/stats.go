package clickhouse

import "time"

// Stats are what a Source has done since it was made.
type Stats struct {
	// Polls are the polls that were begun; Failures those that failed, and Missed those whose time passed while an earlier
	// poll, a delivery or a backoff went on.
	Polls, Failures, Missed int64
	// Rows are the rows that were read. Duplicates of them were sent before, and Invalid ones name no service.
	Rows, Duplicates, Invalid int64
	// Signals are the signals that were delivered, in Requests requests.
	Signals, Requests int64
	// Stale are the polls in which the server lacked rows seen before or its clock jumped.
	Stale int64
	// Forgotten are the signals that had to be forgotten early for want of room; they may be sent twice.
	Forgotten int64
	// Remembered is how many signals are remembered now.
	Remembered int
	// ClockOffset is how far the server's clock is ahead of the local one, to about a second.
	ClockOffset time.Duration
	// Overlap is how much is read again at present.
	Overlap time.Duration
	// Watermark is how far the table was read, by the server's clock; the zero time before the first poll.
	Watermark time.Time
	// LastPoll is the server's clock at the latest poll that succeeded; the zero time before that.
	LastPoll time.Time
}

// Stats returns a copy. It may be called at any time.
func (s *Source) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.stats
}

func (s *Source) count(change func(*Stats)) {
	s.mu.Lock()
	defer s.mu.Unlock()

	change(&s.stats)
}
