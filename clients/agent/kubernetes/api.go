package kubernetes

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
)

const (
	userAgent = "tidemark-agent"
	// maxAnswer bounds an answer; a list of 1,000 large pods is well below.
	maxAnswer = 64 << 20
)

// api speaks with an API server. Who it is there, and how the server is known, is the business of its HTTP client.
type api struct {
	client *http.Client
	base   *url.URL
	dryRun bool // writes are checked, and change nothing
}

// at is where in the API something is.
type at struct {
	group     string // with its version; empty for the core
	namespace string
	plural    string
	name      string // empty for all there are
	sub       string // a subresource; empty for the thing itself
}

func (a at) path() string {
	if a.plural == "" {
		return "api/v1" // what there is
	}

	prefix := "api/v1"
	if a.group != "" {
		prefix = "apis/" + a.group
	}

	parts := []string{prefix, "namespaces", url.PathEscape(a.namespace), a.plural}

	for _, part := range []string{a.name, a.sub} {
		if part != "" {
			parts = append(parts, url.PathEscape(part))
		}
	}

	return strings.Join(parts, "/")
}

// resource names the kind of thing as RBAC does.
func (a at) resource() string {
	name := a.plural
	if a.sub != "" {
		name += "/" + a.sub
	}

	if group, _, found := strings.Cut(a.group, "/"); found {
		name += " of the group " + group
	}

	return name
}

// String names the thing for a person.
func (a at) String() string {
	if a.plural == "" {
		return "what the API has"
	}

	return strings.TrimSuffix(a.resource()+" "+a.namespace+"/"+a.name, "/")
}

func newAPI(config *rest.Config, dryRun bool) (*api, error) {
	config = rest.CopyConfig(config)
	config.UserAgent = userAgent

	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, fmt.Errorf("connect to a Kubernetes API server: %w", err)
	}

	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("connect to a Kubernetes API server: %w", err)
	}

	return &api{client: client, base: base, dryRun: dryRun}, nil
}

func (a *api) close() { utilnet.CloseIdleConnectionsFor(a.client.Transport) }

// get reads a thing, or all there are that the query selects.
func (a *api) get(ctx context.Context, from at, query url.Values, into any) error {
	return a.call(ctx, request{verb: readVerb(from), method: http.MethodGet, at: from, query: query}, into)
}

// discover reads what the core of the API has.
func (a *api) discover(ctx context.Context, into any) error {
	return a.call(ctx, request{verb: "get", method: http.MethodGet, query: nil}, into)
}

func readVerb(from at) string {
	if from.name == "" {
		return "list"
	}

	return "get"
}

// put replaces a thing; nothing is returned.
func (a *api) put(ctx context.Context, to at, body any) error {
	return a.call(ctx, request{
		verb: "update", method: http.MethodPut, at: to, query: url.Values{}, kind: "application/json", body: body,
	}, nil)
}

// merge changes the given fields of a thing. Lists are merged by the names of their members.
func (a *api) merge(ctx context.Context, to at, body, into any) error {
	return a.call(ctx, request{
		verb: "patch", method: http.MethodPatch, at: to, query: url.Values{},
		kind: "application/strategic-merge-patch+json", body: body,
	}, into)
}

// try has a merge checked, which changes nothing.
func (a *api) try(ctx context.Context, to at, body any) error {
	trying := *a
	trying.dryRun = true

	return trying.merge(ctx, to, body, nil)
}

// apply makes the given fields of a thing be so, and the manager their owner.
func (a *api) apply(ctx context.Context, to at, manager string, force bool, body, into any) error {
	query := url.Values{"fieldManager": {manager}}
	if force {
		query.Set("force", "true")
	}

	return a.call(ctx, request{
		verb: "patch", method: http.MethodPatch, at: to, query: query, kind: "application/apply-patch+yaml", body: body,
	}, into)
}

// request is one request and what is to be said about it when it fails.
type request struct {
	verb   string // as RBAC calls it
	method string
	at     at
	query  url.Values
	kind   string // the type of the body's content
	body   any    // nil when there is none
}

// call sends a request and decodes the answer.
func (a *api) call(ctx context.Context, r request, into any) error {
	body, err := a.open(ctx, r)
	if err != nil {
		return err
	}
	defer body.Close() //nolint:errcheck // nothing is lost

	answer, err := io.ReadAll(io.LimitReader(body, maxAnswer))
	if err != nil {
		return fmt.Errorf("%s %s: %w", r.verb, r.at, cause(ctx, err))
	}

	if into == nil {
		return nil
	}

	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("%s %s: the answer cannot be read: %w", r.verb, r.at, err)
	}

	return nil
}

// open sends a request and returns the answer of one that succeeded, which has to be closed.
func (a *api) open(ctx context.Context, r request) (io.ReadCloser, error) {
	var body io.Reader

	if r.body != nil {
		encoded, err := json.Marshal(r.body)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", r.verb, r.at, err)
		}

		body = bytes.NewReader(encoded)

		if a.dryRun {
			r.query.Set("dryRun", "All")
		}
	}

	target := a.base.JoinPath(r.at.path())
	target.RawQuery = r.query.Encode()

	sent, err := http.NewRequestWithContext(ctx, r.method, target.String(), body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.verb, r.at, err)
	}

	sent.Header.Set("Accept", "application/json")

	if body != nil {
		sent.Header.Set("Content-Type", r.kind)
	}

	answer, err := a.client.Do(sent)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.verb, r.at, cause(ctx, err))
	}

	if answer.StatusCode >= http.StatusMultipleChoices {
		defer answer.Body.Close() //nolint:errcheck // nothing is lost

		return nil, r.refused(answer)
	}

	return answer.Body, nil
}

// cause returns why a context ended, if it has, and the error otherwise.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx) //nolint:wrapcheck // said by whoever ended it
	}

	return err
}
