package trace

import "unicode"

// maxName bounds the name of a service, in bytes.
const maxName = 253

// row is one line of the samples.
type row struct {
	name   string
	sample Sample
}

// parse takes the fields of the current line. The name is kept when it has not changed, so that a service costs one
// allocation and not one for each line.
func (r *row) parse(l *lines) error {
	if err := l.checkName(l.fields[0]); err != nil {
		return err
	}

	if r.name != string(l.fields[0]) {
		r.name = string(l.fields[0])
	}

	return r.sample.parse(l, l.fields[1], l.fields[2], l.fields[3])
}

func (s *Sample) parse(l *lines, seconds, cores, bytes []byte) error {
	var ok bool

	if s.UnixSeconds, ok = wholeNumber(seconds, maxUnixSeconds); !ok {
		return l.faultyField("ts_unix", seconds, wantSeconds)
	}

	var err error

	if s.CPUCores, s.CPUKnown, err = l.cores("cpu_cores", cores); err != nil {
		return err
	}

	s.MemoryBytes, s.MemoryKnown, err = l.bytes("mem_bytes", bytes)

	return err
}

func (l *lines) checkName(name []byte) error {
	const want = "the name of a service: 1 to 253 bytes, no control characters, no space around it"

	if len(name) == 0 || len(name) > maxName {
		return l.faultyField("service", name, want)
	}

	if isBlank(name[0]) || isBlank(name[len(name)-1]) {
		return l.faultyField("service", name, want)
	}

	for _, c := range string(name) {
		if unicode.IsControl(c) {
			return l.faultyField("service", name, want)
		}
	}

	return nil
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
