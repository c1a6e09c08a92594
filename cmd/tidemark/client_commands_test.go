package main

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tidemark-project/tidemark/clients/tidemark/tidemarktest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestGet(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.Put(orders())

		require.Equal(t, strings.TrimPrefix(`
prod/orders-db
  now          1 core, 4Gi, 3 replicas
  recommended  1.5 cores, 8Gi, 3 replicas (up)
  needed       1.43 cores, 7.29Gi, 3 replicas, before the policy
  mode         enforce
  status       ok
  reasons      memory rejected, rounded
  policy       default 1f3c
  revision     1
  evaluated    12s ago
  newest data  40s ago
  expires      in 60m
  triggers     signal by clickhouse, 14s ago, 3 times: memory_rejections=12
               periodic by cron, 5m ago
  why (two-window)
    WINDOW     COVERED  CPU PEAK  MEMORY PEAK  REJECTED  OOM KILLS  NEEDS               FITTED          VERDICT
    small 3h   100 %    870m      4.88Gi       12        0          1.43 cores, 7.29Gi  1.5 cores, 8Gi  up
    large 30h  no data  -         -            -         -          -                   -               same
    cpu and memory: large says same, small says up; taken: larger (trending up)
    catalogue: cpu 1.43 cores -> 1.5 cores
    bounds: memory 12Gi -> 8Gi, below the need
`, "\n"), printedBy(t, server, "get", "prod/orders-db"))

		require.Contains(t, printedBy(t, server, "get", "prod/orders-db", "--json"),
			`{"service":"prod/orders-db","revision":"1","allocation":{"cpu_millis":"1000",`)
	})
}

func TestGetOfWhatFailedAndExpired(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		now := time.Now()
		server.Put(&tidemarkv1.Recommendation{
			Service: "prod/orders-db", Status: tidemarkv1.Status_STATUS_FAILED, ExpireTime: timestamppb.New(now),
			Freshness: tidemarkv1.Freshness_FRESHNESS_EXPIRED,
			Failure: &tidemarkv1.Failure{
				Message: "ClickHouse is away", Attempts: 3, FailureTime: timestamppb.New(now), RetryTime: timestamppb.New(now.Add(8 * time.Second)),
			},
			ScalingReport: &tidemarkv1.ScalingReport{
				Revision: 7, Outcome: tidemarkv1.ScalingOutcome_SCALING_OUTCOME_REFUSED, Agent: "k8s", Message: "quota",
				ReportTime: timestamppb.New(now.Add(-50 * time.Hour)),
			},
		})

		require.Equal(t, strings.TrimPrefix(`
prod/orders-db
  now          unknown
  recommended  unknown
  mode         unspecified
  status       failed, expired
  revision     1
  evaluated    never
  newest data  never
  expires      0s ago: not to be acted on any more
  failure      ClickHouse is away (attempt 3, 0s ago; next try in 8s)
  scaling      revision 7 refused by k8s, 2d ago: quota
`, "\n"), printedBy(t, server, "get", "prod/orders-db"))
	})
}

func TestList(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		server.Put(orders())
		server.Put(&tidemarkv1.Recommendation{
			Service: "dev/users-db", Mode: tidemarkv1.Mode_MODE_OBSERVE_ONLY, Allocation: &tidemarkv1.Size{CpuMillis: 500},
			Status: tidemarkv1.Status_STATUS_HOLD, Freshness: tidemarkv1.Freshness_FRESHNESS_STALE,
		})

		require.Equal(t, strings.TrimPrefix(`
SERVICE         NOW                      RECOMMENDED                 DIRECTION    MODE          STATUS       POLICY   REVISION  EVALUATED
dev/users-db    500m                     unknown                     unspecified  observe only  hold, stale  -        2         never
prod/orders-db  1 core, 4Gi, 3 replicas  1.5 cores, 8Gi, 3 replicas  up           enforce       ok           default  1         12s ago
`, "\n"), printedBy(t, server, "list"))

		require.JSONEq(t, `{"service":"dev/users-db","revision":"2","mode":"MODE_OBSERVE_ONLY","status":"STATUS_HOLD",
			"freshness":"FRESHNESS_STALE","allocation":{"cpu_millis":"500"}}`,
			printedBy(t, server, "list", "--json", "--tenant=dev"))
	})
}

func TestEnqueue(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		require.Equal(t, "prod/orders-db  queued, due now\n",
			printedBy(t, server, "enqueue", "prod/orders-db", "--trigger=signal", "--detail=it hurts"))

		request := server.Enqueued()[0]
		require.Equal(t, tidemarkv1.Trigger_TRIGGER_SIGNAL, request.GetTrigger())
		require.Equal(t, "it hurts", request.GetDetail())
		require.Equal(t, "cli", request.GetSource())
		require.False(t, request.GetValidateOnly())

		require.JSONEq(t, `{"service":"a/b","outcome":"ENQUEUE_OUTCOME_QUEUED","due_time":"2000-01-01T00:00:00Z"}`,
			printedBy(t, server, "enqueue", "a/b", "--json", "--dry-run"))
		require.True(t, server.Enqueued()[1].GetValidateOnly())
	})
}

