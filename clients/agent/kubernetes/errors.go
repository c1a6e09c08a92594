package kubernetes

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tidemark-project/tidemark/clients/agent"
)

// How long to wait before something is looked at again that others have to bring about.
const (
	soon  = 10 * time.Second // a pod, or an object that changes just now
	later = time.Minute      // a rollout, room on a node, a quota, a person
)

// refuse is an error that the same recommendation would meet again.
func refuse(format string, args ...any) error { return agent.Permanent(fmt.Errorf(format, args...)) }

// postpone is the reason why the change has to wait, which may be over after the delay.
func postpone(delay time.Duration, format string, args ...any) error {
	return agent.Deferred(fmt.Errorf(format, args...), delay)
}

// apiError is an answer of the API server that is an error.
type apiError struct {
	code   int
	status metav1.Status
	text   string
}

func (e *apiError) Error() string { return e.text }

// answered reports that the API server answered with the code.
func answered(err error, code int) bool {
	failure, ok := errors.AsType[*apiError](err)

	return ok && failure.code == code
}

// conflicting reports that the API server refused to take fields away from another manager.
func conflicting(err error) bool {
	failure, ok := errors.AsType[*apiError](err)

	return ok && failure.managers() != ""
}

// managers names those that own a field which was to be set, and the fields; empty when that is not the trouble.
func (e *apiError) managers() string {
	if e.status.Details == nil {
		return ""
	}

	var said []string

	for _, one := range e.status.Details.Causes {
		if one.Type == metav1.CauseTypeFieldManagerConflict {
			said = append(said, one.Message+": "+one.Field)
		}
	}

	return strings.Join(said, "; ")
}

// unauthorised reports that the account lacks a right; what admission forbids is another matter.
func (e *apiError) unauthorised() bool {
	return e.code == http.StatusForbidden && strings.Contains(e.status.Message, " cannot ")
}

// impossible reports that the API server does not do to a pod what it may do to another that is made in its place. What
// admission forbids (a LimitRange, a policy of the cluster) it forbids to that as well.
func impossible(err error) bool {
	failure, ok := errors.AsType[*apiError](err)

	return ok && (failure.code == http.StatusUnprocessableEntity || failure.nodes())
}

// nodes reports that it is the pod's node that cannot do it; another perhaps can.
func (e *apiError) nodes() bool {
	return e.status.Details != nil && slices.ContainsFunc(e.status.Details.Causes, func(c metav1.StatusCause) bool {
		return c.Type == "NodeCapacity" || c.Type == "UnsupportedPlatform"
	})
}

// unauthorised reports that the account lacks the right to what was asked for.
func unauthorised(err error) bool {
	failure, ok := errors.AsType[*apiError](err)

	return ok && failure.unauthorised()
}

func (e *apiError) overQuota() bool {
	return e.code == http.StatusForbidden && strings.Contains(e.status.Message, "exceeded quota")
}

// starting reports that the API server has yet to learn what admission depends on.
func (e *apiError) starting() bool {
	return e.code == http.StatusForbidden && strings.Contains(e.status.Message, "not yet ready to handle request")
}

// refused says what an answer that is no success means.
func (r request) refused(answer *http.Response) error {
	failure := &apiError{code: answer.StatusCode}

	// An answer that breaks off has a code all the same.
	body, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if json.Unmarshal(body, &failure.status) != nil || failure.status.Message == "" {
		failure.status.Message = fmt.Sprintf("%.200q", body)
	}

	failure.text = fmt.Sprintf("%s %s: answered %d: %s", r.verb, r.at, failure.code, failure.status.Message)

	return r.meaning(failure, pause(answer.Header.Get("Retry-After"), failure.status.Details))
}

// meaning says whether it is worth another try, and what would help.
func (r request) meaning(failure *apiError, delay time.Duration) error {
	switch code := failure.code; {
	case code == http.StatusConflict:
		if managers := failure.managers(); managers != "" {
			failure.text = fmt.Sprintf("%s %s: another manager has set what was to be set (%s): leave it out there, or start "+
				"the agent with --kubernetes-force-conflicts", r.verb, r.at, managers)

			return agent.Permanent(failure)
		}

		return failure
	case code == http.StatusTooManyRequests, code >= http.StatusInternalServerError:
		return agent.RetryAfter(failure, delay)
	case code == http.StatusUnauthorized, code == http.StatusRequestTimeout, code == http.StatusGone:
		return failure // a token is renewed, a list read again
	case failure.starting():
		return agent.RetryAfter(failure, soon)
	case failure.overQuota():
		return agent.RetryAfter(failure, later)
	case failure.unauthorised():
		failure.text += fmt.Sprintf(": give the agent's account the verb %s on %s in the namespace %s", r.verb, r.at.resource(), r.at.namespace)
	}

	return agent.Permanent(failure)
}

// pause is how long the API server asks to wait; 0 when it does not.
func pause(header string, details *metav1.StatusDetails) time.Duration {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}

	if details != nil && details.RetryAfterSeconds > 0 {
		return time.Duration(details.RetryAfterSeconds) * time.Second
	}

	return 0
}
