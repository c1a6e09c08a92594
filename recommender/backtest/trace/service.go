package trace

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tidemark-project/tidemark/recommender/size"
)

const servicesHeader = "service,source,kind,prov_cpu_cores,prov_mem_bytes,interval_s,first_ts,last_ts,samples,max_gap_s," +
	"cpu_mean,cpu_p95,cpu_max,mem_mean,mem_p95,mem_max"

// Service is what a recording says of one service. Columns are named in brackets.
type Service struct {
	// Name of the service [service].
	Name string
	// Source is who measured it [source].
	Source string
	// Kind is what it was, such as "vm", "job" or "machine" [kind].
	Kind string
	// ProvisionedCores and ProvisionedBytes are what its owner had given it [prov_cpu_cores, prov_mem_bytes]; 0 when not
	// known.
	ProvisionedCores float64
	ProvisionedBytes int64
	// Interval is the time between two samples as it was meant [interval_s].
	Interval time.Duration
	// First and Last are the times of the first and the last sample [first_ts, last_ts].
	First, Last time.Time
	// Samples is how many there are [samples].
	Samples int64
	// MaxGap is the longest time between two samples [max_gap_s].
	MaxGap time.Duration
	// CPU summarises the CPU in use, in cores [cpu_mean, cpu_p95, cpu_max].
	CPU Summary
	// Memory summarises the memory in use, in bytes [mem_mean, mem_p95, mem_max].
	Memory Summary
}

// Summary is a few numbers about a series; all are 0 unless Known.
type Summary struct {
	// Known reports that the recording has the numbers.
	Known bool
	// Mean is the mean, P95 the 95th percentile, Max the largest value.
	Mean, P95, Max float64
}

// ReadServices reads the services of a recording, in the file's order.
func ReadServices(path string) ([]Service, error) {
	s, err := openSource(path)
	if err != nil {
		return nil, err
	}

	services, err := parseServices(s)

	return services, errors.Join(err, s.close())
}

// ParseServices reads services from an open file, packed or not; name is what errors call it.
func ParseServices(name string, content io.Reader) ([]Service, error) {
	s, err := unpack(name, content)
	if err != nil {
		return nil, err
	}

	return parseServices(s)
}

func parseServices(s source) ([]Service, error) {
	l, err := newLines(s, servicesHeader)
	if err != nil {
		return nil, err
	}

	var (
		services []Service
		lineOf   = make(map[string]int)
	)

	for {
		err := l.next()
		if errors.Is(err, io.EOF) {
			return services, nil
		}

		if err != nil {
			return nil, err
		}

		service, err := parseService(l)
		if err != nil {
			return nil, err
		}

		if line, again := lineOf[service.Name]; again {
			return nil, l.fault(fmt.Sprintf("service %q was on line %d already", service.Name, line), "one line for each service")
		}

		lineOf[service.Name] = l.number
		services = append(services, service)
	}
}

// serviceParser takes the fields of a line from left to right and keeps the first fault.
type serviceParser struct {
	*lines

	at  int
	err error
}

func parseService(l *lines) (Service, error) {
	p := &serviceParser{lines: l}

	s := Service{
		Name:             p.name(),
		Source:           string(p.take()),
		Kind:             string(p.take()),
		ProvisionedCores: p.provisionedCores(),
		ProvisionedBytes: p.provisionedBytes(),
		Interval:         p.seconds("interval_s"),
		First:            p.time("first_ts"),
		Last:             p.time("last_ts"),
		Samples:          p.number("samples", wantCount),
		MaxGap:           p.seconds("max_gap_s"),
		CPU:              p.summary("cpu", maxCores),
		Memory:           p.summary("mem", float64(size.MaxMemoryBytes)),
	}

	if p.err == nil {
		p.err = s.check(l)
	}

	return s, p.err
}

// check compares fields with one another.
func (s *Service) check(l *lines) error {
	switch {
	case s.Interval <= 0:
		return l.fault("interval_s is 0", "seconds between two samples, at least 1")
	case s.Last.Before(s.First):
		return l.fault("last_ts is before first_ts", "the time of the last sample in last_ts")
	case s.Samples < 1:
		return l.fault("samples is 0", "at least one sample")
	case s.CPU.Mean > s.CPU.Max || s.CPU.P95 > s.CPU.Max:
		return l.fault("cpu_max is less than cpu_mean or cpu_p95", "the largest value in cpu_max")
	case s.Memory.Mean > s.Memory.Max || s.Memory.P95 > s.Memory.Max:
		return l.fault("mem_max is less than mem_mean or mem_p95", "the largest value in mem_max")
	default:
		return nil
	}
}
