package trace

import "iter"

// Series is the samples of one service. It is valid until its Reader goes on to the next service.
type Series struct {
	reader *Reader
	name   string
}

// Service returns the name of the service.
func (s *Series) Service() string { return s.name }

// Samples yields the samples in the order of time, each once: a second loop goes on where the first was left. A fault is
// yielded last, with a zero sample.
func (s *Series) Samples() iter.Seq2[Sample, error] {
	return func(yield func(Sample, error) bool) {
		r := s.reader

		for s.more() {
			sample := r.row.sample

			// The next row is read first, so that a loop that is left here can be taken up again.
			r.advance()
			s.checkOrder(sample)

			if !yield(sample, nil) {
				return
			}
		}

		if r.err != nil {
			yield(Sample{}, r.err)
		}
	}
}

// more reports that the next row is this service's.
func (s *Series) more() bool {
	return s.reader.ahead && s.reader.row.name == s.name
}

// checkOrder fails the reader unless the next row, if it is this service's, is later than the sample.
func (s *Series) checkOrder(before Sample) {
	r := s.reader

	if s.more() && r.row.sample.UnixSeconds <= before.UnixSeconds {
		r.fail(r.lines.fault("the time is not after that of the line before",
			"the samples of a service in the order of time, each time once"))
	}
}

// skip passes over the remaining samples. A fault stays with the reader.
func (s *Series) skip() {
	for _, err := range s.Samples() {
		if err != nil {
			return
		}
	}
}

// AppendTo appends the remaining samples to samples, which may be nil or a slice to use again.
func (s *Series) AppendTo(samples []Sample) ([]Sample, error) {
	for sample, err := range s.Samples() {
		if err != nil {
			return samples, err
		}

		samples = append(samples, sample)
	}

	return samples, nil
}
