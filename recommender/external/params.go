package external

import (
	"slices"
	"time"

	"github.com/tidemark-project/tidemark/recommender"
)

// Protocol is how an outside recommender is asked.
type Protocol string

// The protocols.
const (
	// ProtocolHTTP is the one of the TiDB operator: a GET with the service in the query, a JSON object as the answer.
	ProtocolHTTP Protocol = "http"
	// ProtocolGRPC is tidemark.v1.ExternalRecommender.
	ProtocolGRPC Protocol = "grpc"
)

// Protocols returns every protocol.
func Protocols() []Protocol { return []Protocol{ProtocolHTTP, ProtocolGRPC} }

// Endpoint is where an outside recommender is asked.
type Endpoint struct {
	// Protocol says how.
	Protocol Protocol
	// Address is an http or https URL, or host:port for ProtocolGRPC.
	Address string
	// TLS encrypts ProtocolGRPC. For ProtocolHTTP the scheme of the URL says so.
	TLS bool
	// CAFile holds the certificates, in PEM, that the endpoint's must be signed by; empty for those of the system.
	CAFile string
}

// Params say whom to ask and what to make of the answer.
type Params struct {
	// Endpoint is whom to ask.
	Endpoint Endpoint
	// Timeout is how long one question may take.
	Timeout time.Duration
	// MaxAge is for how long the last good answer stands in for one that did not come.
	MaxAge time.Duration
	// Component is sent along as the type of the service; it may be empty.
	Component string
	// MaxReplicas is the most replicas that an answer may ask for; 0 for any number.
	MaxReplicas int32
	// FailureThreshold is after how many failures in a row the endpoint is left alone.
	FailureThreshold int
	// OpenFor is for how long it is left alone.
	OpenFor time.Duration
	// Windows are the look-back windows whose usage is read, and sent along by ProtocolGRPC, shortest first; each a multiple
	// of 10 minutes. Nothing is lowered as long as one of them is empty. Without any, the answer alone decides.
	Windows []time.Duration
}

// Defaults returns everything but the endpoint, which has no default. The timeout is that of the TiDB operator.
func Defaults() Params {
	return Params{
		Timeout:          5 * time.Second,
		MaxAge:           time.Hour,
		FailureThreshold: 5,
		OpenFor:          30 * time.Second,
		Windows:          []time.Duration{3 * time.Hour, 30 * time.Hour},
	}
}

// clone returns a copy that shares nothing with p.
func (p Params) clone() Params {
	p.Windows = slices.Clone(p.Windows)

	return p
}

// explained lists the parameters for explanations.
func (p Params) explained() []recommender.Parameter {
	return []recommender.Parameter{
		{Name: "max_age_seconds", Value: p.MaxAge.Seconds()},
		{Name: "max_replicas", Value: float64(p.MaxReplicas)},
	}
}
