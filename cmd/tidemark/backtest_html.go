package main

import (
	"context"
	"time"

	"github.com/tidemark-project/tidemark/recommender/backtest"
	"github.com/tidemark-project/tidemark/recommender/backtest/html"
)

// writeHTML replays the worst services of each recommender once more, to draw them, and writes the report.
func (c *backtestCmd) writeHTML(
	ctx context.Context, config backtest.Config, contenders []backtest.Contender, played []playedRecording,
) error {
	report := html.Report{Made: time.Now(), Config: config}

	for _, p := range played {
		shown := html.Recording{Name: p.name, Results: p.results}

		for i, contender := range contenders {
			names := make([]string, 0, len(p.results[i].Worst))
			for _, service := range p.results[i].Worst {
				names = append(names, service.Service)
			}

			tracks, err := backtest.Follow(ctx, config, p.source, contender, names)
			if err != nil {
				return err
			}

			shown.Tracks = append(shown.Tracks, tracks)
		}

		report.Recordings = append(report.Recordings, shown)
	}

	page, err := html.Render(&report)
	if err != nil {
		return err
	}

	return writeFile(c.HTML, page)
}
