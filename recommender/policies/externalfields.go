package policies

import (
	"time"

	"github.com/tidemark-project/tidemark/recommender/external"
)

var externalFields = []field[external.Params]{
	endpoint("url", external.ProtocolHTTP),
	endpoint("grpc", external.ProtocolGRPC),
	toggle("tls", func(p *external.Params) *bool { return &p.Endpoint.TLS }),
	word("ca_file", func(p *external.Params) *string { return &p.Endpoint.CAFile }),
	duration("timeout", func(p *external.Params) *time.Duration { return &p.Timeout }),
	duration("max_age", func(p *external.Params) *time.Duration { return &p.MaxAge }),
	word("type", func(p *external.Params) *string { return &p.Component }),
	count("max_replicas", func(p *external.Params) *int32 { return &p.MaxReplicas }),
	count("failure_threshold", func(p *external.Params) *int { return &p.FailureThreshold }),
	duration("open_for", func(p *external.Params) *time.Duration { return &p.OpenFor }),
	{name: "windows", read: readWindows, write: writeWindows},
}

// endpoint is where an outside recommender is, given by the field that says how it is asked.
func endpoint(name string, protocol external.Protocol) field[external.Params] {
	return field[external.Params]{
		name: name,
		read: func(r *reader, n *node, to *external.Params) {
			switch {
			case n.kind != scalar:
				r.failf(n, "is %s: write one address", n.kind)
			case to.Endpoint.Protocol != "":
				r.failf(n, "is given together with another endpoint: keep url or grpc")
			default:
				to.Endpoint.Protocol, to.Endpoint.Address = protocol, n.text
			}
		},
		write: func(from *external.Params) *node {
			if from.Endpoint.Protocol != protocol {
				return nil
			}

			return &node{kind: scalar, text: from.Endpoint.Address}
		},
	}
}

func readWindows(r *reader, n *node, to *external.Params) {
	if n.kind != sequence {
		r.failf(n, "is %s: write a list, such as [3h, 30h]", n.kind)

		return
	}

	to.Windows = nil

	for _, item := range n.items {
		window, err := parseDuration(item.text)
		if item.kind != scalar || err != nil {
			r.failf(item, "%s is not a duration: write days, hours and minutes, such as 30h or 7d", quote(item.text))

			continue
		}

		to.Windows = append(to.Windows, window)
	}
}

func writeWindows(from *external.Params) *node {
	written := &node{kind: sequence}
	for _, window := range from.Windows {
		written.items = append(written.items, &node{kind: scalar, text: formatDuration(window)})
	}

	return written
}
