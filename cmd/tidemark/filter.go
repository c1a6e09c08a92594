package main

import (
	"fmt"
	"math"
	"strings"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// filterFlags select recommendations.
type filterFlags struct {
	Service   []string `placeholder:"TENANT/NAME" help:"Only these services."`
	Tenant    []string `help:"Only these tenants' services."`
	Policy    []string `help:"Only those made under these policies."`
	Mode      []string `help:"Only those in these modes: enforce, observe-only, up-only, off."`
	Direction []string `help:"Only those that go this way: up, down, none."`
	Status    []string `help:"Only those that ended so: ok, hold, insufficient-data, limited, failed."`
	Selector  string   `placeholder:"SELECTOR" help:"Only services with such labels, as kubectl selects them: tier=gold, tier!=gold, 'tier in (gold, silver)', tier, !tier, shards>3; several, joined by commas, must all hold."`
	MinChange float64  `placeholder:"PERCENT" help:"Only changes of CPU, memory or replicas by at least so many percent of the present size."`
}

// filter returns what the flags say.
func (f *filterFlags) filter() (*tidemarkv1.RecommendationFilter, error) {
	if f.MinChange < 0 || math.IsNaN(f.MinChange) || math.IsInf(f.MinChange, 0) {
		return nil, fmt.Errorf("--min-change: %g is no percentage: 20 selects changes of 20 %% and more, 0 all", f.MinChange)
	}

	filter := &tidemarkv1.RecommendationFilter{
		Services: f.Service, Tenants: f.Tenant, Policies: f.Policy,
		LabelSelector: f.Selector, MinChangePercent: f.MinChange,
	}

	for _, word := range f.Mode {
		value, err := enumValue("mode", tidemarkv1.Mode_value, "MODE_", word)
		if err != nil {
			return nil, err
		}

		filter.Modes = append(filter.Modes, tidemarkv1.Mode(value))
	}

	for _, word := range f.Direction {
		value, err := enumValue("direction", tidemarkv1.Direction_value, "DIRECTION_", word)
		if err != nil {
			return nil, err
		}

		filter.Directions = append(filter.Directions, tidemarkv1.Direction(value))
	}

	for _, word := range f.Status {
		value, err := enumValue("status", tidemarkv1.Status_value, "STATUS_", word)
		if err != nil {
			return nil, err
		}

		filter.Statuses = append(filter.Statuses, tidemarkv1.Status(value))
	}

	return filter, nil
}

// enumValue reads a word such as "observe-only" as a value of an enum, given by its names and their prefix.
func enumValue(flag string, values map[string]int32, prefix, word string) (int32, error) {
	name := prefix + strings.ToUpper(strings.ReplaceAll(word, "-", "_"))

	value, known := values[name]
	if !known || value == 0 {
		return 0, fmt.Errorf("--%s: there is no %q", flag, word)
	}

	return value, nil
}

// view says how much of a recommendation is wanted.
func view(full bool) tidemarkv1.View {
	if full {
		return tidemarkv1.View_VIEW_FULL
	}

	return tidemarkv1.View_VIEW_BASIC
}
