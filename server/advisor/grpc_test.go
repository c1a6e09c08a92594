package advisor

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

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

// An outside recommender is told all that is known.
func TestWhatIsAskedOverGRPC(t *testing.T) {
	a, _ := start(t)
	asked := make(chan *tidemarkv1.RecommendRequest, 1)
	params := overGRPC(t, func(r *tidemarkv1.RecommendRequest) (*tidemarkv1.RecommendResponse, error) {
		asked <- r

		return &tidemarkv1.RecommendResponse{Service: r.GetService(), Size: &tidemarkv1.Size{Replicas: 1}}, nil
	})
	params.Component = "tikv"

	newest := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	request := orders
	request.Usage.Labels = map[string]string{"tier": "gold"}
	request.Usage.NewestSample = newest
	request.Usage.Windows[0].NewestRejectionTime = newest
	request.Usage.Windows[0].CPUTotalPeakMillis = 2100

	_, err := a.Advise(t.Context(), params, request)
	require.NoError(t, err)

	got := <-asked
	require.Equal(t, "tikv", got.GetType())
	require.Equal(t, map[string]string{"tier": "gold"}, got.GetLabels())
	require.Equal(t, newest, got.GetDataTime().AsTime())
	require.EqualValues(t, 1000, got.GetAllocation().GetCpuMillis())
	require.Len(t, got.GetWindows(), 1)
	require.Equal(t, newest, got.GetWindows()[0].GetNewestRejectionTime().AsTime())
	require.EqualValues(t, 2100, got.GetWindows()[0].GetCpuTotalPeakMillis())
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
		"larger than max": func(r *tidemarkv1.RecommendRequest) (*tidemarkv1.RecommendResponse, error) {
			return &tidemarkv1.RecommendResponse{Service: strings.Repeat("x", maxAnswer), Size: r.GetAllocation()}, nil
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
