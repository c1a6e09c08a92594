package html

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"time"

	"github.com/tidemark-project/tidemark/recommender/backtest"
)

// Report is what the page shows.
type Report struct {
	// Made is when the report was made.
	Made time.Time
	// Config is how the recordings were played.
	Config backtest.Config
	// Recordings are shown one after the other.
	Recordings []Recording
}

// Recording is what came of one recording.
type Recording struct {
	// Name is the recording's.
	Name string
	// Results are those of each contender.
	Results []backtest.Result
	// Tracks are the services to draw, for each of the results.
	Tracks [][]backtest.Track
}

//go:embed page.gohtml page.css page.js uplot/uPlot.iife.min.js uplot/uPlot.min.css
var files embed.FS

// Render returns the page. Names are shown as they are, whatever they hold.
func Render(report *Report) ([]byte, error) {
	content, err := template.New("page.gohtml").Funcs(functions).ParseFS(files, "page.gohtml")
	if err != nil {
		return nil, fmt.Errorf("parse the page: %w", err)
	}

	fixed, err := readParts()
	if err != nil {
		return nil, err
	}

	var page bytes.Buffer

	err = content.Execute(&page, struct {
		*parts
		*Report

		Data data
	}{fixed, report, newData(report)})
	if err != nil {
		return nil, fmt.Errorf("make the page: %w", err)
	}

	return page.Bytes(), nil
}

// parts are the files that go into the page as they are.
type parts struct {
	Library, Script template.JS
	Styles          template.CSS
}

func readParts() (*parts, error) {
	var (
		texts [4]string
		names = [...]string{"uplot/uPlot.iife.min.js", "page.js", "uplot/uPlot.min.css", "page.css"}
	)

	for i, name := range names {
		content, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read a part of the page: %w", err)
		}

		texts[i] = string(content)
	}

	return &parts{
		Library: template.JS(texts[0]),             //nolint:gosec // ours, and not from a recording
		Script:  template.JS(texts[1]),             //nolint:gosec // as above
		Styles:  template.CSS(texts[2] + texts[3]), //nolint:gosec // as above
	}, nil
}
