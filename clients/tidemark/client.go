package tidemark

import (
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Client talks to a Tidemark server.
type Client struct {
	conn *grpc.ClientConn
	api  tidemarkv1.RecommendationServiceClient
}

// Dial returns a client of the server at target, which is a gRPC name such as "localhost:8433" or
// "dns:///tidemark.example.net:8433". It does not connect: a server that is not up yet is no error here, and calls fail
// with UNAVAILABLE until it is. Without WithTLS or WithPlaintext the connection uses TLS with the system's roots.
func Dial(target string, opts ...Option) (*Client, error) {
	s := Settings{}
	for _, option := range opts {
		option(&s)
	}

	dialOptions, err := s.dialOptions()
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", target, err)
	}

	conn, err := grpc.NewClient(target, dialOptions...)
	if err != nil {
		return nil, fmt.Errorf("dial %s: %w", target, err)
	}

	return &Client{conn: conn, api: tidemarkv1.NewRecommendationServiceClient(conn)}, nil
}

// Conn returns the connection, for the generated clients of the API's other services.
func (c *Client) Conn() grpc.ClientConnInterface { return c.conn }

// Close ends the connection and every call on it.
func (c *Client) Close() error {
	if err := c.conn.Close(); err != nil && status.Code(err) != codes.Canceled { // closed before
		return fmt.Errorf("close the connection: %w", err)
	}

	return nil
}
