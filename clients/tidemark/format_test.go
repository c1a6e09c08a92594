package tidemark_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

func TestFormatCPU(t *testing.T) {
	t.Parallel()

	for millis, want := range map[int64]string{
		0: "0m", 1: "1m", 500: "500m", 999: "999m", 1000: "1 core", 1500: "1.5 cores", 2000: "2 cores", 12345: "12.345 cores",
	} {
		require.Equal(t, want, tidemark.FormatCPU(millis))
	}
}

func TestFormatMemory(t *testing.T) {
	t.Parallel()

	for bytes, want := range map[int64]string{
		0: "0", 1023: "1023", 1024: "1Ki", 512 << 20: "512Mi", 8 << 30: "8Gi", 3 << 29: "1.5Gi", 10_000_000_000: "9.31Gi",
		1 << 40: "1Ti", 1 << 62: "4Ei",
	} {
		require.Equal(t, want, tidemark.FormatMemory(bytes))
	}
}

func TestFormatSize(t *testing.T) {
	t.Parallel()

	require.Equal(t, "unknown", tidemark.FormatSize(nil))
	require.Equal(t, "1.5 cores, 8Gi", tidemark.FormatSize(&tidemarkv1.Size{CpuMillis: 1500, MemoryBytes: 8 << 30}))
	require.Equal(t, "500m, 1 replica", tidemark.FormatSize(&tidemarkv1.Size{CpuMillis: 500, Replicas: 1}))
	require.Equal(t, "8Gi, 3 replicas", tidemark.FormatSize(&tidemarkv1.Size{MemoryBytes: 8 << 30, Replicas: 3}))
}

func TestMarshalJSONIsOneStableLine(t *testing.T) {
	t.Parallel()

	line, err := tidemark.MarshalJSON(recommendation("a/x", 500))
	require.NoError(t, err)
	require.Regexp(t, `^{"service":"a/x","recommended":{"cpu_millis":"500"}}$`, string(line))
}

func TestFormatEnum(t *testing.T) {
	t.Parallel()

	require.Equal(t, "observe only", tidemark.FormatEnum(tidemarkv1.Mode_MODE_OBSERVE_ONLY))
	require.Equal(t, "unspecified", tidemark.FormatEnum(tidemarkv1.EnqueueOutcome_ENQUEUE_OUTCOME_UNSPECIFIED))
	require.Equal(t, "99", tidemark.FormatEnum(tidemarkv1.Mode(99)))
}
