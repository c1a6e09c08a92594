package kubernetes

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/tidemark-project/tidemark/clients/agent"
	"github.com/tidemark-project/tidemark/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// permanent reports that the agent would not try again after the error.
func permanent(err error) bool { return marked(err, agent.Permanent(nil)) != nil }

// asked is how long the agent would wait at least before it tries again.
func asked(err error) time.Duration {
	found := marked(err, agent.RetryAfter(nil, 0))
	if found == nil {
		return 0
	}

	return time.Duration(reflect.ValueOf(found).Elem().FieldByName("delay").Int())
}

// marked returns the first error in the chain that is of the same kind.
func marked(err, like error) error {
	for ; err != nil; err = errors.Unwrap(err) {
		if reflect.TypeOf(err) == reflect.TypeOf(like) {
			return err
		}
	}

	return nil
}
