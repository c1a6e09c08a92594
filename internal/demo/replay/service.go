package replay

import (
	"fmt"
	"regexp"

	"github.com/tidemark-project/tidemark/internal/demo/fleet"
	"github.com/tidemark-project/tidemark/recommender/backtest/trace"
)

// Tenant is the tenant of every replayed service.
const Tenant = "replay"

// validName is what a name must be like to be part of a service's key.
var validName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`)

// maxName bounds a name, so that the key fits into 253 bytes.
const maxName = 253 - len(Tenant) - 1

// service makes a service of the recording, and reports whether its size had to be derived.
func (r *recording) service(name string, known trace.Service) (fleet.Service, bool, error) {
	if !validName.MatchString(name) || len(name) > maxName {
		return fleet.Service{}, false, fmt.Errorf("service %q cannot be replayed: its name must be 1 to %d letters, digits, "+
			"dots, dashes or underlines and begin and end with a letter or a digit", name, maxName)
	}

	allocation, derived := r.allocation(known)
	labels := map[string]string{"workload": "recorded"}

	if known.Source != "" {
		labels["recording"] = known.Source
	}

	return fleet.Service{
		Key:        Tenant + "/" + name,
		Kind:       "recorded",
		Labels:     labels,
		Allocation: allocation,
		Samples:    r.past,
		Demand:     r.demand,
	}, derived, nil
}
