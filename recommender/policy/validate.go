package policy

import (
	"errors"
	"slices"
)

// Validate returns every problem of the policy at once, joined; each is a *FieldError. A valid policy has at least one
// legal size, and none of its rules forbids for ever what another one asks for.
func (p *Policy) Validate() error {
	var found problems

	if p.Name == "" {
		found.addf("name", "must not be empty")
	}

	p.checkModes(&found)
	p.checkBounds(&found)
	p.checkReplicas(&found)
	p.checkRatio(&found)
	p.checkCatalogue(&found)
	p.checkSteps(&found)
	p.checkFloor(&found)
	p.checkStepLimits(&found)
	p.checkDisruption(&found)
	p.checkCoolDown(&found)

	// What follows from the parts can only be judged once the parts are right.
	if len(found) == 0 {
		p.checkLegalSizeExists(&found)
		p.checkChangeIsPossible(&found)
	}

	return errors.Join(found...)
}

func (p *Policy) checkModes(found *problems) {
	if !slices.Contains(Modes(), p.Mode.OrDefault()) {
		found.addf("mode", "%q is not a mode: use one of %q", p.Mode, Modes())
	}

	for _, exception := range []struct {
		field string
		mode  Mode
	}{
		{"mode.cpu.up", p.Permissions.CPU.Up},
		{"mode.cpu.down", p.Permissions.CPU.Down},
		{"mode.memory.up", p.Permissions.Memory.Up},
		{"mode.memory.down", p.Permissions.Memory.Down},
		{"mode.replicas.up", p.Permissions.Replicas.Up},
		{"mode.replicas.down", p.Permissions.Replicas.Down},
	} {
		switch exception.mode {
		case "", ModeEnforce, ModeObserveOnly, ModeOff:
		case ModeUpOnly:
			found.addf(exception.field, "%q says something of both directions: use %q up and %q down",
				ModeUpOnly, ModeEnforce, ModeOff)
		default:
			found.addf(exception.field, "%q is not a mode of one direction: use one of %q",
				exception.mode, []Mode{ModeEnforce, ModeObserveOnly, ModeOff})
		}
	}
}
