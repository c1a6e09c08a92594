package replay

import (
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-project/tidemark/internal/demo/fleet"
	"github.com/tidemark-project/tidemark/recommender/backtest/trace"
)

// Config says what to replay.
type Config struct {
	// Usage is the file of samples.
	Usage string
	// Services is the file of services; empty when there is none, and then no size is known.
	Services string
	// Limit is how many services are taken at most, the first of the file.
	Limit int
	// Now is the moment that the replayed history ends at.
	Now time.Time
}

// Fleet is what was loaded.
type Fleet struct {
	// Services are the services to replay.
	Services []fleet.Service
	// LeftOut is how many were not recorded for long enough.
	LeftOut int
	// Derived is how many got a derived size, in one resource or in both.
	Derived int
}

// Load reads a recording. The error says what is wrong with it, and where.
func Load(config Config) (Fleet, error) {
	known, err := readServices(config.Services)
	if err != nil {
		return Fleet{}, err
	}

	reader, err := trace.Open(config.Usage)
	if err != nil {
		return Fleet{}, err
	}

	loaded, err := load(config, reader, known)

	if err := errors.Join(err, reader.Close()); err != nil {
		return Fleet{}, err
	}

	if len(loaded.Services) == 0 {
		return Fleet{}, fmt.Errorf("%s: none of its %d services was recorded for %s without a gap of more than %s",
			config.Usage, loaded.LeftOut, history, maxGap)
	}

	return loaded, nil
}

func load(config Config, reader *trace.Reader, known map[string]trace.Service) (Fleet, error) {
	var (
		loaded  Fleet
		samples []trace.Sample
	)

	for series, err := range reader.Services() {
		if err != nil {
			return Fleet{}, err
		}

		if samples, err = series.AppendTo(samples[:0]); err != nil {
			return Fleet{}, err
		}

		if err := loaded.add(config, series.Service(), known, samples); err != nil {
			return Fleet{}, err
		}

		if len(loaded.Services) == config.Limit {
			break
		}
	}

	return loaded, nil
}

// add takes one recorded service in, or leaves it out.
func (f *Fleet) add(config Config, name string, known map[string]trace.Service, samples []trace.Sample) error {
	service, has := known[name]
	if !has && config.Services != "" {
		return fmt.Errorf("%s: has no line for service %q of %s", config.Services, name, config.Usage)
	}

	r, ok := newRecording(samples, config.Now)
	if !ok {
		f.LeftOut++

		return nil
	}

	made, derived, err := r.service(name, service)
	if err != nil {
		return fmt.Errorf("%s: %w", config.Usage, err)
	}

	if derived {
		f.Derived++
	}

	f.Services = append(f.Services, made)

	return nil
}

func readServices(path string) (map[string]trace.Service, error) {
	if path == "" {
		return map[string]trace.Service{}, nil
	}

	services, err := trace.ReadServices(path)
	if err != nil {
		return nil, err
	}

	if len(services) == 0 {
		return nil, errors.New(path + ": holds no service")
	}

	byName := make(map[string]trace.Service, len(services))
	for _, service := range services {
		byName[service.Name] = service
	}

	return byName, nil
}
