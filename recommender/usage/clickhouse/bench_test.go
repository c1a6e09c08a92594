package clickhouse

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

// The fleet of BenchmarkRead.
const (
	benchServices = 100
	benchReplicas = 3
	benchScrape   = 15 * time.Second
)

// BenchmarkRead reads the windows of 3 and 30 hours of services with three replicas and a scrape every 15 seconds. The
// rows are those that ClickHouse reads, per service; "raw" ones are those that it would read without the roll-up.
func BenchmarkRead(b *testing.B) {
	e := startEngine(b)
	now := noon()
	e.fillBench(now)
	e.merge()

	request := usage.Request{Windows: []time.Duration{3 * time.Hour, 30 * time.Hour}}

	for _, size := range []int{1, 10, benchServices} {
		services := make([]string, size)
		for i := range services {
			services[i] = fmt.Sprintf("bench/s%d", i)
		}

		b.Run(fmt.Sprintf("services=%d", size), func(b *testing.B) {
			reader := e.readerAt(now)

			var rows uint64

			ctx := clickhouse.Context(b.Context(), clickhouse.WithProgress(func(p *clickhouse.Progress) { rows += p.Rows }))

			for b.Loop() {
				readBench(ctx, b, reader, services, request)
			}

			perRead := float64(rows) / float64(b.N)
			b.ReportMetric(perRead/float64(size), "rows/service")
			b.ReportMetric(float64(30*time.Hour/benchScrape)*benchReplicas*4, "raw/service")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(size), "µs/service")
		})
	}
}

func readBench(ctx context.Context, b *testing.B, reader *Reader, services []string, request usage.Request) {
	b.Helper()

	snapshots, err := reader.Read(ctx, services, request)
	if err != nil {
		b.Fatal(err)
	}

	for _, service := range services {
		if coverage := snapshots[service].Windows[1].Coverage; coverage != 1 {
			b.Fatalf("%s has a coverage of %v", service, coverage)
		}
	}
}

// fillBench writes 30 hours of samples by one statement of the server.
func (e *engine) fillBench(now time.Time) {
	e.tb.Helper()

	steps := int64((30*time.Hour + time.Hour) / benchScrape)
	e.execf(`INSERT INTO %s
SELECT concat('bench/s', toString(number %% %[2]d)), concat('r', toString(intDiv(number, %[2]d) %% %[3]d)), metric,
    fromUnixTimestamp64Milli(toInt64(%[4]d - intDiv(number, %[2]d * %[3]d) * %[5]d)),
    multiIf(metric = 'cpu_usage_cores', cityHash64(number) %% 8000 / 1000,
            metric = 'memory_rejections', if(cityHash64(number) %% 5000 = 0, 3, 0),
            4e9 + cityHash64(number, metric) %% 1000000000)
FROM numbers(%[2]d * %[3]d * %[6]d)
ARRAY JOIN ['cpu_usage_cores', 'memory_resident_bytes', 'memory_query_peak_bytes', 'memory_rejections'] AS metric`,
		e.config.Names.Qualified(e.config.Names.Metrics), benchServices, benchReplicas, now.UnixMilli(),
		benchScrape.Milliseconds(), steps)
}
