package policy

import "github.com/tidemark-project/tidemark/recommender/size"

// Permits returns what may be done with a change of one resource: ModeEnforce, ModeObserveOnly or ModeOff. A mode that is
// not known cannot have been meant to allow more than looking.
func (p *Policy) Permits(resource size.Resource, up bool) Mode {
	mode := p.exception(resource, up)
	if mode == "" {
		mode = p.Mode.OrDefault()
	}

	switch mode {
	case ModeEnforce, ModeOff:
		return mode
	case ModeUpOnly:
		if up {
			return ModeEnforce
		}

		return ModeOff
	case ModeObserveOnly:
		return ModeObserveOnly
	default:
		return ModeObserveOnly
	}
}

func (p *Policy) exception(resource size.Resource, up bool) Mode {
	permission := p.Permissions.Replicas

	switch resource {
	case size.CPU:
		permission = p.Permissions.CPU
	case size.Memory:
		permission = p.Permissions.Memory
	case size.Replicas:
	}

	if up {
		return permission.Up
	}

	return permission.Down
}
