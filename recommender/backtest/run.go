package backtest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

// Run replays every service of a recording with every contender and returns a result for each contender, in their order.
// The results do not depend on the number of workers.
func Run(ctx context.Context, config Config, name string, source Source, contenders []Contender) ([]Result, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("replay %s: %w", name, err)
	}

	gathered := newGathered(config.Progress, contenders)

	err := eachSeries(ctx, config.Workers, source, func(at int, series *Series) error {
		for i, contender := range contenders {
			r, err := play(ctx, &config, series, contender, nil)
			if err != nil {
				return err
			}

			gathered.take(i, at, r)
		}

		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("replay %s: %w", name, err)
	}

	results := make([]Result, 0, len(contenders))
	for i, contender := range contenders {
		results = append(results, gathered.result(name, contender, i))
	}

	return results, nil
}

// Follow replays some services of a recording with one contender, as Run does, and returns what happened to each, in the
// recording's order.
func Follow(ctx context.Context, config Config, source Source, contender Contender, services []string) ([]Track, error) {
	if err := config.Validate(); err != nil {
		return nil, fmt.Errorf("follow %s: %w", contender.Name, err)
	}

	tracks := newOrdered[Track]()

	err := eachSeries(ctx, config.Workers, source, func(at int, series *Series) error {
		if !slices.Contains(services, series.Service) {
			return nil
		}

		recorder := &recorder{track: Track{Service: series.Service}}
		if _, err := play(ctx, &config, series, contender, recorder); err != nil {
			return err
		}

		tracks.put(at, recorder.track)

		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("follow %s: %w", contender.Name, err)
	}

	return tracks.all(), nil
}

// play replays one service with one contender. One without samples is not played.
func play(ctx context.Context, config *Config, series *Series, contender Contender, to *recorder) (*replay, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err //nolint:wrapcheck // the caller's own
	}

	if len(series.Samples) == 0 {
		return &replay{series: series}, nil
	}

	player, err := contender.New(series)
	if err != nil {
		return nil, fmt.Errorf("%s: service %q: %w", contender.Name, series.Service, err)
	}

	r := newReplay(config, series, player)
	r.recorder = to
	r.run()

	return r, nil
}

// eachSeries calls a function for each service, for several at once; at is the number of the service.
func eachSeries(ctx context.Context, workers int, source Source, do func(at int, series *Series) error) error {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}

	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(workers)

	var readErr error

	number := 0

	for series, err := range source {
		if err != nil {
			readErr = err

			break
		}

		if groupCtx.Err() != nil {
			break
		}

		at := number
		number++

		group.Go(func() error { return do(at, series) })
	}

	if err := errors.Join(group.Wait(), readErr); err != nil {
		return err
	}

	return context.Cause(ctx) //nolint:wrapcheck // the caller's own
}
