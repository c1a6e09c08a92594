package advisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/size"
)

const (
	// maxAnswer bounds an answer, in bytes.
	maxAnswer = 64 << 10
	// maxRedirects bounds how often an endpoint may point elsewhere on itself.
	maxRedirects = 3
	// idleTimeout is how long a connection is kept for the next question. Sweeps come every ten minutes or so.
	idleTimeout = time.Minute
)

// httpAsker speaks the protocol of the TiDB operator's external autoscaler: a GET with name, namespace and type in the
// query; 200 and an object that repeats them and says what is recommended.
type httpAsker struct {
	base   *url.URL
	client *http.Client
}

// httpAnswer is the object. Quantities are written as people and Kubernetes write them.
type httpAnswer struct {
	Name                string `json:"name"`
	Namespace           string `json:"namespace"`
	Type                string `json:"type"`
	RecommendedReplicas int64  `json:"recommendedReplicas"`
	RecommendedCPU      string `json:"recommendedCPU"` //nolint:tagliatelle // as people write CPU
	RecommendedMemory   string `json:"recommendedMemory"`
}

func newHTTP(endpoint external.Endpoint) (asker, error) {
	base, err := url.Parse(endpoint.Address)
	if err != nil {
		return nil, fmt.Errorf("address: %w", err)
	}

	tlsConfig, err := tlsConfig(endpoint)
	if err != nil {
		return nil, err
	}

	transport := &http.Transport{
		TLSClientConfig:        tlsConfig,
		Proxy:                  http.ProxyFromEnvironment,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    maxQuestions,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxAnswer,
	}

	return &httpAsker{base: base, client: &http.Client{Transport: transport, CheckRedirect: sameHost}}, nil
}

// sameHost follows an endpoint only to itself: who is asked is for the policy to say.
func sameHost(next *http.Request, before []*http.Request) error {
	first := before[0].URL

	switch {
	case len(before) > maxRedirects:
		return errors.New("too many redirects")
	case next.URL.Host != first.Host || next.URL.Scheme != first.Scheme:
		return fmt.Errorf("it redirects to %s://%s: only its own host is followed", next.URL.Scheme, next.URL.Host)
	default:
		return nil
	}
}

func (h *httpAsker) ask(ctx context.Context, params external.Params, request Request) (size.Size, error) {
	tenant, name := request.tenantAndName()

	question, err := http.NewRequestWithContext(ctx, http.MethodGet, h.question(tenant, name, params.Component), nil)
	if err != nil {
		return size.Size{}, fmt.Errorf("make the request: %w", err)
	}

	question.Header.Set("Accept", "application/json")

	response, err := h.client.Do(question)
	if err != nil {
		return size.Size{}, withoutURL(err)
	}
	defer response.Body.Close() //nolint:errcheck // it was read

	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))

	switch {
	case response.StatusCode == http.StatusNotFound:
		return size.Size{}, errNotKnown
	case response.StatusCode != http.StatusOK:
		return size.Size{}, fmt.Errorf("the answer is %s: it must be 200 OK", response.Status)
	case err != nil:
		return size.Size{}, fmt.Errorf("read the answer: %w", err)
	case len(body) > maxAnswer:
		return size.Size{}, fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
	}

	return parse(body, tenant, name, params.Component)
}

// parse reads an answer, which must repeat what was asked for.
func parse(body []byte, tenant, name, component string) (size.Size, error) {
	var answer httpAnswer
	if err := json.Unmarshal(body, &answer); err != nil {
		return size.Size{}, fmt.Errorf("the answer is not the JSON object that it must be: %w", err)
	}

	if answer.Name != name || answer.Namespace != tenant || answer.Type != component {
		return size.Size{}, fmt.Errorf("the answer is for name %q, namespace %q, type %q: asked was for %q, %q, %q",
			answer.Name, answer.Namespace, answer.Type, name, tenant, component)
	}

	return answer.size()
}

// withoutURL returns what went wrong without the URL, whose query may hold what is not for people's eyes.
func withoutURL(err error) error {
	if named, ok := errors.AsType[*url.Error](err); ok {
		return named.Err
	}

	return err
}

func (h *httpAsker) question(tenant, name, component string) string {
	target := *h.base
	query := target.Query()
	query.Set("name", name)
	query.Set("namespace", tenant)
	query.Set("type", component)
	target.RawQuery = query.Encode()

	return target.String()
}

// size reads the quantities in canonical units. An answer that says nothing is none.
func (a *httpAnswer) size() (size.Size, error) {
	var (
		answer size.Size
		err    error
	)

	if a.RecommendedCPU != "" {
		if answer.CPUMillis, err = size.ParseCPU(a.RecommendedCPU); err != nil {
			return size.Size{}, fmt.Errorf("recommendedCPU: %w", err)
		}
	}

	if a.RecommendedMemory != "" {
		if answer.MemoryBytes, err = size.ParseMemory(a.RecommendedMemory); err != nil {
			return size.Size{}, fmt.Errorf("recommendedMemory: %w", err)
		}
	}

	if a.RecommendedReplicas < 0 || a.RecommendedReplicas > int64(size.MaxReplicas) {
		return size.Size{}, fmt.Errorf("recommendedReplicas is %d: it must be between 0 and %d", a.RecommendedReplicas, size.MaxReplicas)
	}

	answer.Replicas = int32(a.RecommendedReplicas)

	return checked(answer)
}

func (h *httpAsker) close() error {
	h.client.CloseIdleConnections()

	return nil
}

// checked refuses an answer that no service can have, or that says nothing.
func checked(answer size.Size) (size.Size, error) {
	switch {
	case answer == (size.Size{}):
		return size.Size{}, errors.New("the answer recommends nothing: at least one of CPU, memory and replicas must be above 0")
	case answer.CPUMillis < 0 || answer.CPUMillis > size.MaxCPUMillis, answer.MemoryBytes < 0 || answer.MemoryBytes > size.MaxMemoryBytes,
		answer.Replicas < 0 || answer.Replicas > size.MaxReplicas:
		return size.Size{}, fmt.Errorf("the answer is no size that a service can have: %s", answer)
	default:
		return answer, nil
	}
}
