package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// watchSeconds is how long one watch lasts at most. What it missed, if it did, is seen then.
	watchSeconds = "60"
	// watchPause is the wait before a watch that has ended is begun again.
	watchPause = time.Second
)

// errGone says that what was watched does not exist any more.
var errGone = errors.New("it has gone")

// list is a list of things of which no more than needed is decoded.
type list[T any] struct {
	Metadata metav1.ListMeta `json:"metadata"`
	Items    []T             `json:"items"`
}

// watchEvent is one line of a watch.
type watchEvent struct {
	Type   string          `json:"type"`
	Object json.RawMessage `json:"object"`
}

// await looks at a thing, again whenever it changes, until enough returns true or an error, which it returns, as it does
// that of a context that ends. T is what the thing is decoded into.
func await[T any](ctx context.Context, a *api, thing at, enough func(*T) (bool, error)) error {
	for {
		done, err := look(ctx, a, thing, enough)
		if done || err != nil {
			return err
		}

		timer := time.NewTimer(watchPause)

		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()

			return context.Cause(ctx) //nolint:wrapcheck // said by whoever ended it
		}
	}
}

// look looks at a thing as it is and as it changes, until the watch ends.
func look[T any](ctx context.Context, a *api, thing at, enough func(*T) (bool, error)) (bool, error) {
	all, query := thing, url.Values{"fieldSelector": {"metadata.name=" + thing.name}}
	all.name = ""

	var now list[T]
	if err := a.get(ctx, all, query, &now); err != nil {
		return false, err
	}

	if len(now.Items) == 0 {
		return false, fmt.Errorf("%s: %w", thing, errGone)
	}

	if done, err := enough(&now.Items[0]); done || err != nil {
		return done, err
	}

	query.Set("watch", "true")
	query.Set("resourceVersion", now.Metadata.ResourceVersion)
	query.Set("timeoutSeconds", watchSeconds)

	stream, err := a.open(ctx, request{verb: "watch", method: http.MethodGet, at: all, query: query})
	if answered(err, http.StatusGone) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	defer stream.Close() //nolint:errcheck // nothing is lost

	return follow(json.NewDecoder(stream), thing, enough)
}

// follow reads a watch until it ends, for whatever reason.
func follow[T any](events *json.Decoder, thing at, enough func(*T) (bool, error)) (bool, error) {
	for {
		var event watchEvent
		if err := events.Decode(&event); err != nil {
			return false, nil //nolint:nilerr // a watch ends at any time; it is begun again
		}

		switch event.Type {
		case "ADDED", "MODIFIED":
			now := new(T)
			if err := json.Unmarshal(event.Object, now); err != nil {
				return false, fmt.Errorf("watch %s: what it tells cannot be read: %w", thing, err)
			}

			if done, err := enough(now); done || err != nil {
				return done, err
			}
		case "DELETED":
			return false, fmt.Errorf("%s: %w", thing, errGone)
		case "ERROR":
			return false, nil
		}
	}
}
