package advisor

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/recommender/external"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// outside is an outside recommender that doubles what there is.
type outside struct {
	tidemarkv1.UnimplementedExternalRecommenderServer

	answer func(*tidemarkv1.RecommendRequest) (*tidemarkv1.RecommendResponse, error)
}

func (o outside) Recommend(_ context.Context, r *tidemarkv1.RecommendRequest) (*tidemarkv1.RecommendResponse, error) {
	return o.answer(r)
}

// overGRPC serves the answers on a socket.
func overGRPC(t *testing.T, answer func(*tidemarkv1.RecommendRequest) (*tidemarkv1.RecommendResponse, error)) external.Params {
	t.Helper()

	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "localhost:0")
	require.NoError(t, err)

	server := grpc.NewServer()
	tidemarkv1.RegisterExternalRecommenderServer(server, outside{answer: answer})

	served := make(chan struct{})

	go func() {
		defer close(served)

		_ = server.Serve(listener)
	}()

	t.Cleanup(func() {
		server.Stop()
		<-served
	})

	params := external.Defaults()
	params.Endpoint = external.Endpoint{Protocol: external.ProtocolGRPC, Address: listener.Addr().String()}

	return params
}

func TestOverGRPC(t *testing.T) {
	a, _ := start(t)
	params := overGRPC(t, func(r *tidemarkv1.RecommendRequest) (*tidemarkv1.RecommendResponse, error) {
		doubled := r.GetAllocation()
		doubled.CpuMillis = 2 * r.GetWindows()[0].GetCpuPeakMillis()
		doubled.MemoryBytes *= 2

		return &tidemarkv1.RecommendResponse{Service: r.GetService(), Size: doubled}, nil
	})

	for range 3 {
		advice, err := a.Advise(t.Context(), params, orders)
		require.NoError(t, err)
		require.Equal(t, size.Size{CPUMillis: 1_400, MemoryBytes: 2 << 30, Replicas: 3}, advice.Size)
	}
}

func TestBadAnswersOverGRPC(t *testing.T) {
	for want, answer := range map[string]func(*tidemarkv1.RecommendRequest) (*tidemarkv1.RecommendResponse, error){
		`for "prod/users-db"`: func(*tidemarkv1.RecommendRequest) (*tidemarkv1.RecommendResponse, error) {
			return &tidemarkv1.RecommendResponse{Service: "prod/users-db", Size: &tidemarkv1.Size{CpuMillis: 1}}, nil
		},
		"recommends nothing": func(r *tidemarkv1.RecommendRequest) (*tidemarkv1.RecommendResponse, error) {
			return &tidemarkv1.RecommendResponse{Service: r.GetService()}, nil
		},
		"no size that a service can have": func(r *tidemarkv1.RecommendRequest) (*tidemarkv1.RecommendResponse, error) {
			return &tidemarkv1.RecommendResponse{Service: r.GetService(), Size: &tidemarkv1.Size{CpuMillis: -5}}, nil
		},
		"does not know": func(*tidemarkv1.RecommendRequest) (*tidemarkv1.RecommendResponse, error) {
			return nil, status.Error(codes.NotFound, "who")
		},
		"boom": func(*tidemarkv1.RecommendRequest) (*tidemarkv1.RecommendResponse, error) {
			return nil, status.Error(codes.Internal, "boom")
		},
	} {
		t.Run(want, func(t *testing.T) {
			a, _ := start(t)
			_, err := a.Advise(t.Context(), overGRPC(t, answer), orders)
			require.ErrorContains(t, err, want)
		})
	}
}
