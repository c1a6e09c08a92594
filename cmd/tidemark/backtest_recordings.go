package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tidemark-project/tidemark/recommender/backtest"
	"github.com/tidemark-project/tidemark/recommender/backtest/trace"
)

// recording is usage to replay.
type recording struct {
	name   string
	source backtest.Source
}

// recordings are what the flags name. The function that is returned closes what was opened.
func (c *backtestCmd) recordings(ctx context.Context) ([]recording, func(), error) {
	switch live := len(c.Live.Service) > 0; {
	case live && len(c.Usage) > 0:
		return nil, nil, errors.New("--usage and --service exclude each other: usage comes from files or from ClickHouse")
	case live:
		return c.liveRecording(ctx)
	case len(c.Usage) == 0:
		return nil, nil, errors.New("there is nothing to replay: name recorded files with --usage, or services with --service")
	}

	services, err := c.services()
	if err != nil {
		return nil, nil, err
	}

	var recordings []recording

	for _, path := range c.Usage {
		recordings = append(recordings, recording{recordingName(path), backtest.Recorded(path, services)})
	}

	return recordings, func() {}, nil
}

// services reads all files of services into one.
func (c *backtestCmd) services() (map[string]trace.Service, error) {
	byName, fileOf := map[string]trace.Service{}, map[string]string{}

	for _, path := range c.Services {
		services, err := trace.ReadServices(path)
		if err != nil {
			return nil, err
		}

		for _, service := range services {
			if before, twice := fileOf[service.Name]; twice {
				return nil, fmt.Errorf("%s: has a service %q, and so has %s", path, service.Name, before)
			}

			byName[service.Name], fileOf[service.Name] = service, path
		}
	}

	return byName, nil
}

// recordingName is a file's name without its endings.
func recordingName(path string) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".csv")
}
