package external

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

const (
	// bucket is what the windows of usage are made of.
	bucket = 10 * time.Minute
	// maxWindow is how far back usage is kept in every case.
	maxWindow = 14 * 24 * time.Hour
	// maxTimeout keeps a slow endpoint from holding up evaluations.
	maxTimeout = time.Minute
)

// problems collects what is wrong.
type problems []error

func (ps *problems) checkf(ok bool, field, format string, args ...any) {
	if !ok {
		*ps = append(*ps, &policy.FieldError{Field: field, Description: fmt.Sprintf(format, args...)})
	}
}

// Validate returns every problem at once, joined; each is a *policy.FieldError.
func (p Params) Validate() error {
	var found problems

	p.Endpoint.validate(&found)
	found.checkf(p.Timeout > 0 && p.Timeout <= maxTimeout, "timeout", "%s must be above 0 and at most %s", p.Timeout, maxTimeout)
	found.checkf(p.MaxAge >= 0, "max_age", "%s must be 0 (keep no answer) or more", p.MaxAge)
	found.checkf(p.MaxReplicas >= 0 && p.MaxReplicas <= size.MaxReplicas, "max_replicas",
		"%d must be between 0 (any number) and %d", p.MaxReplicas, size.MaxReplicas)
	found.checkf(p.FailureThreshold > 0, "failure_threshold", "%d must be 1 or more", p.FailureThreshold)
	found.checkf(p.OpenFor > 0, "open_for", "%s must be above 0", p.OpenFor)

	for i, window := range p.Windows {
		field := fmt.Sprintf("windows[%d]", i)
		found.checkf(window > 0 && window <= maxWindow && window%bucket == 0, field,
			"%s must be a multiple of 10 minutes, up to 14 days", window)
		found.checkf(i == 0 || window > p.Windows[i-1], field, "%s must be longer than the one before: shortest first", window)
	}

	return errors.Join(found...)
}

func (e Endpoint) validate(found *problems) {
	switch e.Protocol {
	case ProtocolHTTP:
		e.validateURL(found)
	case ProtocolGRPC:
		found.checkf(isHostPort(e.Address), "grpc", "%q must be host:port", e.Address)
		found.checkf(e.CAFile == "" || e.TLS, "ca_file", "is of no use without tls: true")
	default:
		found.checkf(false, "url", "there is no endpoint: set url (http or https) or grpc (host:port)")
	}
}

func (e Endpoint) validateURL(found *problems) {
	// The error of a URL that cannot be parsed repeats it, with the password that it may hold.
	address, err := url.Parse(e.Address)
	if err != nil {
		found.checkf(false, "url", "is not a URL: use http://host:port/path or https://host:port/path")

		return
	}

	found.checkf(address.Scheme == "http" || address.Scheme == "https", "url", "the scheme %q must be http or https", address.Scheme)
	found.checkf(address.Hostname() != "", "url", "has no host: use http://host:port/path")
	found.checkf(address.User == nil, "url", "must not hold a user name or a password")
	found.checkf(address.Fragment == "", "url", "must not have a fragment (#%s)", address.Fragment)
	found.checkf(e.CAFile == "" || address.Scheme == "https", "ca_file", "is of no use without https")
	found.checkf(!e.TLS, "tls", "is for grpc: here the scheme https says so")
}

func isHostPort(address string) bool {
	host, port, err := net.SplitHostPort(address)
	if err != nil || host == "" {
		return false
	}

	number, err := strconv.ParseUint(port, 10, 16)

	return err == nil && number > 0
}
