package agent_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/tidemark-project/tidemark/clients/agent"
)

// Each recommendation is posted as JSON, with a key by which the receiver knows what it had before.
func ExampleNewWebhook() {
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Method, r.Header.Get("Content-Type"), r.Header.Get("Idempotency-Key"), r.Header.Get(agent.ModeHeader))
		w.WriteHeader(http.StatusNoContent)
	}))
	defer receiver.Close()

	post, err := agent.NewWebhook(agent.WebhookConfig{URL: receiver.URL, Timeout: 10 * time.Second})
	if err != nil {
		fmt.Println(err)

		return
	}
	defer post.Close()

	actWith(post)
	// Output:
	// POST application/json prod/orders-db@1 ENFORCE
	// prod/orders-db applied
}

// While one secret replaces another, posts are signed with both. The files are read for every post.
func ExampleSecretFiles() {
	dir, err := os.MkdirTemp("", "tidemark-example-")
	if err != nil {
		fmt.Println(err)

		return
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is a temporary one

	old, latest := filepath.Join(dir, "old"), filepath.Join(dir, "latest")

	for path, secret := range map[string]string{old: "the secret of last year\n", latest: "the secret of this year\n"} {
		if err := os.WriteFile(path, []byte(secret), 0o600); err != nil {
			fmt.Println(err)

			return
		}
	}

	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			fmt.Println(err)
		}

		for _, known := range []string{"the secret of last year", "the secret of this year"} {
			fmt.Println(agent.VerifySignature([]byte(known), r.Header, body, time.Now(), 5*time.Minute))
		}
	}))
	defer receiver.Close()

	post, err := agent.NewWebhook(agent.WebhookConfig{URL: receiver.URL, Secrets: agent.SecretFiles(old, latest)})
	if err != nil {
		fmt.Println(err)

		return
	}
	defer post.Close()

	fmt.Println(post.Apply(context.Background(), exampleRecommendation()))
	// Output:
	// <nil>
	// <nil>
	// <nil>
}

// A receiver of webhooks checks that they come from the agent.
func ExampleVerifySignature() {
	secret := []byte("at least sixteen bytes, from a file")

	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, "too long", http.StatusBadRequest)

			return
		}

		if err := agent.VerifySignature(secret, r.Header, body, time.Now(), 5*time.Minute); err != nil {
			fmt.Println(err)
			http.Error(w, "not for you", http.StatusForbidden)

			return
		}

		fmt.Println("genuine:", r.Header.Get("Idempotency-Key"))
	}))
	defer receiver.Close()

	for _, known := range [][]byte{secret, []byte("guessed by somebody else")} {
		hook, err := agent.NewWebhook(agent.WebhookConfig{
			URL:     receiver.URL,
			Secrets: func() ([][]byte, error) { return [][]byte{known}, nil },
		})
		if err != nil {
			fmt.Println(err)

			return
		}

		err = hook.Apply(context.Background(), exampleRecommendation())
		fmt.Println(err)
		hook.Close()
	}
	// Output:
	// genuine: prod/orders-db@1
	// <nil>
	// the request is not signed as it should be: no signature in Tidemark-Signature is right
	// post: answered 403 Forbidden: "not for you\n"
}
