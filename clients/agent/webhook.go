package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

const (
	defaultWebhookTimeout = 10 * time.Second
	// maxAnswer is how much of an answer is read: enough to use the connection again, and to log what was wrong.
	maxAnswer = 4 << 10
)

// ModeHeader says what may be done with the recommendation of a request, as its mode does: "ENFORCE", "OBSERVE_ONLY".
const ModeHeader = "Tidemark-Mode"

// WebhookConfig says where recommendations are posted.
type WebhookConfig struct {
	// URL takes a POST per recommendation; required.
	URL string
	// Header is added to every request, for example an Authorization.
	Header http.Header
	// Secrets returns what requests are signed with, see VerifySignature; they are not signed when nil. It is called for
	// every request, so that secrets can be replaced while the agent runs: SecretFiles makes one.
	Secrets func() ([][]byte, error)
	// Timeout bounds one request; 10 s when not set.
	Timeout time.Duration
	// Transport carries the requests; that of net/http when nil.
	Transport http.RoundTripper
}

// Webhook is an actuator that posts each recommendation as JSON. The header Idempotency-Key is "service@revision": who
// gets the same key twice has the same recommendation twice. Requests are signed if there is a secret: see VerifySignature.
//
// An answer of 2xx means that the recommendation was taken. After no answer, 408, 425, 429 or 5xx it is posted again, not
// before a Retry-After; every other answer means that it was refused for good. Redirects are not followed.
type Webhook struct {
	config WebhookConfig
	client *http.Client
}

var errWebhookURL = errors.New("a webhook needs an absolute URL, http or https")

// NewWebhook returns an actuator that posts.
func NewWebhook(config WebhookConfig) (*Webhook, error) {
	parsed, err := url.Parse(config.URL)
	if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
		return nil, fmt.Errorf("%w: %q", errWebhookURL, config.URL)
	}

	if config.Secrets != nil {
		if _, err := usable(config.Secrets); err != nil {
			return nil, err
		}
	}

	if config.Timeout <= 0 {
		config.Timeout = defaultWebhookTimeout
	}

	return &Webhook{
		config: config,
		client: &http.Client{
			Transport:     config.Transport,
			Timeout:       config.Timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Apply implements Actuator.
func (w *Webhook) Apply(ctx context.Context, recommendation *tidemarkv1.Recommendation) error {
	body, err := tidemark.MarshalJSON(recommendation)
	if err != nil {
		return Permanent(err)
	}

	request, err := w.request(ctx, recommendation, body)
	if err != nil {
		return Permanent(err)
	}

	if err := w.sign(request.Header, body); err != nil {
		return err
	}

	response, err := w.client.Do(request)
	if err != nil {
		// Without the URL, which may hold a secret: the error goes into logs and reports.
		if failure, ok := errors.AsType[*url.Error](err); ok {
			err = failure.Err
		}

		return fmt.Errorf("post: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // nothing is lost

	// A body that breaks off matters to nobody; the status has been read.
	answer, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer))

	return verdict(response, answer)
}

// Close lets go of idle connections.
func (w *Webhook) Close() { w.client.CloseIdleConnections() }

func (w *Webhook) request(
	ctx context.Context, recommendation *tidemarkv1.Recommendation, body []byte,
) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.config.URL, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}

	for name, values := range w.config.Header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}

	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "tidemark-agent")
	request.Header.Set(ModeHeader, strings.TrimPrefix(recommendation.GetMode().String(), "MODE_"))
	request.Header.Set("Idempotency-Key",
		recommendation.GetService()+"@"+strconv.FormatInt(recommendation.GetRevision(), 10))

	return request, nil
}

// sign signs a request, anew for every attempt: a signature holds for a short time only.
func (w *Webhook) sign(header http.Header, body []byte) error {
	if w.config.Secrets == nil {
		return nil
	}

	secrets, err := usable(w.config.Secrets)
	if err != nil {
		return err
	}

	sign(header, secrets, body, time.Now())

	return nil
}

// verdict says what an answer means.
func verdict(response *http.Response, answer []byte) error {
	code := response.StatusCode
	if code/100 == http.StatusOK/100 {
		return nil
	}

	err := fmt.Errorf("post: answered %s: %.200q", response.Status, answer)

	switch {
	case code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests,
		code >= http.StatusInternalServerError:
		return RetryAfter(err, retryAfter(response.Header.Get("Retry-After"), time.Now()))
	default:
		return Permanent(err)
	}
}

// retryAfter reads the header of that name: seconds, or a date. What cannot be read is 0.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}

	if date, err := http.ParseTime(header); err == nil {
		return max(0, date.Sub(now))
	}

	return 0
}
