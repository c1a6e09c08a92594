package tidemark_test

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func ExampleDial() {
	client, err := tidemark.Dial("dns:///tidemark.example.net:8433", tidemark.WithUserAgent("my-operator/1.0"))
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println(client.Close())
	// Output: <nil>
}

// secureServer is a server with a certificate for example.com, and the file of the authority that signed it.
func secureServer(opts ...grpc.ServerOption) (server *tidemarktest.Server, authority string, done func()) {
	identity := httptest.NewTLSServer(nil) // it has a certificate for tests
	certificate, signer := identity.TLS.Certificates[0], identity.Certificate().Raw
	identity.Close()

	dir, err := os.MkdirTemp("", "tidemark-example-")
	if err != nil {
		panic(err)
	}

	authority = filepath.Join(dir, "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signer})

	if err := os.WriteFile(authority, block, 0o600); err != nil {
		panic(err)
	}

	server = tidemarktest.New(append(opts, grpc.Creds(credentials.NewServerTLSFromCert(&certificate)))...)

	return server, authority, func() {
		server.Close()

		if err := os.RemoveAll(dir); err != nil {
			panic(err)
		}
	}
}

// A server whose certificate an authority of one's own has signed. With CertFile and KeyFile the client shows one, too.
func ExampleWithTLS() {
	server, authority, done := secureServer()
	defer done()

	client, err := tidemark.Dial(
		server.Target(),
		tidemark.WithTLS(tidemark.TLS{CAFile: authority, ServerName: "example.com"}),
		tidemark.WithDialOptions(grpc.WithContextDialer(server.Dialer())), // only because it is in the process
	)
	if err != nil {
		fmt.Println(err)

		return
	}
	defer client.Close() //nolint:errcheck // the program ends

	_, err = client.Enqueue(context.Background(), &tidemarkv1.EnqueueRequest{Service: "prod/orders-db"})

	fmt.Println(err)
	// Output: <nil>
}

func ExampleWithTLSConfig() {
	client, err := tidemark.Dial("tidemark.example.net:8433", tidemark.WithTLSConfig(&tls.Config{
		MinVersion: tls.VersionTLS13,
	}))
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println(client.Close())
	// Output: <nil>
}

// A server of one's own machine, as "tidemark server" is without certificates.
func ExampleWithPlaintext() {
	client, err := tidemark.Dial("localhost:8433", tidemark.WithPlaintext())
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println(client.Close())
	// Output: <nil>
}

func ExampleWithUserAgent() {
	client, err := tidemark.Dial("localhost:8433", tidemark.WithPlaintext(), tidemark.WithUserAgent("my-operator/1.0"))
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println(client.Close())
	// Output: <nil>
}

// bearer sends a token with every call, and only over TLS.
type bearer string

// GetRequestMetadata implements credentials.PerRPCCredentials.
func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

// RequireTransportSecurity implements credentials.PerRPCCredentials.
func (bearer) RequireTransportSecurity() bool { return true }

// A proxy in front of the server wants a token.
func ExampleWithDialOptions() {
	server, authority, done := secureServer(grpc.UnaryInterceptor(wantToken))
	defer done()

	for _, token := range []bearer{"secret", "guessed"} {
		client, err := tidemark.Dial(
			server.Target(),
			tidemark.WithTLS(tidemark.TLS{CAFile: authority, ServerName: "example.com"}),
			tidemark.WithDialOptions(
				grpc.WithPerRPCCredentials(token),
				grpc.WithContextDialer(server.Dialer()), // only because it is in the process
			),
		)
		if err != nil {
			fmt.Println(err)

			return
		}

		_, err = client.Enqueue(context.Background(), &tidemarkv1.EnqueueRequest{Service: "prod/orders-db"})

		fmt.Println(status.Code(err))
		client.Close() //nolint:errcheck // it is not used any more
	}
	// Output:
	// OK
	// Unauthenticated
}

// wantToken is the proxy.
func wantToken(ctx context.Context, request any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
	if got := metadata.ValueFromIncomingContext(ctx, "authorization"); len(got) != 1 || got[0] != "Bearer secret" {
		return nil, status.Error(codes.Unauthenticated, "no such token")
	}

	return next(ctx, request)
}

// Calls that change nothing when they are repeated are repeated, a few times and ever more slowly, while the server cannot be
// reached; Enqueue is one of them.
func ExampleDial_retry() {
	server := exampleServer()
	defer server.Close()

	attempts := 0

	server.FailWith(func(string) error {
		if attempts++; attempts < 3 {
			return status.Error(codes.Unavailable, "the server is being restarted")
		}

		return nil
	})

	enqueue := func(opts ...tidemark.Option) error {
		attempts = 0

		client := server.Dial(opts...)
		defer client.Close() //nolint:errcheck // it is not used any more

		_, err := client.Enqueue(context.Background(), &tidemarkv1.EnqueueRequest{Service: "prod/orders-db"})

		return err
	}

	fmt.Println(enqueue(), "after", attempts, "attempts")

	// A program that repeats calls itself switches that off.
	err := enqueue(tidemark.WithDialOptions(grpc.WithDisableRetry()))

	fmt.Println(status.Code(err), "after", attempts, "attempt")
	// Output:
	// <nil> after 3 attempts
	// Unavailable after 1 attempt
}

// What the client has no method for is called with the generated client, on the same connection.
func ExampleClient_Conn() {
	client, done := exampleClient()
	defer done()

	page, err := tidemarkv1.NewRecommendationServiceClient(client.Conn()).ListRecommendations(context.Background(),
		&tidemarkv1.ListRecommendationsRequest{PageSize: 1})
	if err != nil {
		fmt.Println(err)

		return
	}

	fmt.Println(len(page.GetRecommendations()), "of more:", page.GetNextPageToken() != "")
	// Output: 1 of more: true
}

func ExampleClient_Close() {
	client, done := exampleClient()
	defer done()

	defer func() {
		if err := client.Close(); err != nil {
			fmt.Println(err)
		}
	}()

	for r, err := range client.List(context.Background(), &tidemarkv1.ListRecommendationsRequest{}) {
		if err != nil {
			fmt.Println(err)

			return
		}

		fmt.Println(r.GetService())
	}
	// Output:
	// prod/orders-db
	// prod/users-db
}
