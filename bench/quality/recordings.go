package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidemark-project/tidemark/recommender/backtest"
	"github.com/tidemark-project/tidemark/recommender/backtest/trace"
)

// recording is one source of recorded usage.
type recording struct {
	name   string
	source backtest.Source
}

// findRecordings looks for pairs of NAME.csv.gz and NAME.services.csv; none if the folder does not exist.
func findRecordings(folder string) ([]recording, error) {
	const packed, services = ".csv.gz", ".services.csv"

	paths, err := filepath.Glob(filepath.Join(folder, "*"+packed))
	if err != nil {
		return nil, fmt.Errorf("look for recordings: %w", err)
	}

	slices.Sort(paths)

	var recordings []recording

	for _, path := range paths {
		known := map[string]trace.Service{}
		list := strings.TrimSuffix(path, packed) + services

		if _, err := os.Stat(list); err == nil {
			all, err := trace.ReadServices(list)
			if err != nil {
				return nil, err
			}

			for _, service := range all {
				known[service.Name] = service
			}
		}

		recordings = append(recordings, recording{
			strings.TrimSuffix(filepath.Base(path), packed), backtest.Recorded(path, known),
		})
	}

	return recordings, nil
}