func TestOutcome(t *testing.T) {
	t.Parallel()

	now := time.Unix(1_800_000_000, 0)

	for want, response := range map[string]*tidemarkv1.EnqueueResponse{
		"queued, due in 5m": {
			Outcome: tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_QUEUED, DueTime: timestamppb.New(now.Add(5*time.Minute - time.Second)),
		},
		"was waiting already, due now": {
			Outcome: tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_MERGED, DueTime: timestamppb.New(now.Add(-time.Minute)),
		},
		"was in the queue already and was moved up, due now": {
			Outcome: tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_MOVED_UP, DueTime: timestamppb.New(now),
		},
		"is backing off after 1 failure, due in 3s": {
			Outcome: tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_DEFERRED, DueTime: timestamppb.New(now.Add(3 * time.Second)),
			Attempts: 1,
		},
		"is backing off after 3 failures, due in 42s": {
			Outcome: tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_DEFERRED, DueTime: timestamppb.New(now.Add(42 * time.Second)),
			Attempts: 3,
		},
	} {
		require.Equal(t, want, outcome(response, now))
	}
}

func TestWhatTheServerRefusesIsShownToAPerson(t *testing.T) {
	t.Parallel()

	wrong := tidemarktest.Error(codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_ARGUMENT, "service: bad",
		&errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
			{Field: "service", Description: "does not match tenant/name"},
			{Field: "detail", Description: "is too long"},
		}})
	full := tidemarktest.Error(codes.ResourceExhausted, tidemarkv1.ErrorReason_ERROR_REASON_QUEUE_FULL, "the queue is full",
		&errdetails.RetryInfo{RetryDelay: durationpb.New(5 * time.Second)})

	for want, err := range map[string]error{
		"the server refused the request (INVALID_ARGUMENT)\n" +
			"  service: does not match tenant/name\n  detail: is too long": wrong,
		"the queue is full (QUEUE_FULL)\n  try again in 5s":                             full,
		"cannot reach a server at passthrough:///tidemarktest: refused":                 status.Error(codes.Unavailable, `connection error: desc = "transport: Error while dialing: refused"`),
		"passthrough:///tidemarktest did not answer in time":                            status.Error(codes.DeadlineExceeded, "x"),
		"passthrough:///tidemarktest answered: no such thing (PermissionDenied)":        status.Error(codes.PermissionDenied, "no such thing"),
		`there is no recommendation for service "prod/none" (RECOMMENDATION_NOT_FOUND)`: nil,
	} {
		synctest.Test(t, func(t *testing.T) {
			server := newServer(t)
			server.FailWith(func(string) error { return err })
			require.EqualError(t, runClient(t.Context(), server, io.Discard, "get", "prod/none"), want)
		})
	}
}

func TestWrongFlags(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		server := newServer(t)
		for want, args := range map[string][]string{
			`--mode: there is no "enforced"`:      {"list", "--mode=enforced"},
			`--direction: there is no "sideways"`: {"watch", "--direction=sideways"},
			`--status: there is no "unspecified"`: {"agent", "--status=unspecified"},
			`a webhook needs an absolute URL`:     {"agent", "--webhook=nowhere"},
			`--webhook-header: "x" is not of the`: {"agent", "--webhook=http://hook.test", "--webhook-header=x"},
		} {
			require.ErrorContains(t, runClient(t.Context(), server, io.Discard, args...), want)
		}
	})
}

func TestTLSFlagsTurnTLSOn(t *testing.T) {
	t.Parallel()

	for _, flags := range []serverFlags{{TLSCA: "no-such-file"}, {TLS: true, TLSCA: "no-such-file"}} {
		_, err := flags.dial()
		require.ErrorContains(t, err, "read the certificate authorities: ")
	}

	client, err := (&serverFlags{Server: "localhost:1", TLSServerName: "tidemark.test"}).dial()
	require.NoError(t, err)
	require.NoError(t, client.Close())
}

func TestFilterFlags(t *testing.T) {
	t.Parallel()

	filter, err := (&filterFlags{
		Service: []string{"a/b"}, Tenant: []string{"c"}, Policy: []string{"p"}, Mode: []string{"observe-only", "off"},
		Direction: []string{"up"}, Status: []string{"insufficient-data"},
	}).filter()
	require.NoError(t, err)
	require.Equal(t, []string{"a/b"}, filter.GetServices())
	require.Equal(t, []string{"c"}, filter.GetTenants())
	require.Equal(t, []string{"p"}, filter.GetPolicies())
	require.Equal(t, []tidemarkv1.Mode{tidemarkv1.Mode_MODE_OBSERVE_ONLY, tidemarkv1.Mode_MODE_OFF}, filter.GetModes())
	require.Equal(t, []tidemarkv1.Direction{tidemarkv1.Direction_DIRECTION_UP}, filter.GetDirections())
	require.Equal(t, []tidemarkv1.Status{tidemarkv1.Status_STATUS_INSUFFICIENT_DATA}, filter.GetStatuses())
}

func TestSpan(t *testing.T) {
	t.Parallel()

	for want, d := range map[string]time.Duration{
		"0s": 0, "119s": 119 * time.Second, "2m": 2 * time.Minute, "119m": 119 * time.Minute, "2h": 2 * time.Hour,
		"47h": 47 * time.Hour, "2d": 48 * time.Hour,
	} {
		require.Equal(t, want, span(d))
	}
}
