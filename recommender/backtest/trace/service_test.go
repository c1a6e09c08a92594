package trace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/backtest/trace"
)

const servicesHeader = "service,source,kind,prov_cpu_cores,prov_mem_bytes,interval_s,first_ts,last_ts,samples,max_gap_s," +
	"cpu_mean,cpu_p95,cpu_max,mem_mean,mem_p95,mem_max\n"

func TestParseServices(t *testing.T) {
	t.Parallel()

	services, err := trace.ParseServices("s.csv", strings.NewReader(servicesHeader+
		"db-1,lab,vm,1.5,2147483648,300,1000,4000,11,600,0.5,0.75,1.25,100,200,300\n"+
		"db-2,lab,job,,,60,0,0,1,0,1,1,1,,,\n"))
	require.NoError(t, err)
	require.Equal(t, []trace.Service{
		{
			Name: "db-1", Source: "lab", Kind: "vm", ProvisionedCores: 1.5, ProvisionedBytes: 2 << 30,
			Interval: 5 * time.Minute, First: time.Unix(1000, 0).UTC(), Last: time.Unix(4000, 0).UTC(),
			Samples: 11, MaxGap: 10 * time.Minute,
			CPU:    trace.Summary{Known: true, Mean: 0.5, P95: 0.75, Max: 1.25},
			Memory: trace.Summary{Known: true, Mean: 100, P95: 200, Max: 300},
		},
		{
			Name: "db-2", Source: "lab", Kind: "job", Interval: time.Minute,
			First: time.Unix(0, 0).UTC(), Last: time.Unix(0, 0).UTC(), Samples: 1,
			CPU: trace.Summary{Known: true, Mean: 1, P95: 1, Max: 1},
		},
	}, services)
}

func TestServiceFaults(t *testing.T) {
	t.Parallel()

	const right = "a,lab,vm,1,1,300,0,300,2,300,1,1,1,1,1,1"

	change := func(column int, text string) string {
		fields := strings.Split(right, ",")
		fields[column] = text

		return strings.Join(fields, ",") + "\n"
	}

	for name, c := range map[string]struct{ rows, want string }{
		"twice":           {right + "\n" + right + "\n", `s.csv:3: service "a" was on line 2 already; want one line for each service`},
		"no name":         {change(0, ""), `s.csv:2: service is ""`},
		"no cores at all": {change(3, "0"), `s.csv:2: prov_cpu_cores is "0"; want cores, more than 0`},
		"NaN cores":       {change(3, "nan"), `s.csv:2: prov_cpu_cores is "nan"`},
		"no bytes at all": {change(4, "0"), `s.csv:2: prov_mem_bytes is "0"; want bytes, more than 0`},
		"unit of bytes":   {change(4, "2Gi"), `s.csv:2: prov_mem_bytes is "2Gi"`},
		"no interval":     {change(5, ""), `s.csv:2: interval_s is ""`},
		"interval 0":      {change(5, "0"), `s.csv:2: interval_s is 0`},
		"first":           {change(6, "x"), `s.csv:2: first_ts is "x"`},
		"last":            {change(7, "-1"), `s.csv:2: last_ts is "-1"`},
		"last first":      {change(6, "301"), `s.csv:2: last_ts is before first_ts`},
		"samples":         {change(8, "1.0"), `s.csv:2: samples is "1.0"; want a whole number from 0`},
		"no samples":      {change(8, "0"), `s.csv:2: samples is 0`},
		"gap":             {change(9, "9999999999"), `s.csv:2: max_gap_s is "9999999999"`},
		"mean":            {change(10, "-1"), `s.csv:2: cpu_mean is "-1"`},
		"mean over max":   {change(10, "2"), `s.csv:2: cpu_max is less`},
		"some missing":    {change(14, ""), `s.csv:2: of mem_mean, mem_p95 and mem_max some are missing; want all three or none`},
		"memory over max": {change(14, "2"), `s.csv:2: mem_max is less`},
		"two":             {right + ",\n", `s.csv:2: the line has 17 fields; want 16`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, err := trace.ParseServices("s.csv", strings.NewReader(servicesHeader+c.rows))
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestReadServices(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "s.csv")
	require.NoError(t, os.WriteFile(path, []byte(servicesHeader), 0o600))

	services, err := trace.ReadServices(path)
	require.NoError(t, err)
	require.Empty(t, services)

	_, err = trace.ReadServices(path + ".absent")
	require.ErrorIs(t, err, os.ErrNotExist)
}
