package html

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/recommender/backtest"
)

// functions are what the page's template calls.
var functions = template.FuncMap{
	"percent": percent, "number": number, "latency": latency, "params": params, "span": span,
	"amount": func(value float64) string { return fmt.Sprintf("%.0f", value) },
	"rate":   func(value float64) string { return fmt.Sprintf("%.2f", value) },
}

const unknown = "–"

func percent(share *float64) string {
	if share == nil {
		return unknown
	}

	return fmt.Sprintf("%.1f %%", 100**share)
}

func number(value *float64) string {
	if value == nil {
		return unknown
	}

	return fmt.Sprintf("%.2f", *value)
}

func latency(inHours *float64, descents backtest.Descents) string {
	switch {
	case inHours != nil:
		return fmt.Sprintf("%.1f h", *inHours)
	case descents.Number > 0:
		return "never"
	default:
		return unknown
	}
}

// params lists the constants of a contender.
func params(of map[string]any) string {
	listed := make([]string, 0, len(of))
	for _, name := range slices.Sorted(maps.Keys(of)) {
		listed = append(listed, fmt.Sprintf("%s %v", name, of[name]))
	}

	return strings.Join(listed, ", ")
}

// span shows a duration without the parts that are nothing: "10m", "24h".
func span(of time.Duration) string {
	text := of.String()

	for _, nothing := range [...]string{"m0s", "h0m"} {
		if strings.HasSuffix(text, nothing) {
			text = text[:len(text)-2]
		}
	}

	return text
}
