package trace

import "time"

// maxSeconds bounds durations: ten years.
const maxSeconds = 10 * 366 * 24 * 3600

func (p *serviceParser) take() []byte {
	p.at++

	return p.fields[p.at-1]
}

// note keeps the first fault.
func (p *serviceParser) note(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *serviceParser) name() string {
	text := p.take()
	p.note(p.checkName(text))

	return string(text)
}

func (p *serviceParser) provisionedCores() float64 {
	const column = "prov_cpu_cores"

	text := p.take()

	value, known, err := p.cores(column, text)
	if known && value == 0 {
		err = p.faultyField(column, text, "cores, more than 0, or nothing when not known")
	}

	p.note(err)

	return value
}

func (p *serviceParser) provisionedBytes() int64 {
	const column = "prov_mem_bytes"

	text := p.take()

	value, known, err := p.bytes(column, text)
	if known && value == 0 {
		err = p.faultyField(column, text, "bytes, more than 0, or nothing when not known")
	}

	p.note(err)

	return value
}

func (p *serviceParser) number(column, want string) int64 {
	value, err := p.count(column, p.take(), maxUnixSeconds, want)
	p.note(err)

	return value
}

func (p *serviceParser) seconds(column string) time.Duration {
	value, err := p.count(column, p.take(), maxSeconds, "whole seconds, at most ten years")
	p.note(err)

	return time.Duration(value) * time.Second
}

func (p *serviceParser) time(column string) time.Time {
	return time.Unix(p.number(column, wantSeconds), 0).UTC()
}

// summary takes three fields, all of which are known or none.
func (p *serviceParser) summary(resource string, limit float64) Summary {
	var (
		values [3]float64
		known  int
	)

	for i, column := range [...]string{resource + "_mean", resource + "_p95", resource + "_max"} {
		text := p.take()
		if len(text) == 0 {
			continue
		}

		known++

		var ok bool
		if values[i], ok = decimalNumber(text, limit); !ok {
			p.note(p.faultyField(column, text, "a plain decimal number from 0, or nothing when not known"))
		}
	}

	if known != 0 && known != len(values) {
		p.note(p.fault("of "+resource+"_mean, "+resource+"_p95 and "+resource+"_max some are missing", "all three or none"))
	}

	return Summary{Known: known > 0, Mean: values[0], P95: values[1], Max: values[2]}
}
