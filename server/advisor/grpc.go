package advisor

import (
	"context"
	"fmt"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/server/apivalue"
)

// grpcAsker speaks tidemark.v1.ExternalRecommender.
type grpcAsker struct {
	conn   *grpc.ClientConn
	client tidemarkv1.ExternalRecommenderClient
}

func newGRPC(endpoint external.Endpoint) (asker, error) {
	security := insecure.NewCredentials()

	if endpoint.TLS {
		config, err := tlsConfig(endpoint)
		if err != nil {
			return nil, err
		}

		security = credentials.NewTLS(config)
	}

	// How often it is asked is for the policy to say, and not for a service configuration in DNS.
	conn, err := grpc.NewClient(endpoint.Address, grpc.WithTransportCredentials(security), grpc.WithDisableServiceConfig(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer)))
	if err != nil {
		return nil, fmt.Errorf("address: %w", err)
	}

	return &grpcAsker{conn: conn, client: tidemarkv1.NewExternalRecommenderClient(conn)}, nil
}

func (g *grpcAsker) ask(ctx context.Context, params external.Params, request Request) (size.Size, error) {
	response, err := g.client.Recommend(ctx, question(request, params.Component))

	switch {
	case status.Code(err) == codes.NotFound:
		return size.Size{}, errNotKnown
	case err != nil:
		return size.Size{}, fmt.Errorf("%w", err)
	case response.GetService() != request.Service:
		return size.Size{}, fmt.Errorf("the answer is for %q", response.GetService())
	}

	return checked(size.Size{
		CPUMillis:   response.GetSize().GetCpuMillis(),
		MemoryBytes: response.GetSize().GetMemoryBytes(),
		Replicas:    response.GetSize().GetReplicas(),
	})
}

func question(r Request, component string) *tidemarkv1.RecommendRequest {
	q := &tidemarkv1.RecommendRequest{
		Service:    r.Service,
		Type:       component,
		Allocation: apivalue.SizeOrNone(r.Allocation),
		Labels:     r.Usage.Labels,
		DataTime:   apivalue.TimeOrNone(r.Usage.NewestSample),
	}

	for _, w := range r.Usage.Windows {
		q.Windows = append(q.Windows, apivalue.Window(w))
	}

	return q
}

func (g *grpcAsker) close() error {
	if err := g.conn.Close(); err != nil {
		return fmt.Errorf("close the connection: %w", err)
	}

	return nil
}
