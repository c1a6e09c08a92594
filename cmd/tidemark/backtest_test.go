package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/backtest"
)

// recordedUsage writes a recording of two services for three days: one steady, one that is busy for a few hours each day.
func recordedUsage(t *testing.T) (usage, services string) {
	t.Helper()

	var b strings.Builder

	b.WriteString("service,ts_unix,cpu_cores,mem_bytes\n")

	for i := range 3 * 288 {
		fmt.Fprintf(&b, "prod/steady,%d,1.000,4294967296\n", i*300)
	}

	for i := range 3 * 288 {
		cores, bytes := 0.5, int64(2)<<30
		if hour := i / 12 % 24; hour >= 9 && hour < 13 {
			cores, bytes = 3.25, 6<<30
		}

		fmt.Fprintf(&b, "prod/busy,%d,%.3f,%d\n", i*300, cores, bytes)
	}

	folder := t.TempDir()
	usage, services = filepath.Join(folder, "lab.csv"), filepath.Join(folder, "lab.services.csv")
	require.NoError(t, os.WriteFile(usage, []byte(b.String()), 0o600))
	require.NoError(t, os.WriteFile(services, []byte(
		"service,source,kind,prov_cpu_cores,prov_mem_bytes,interval_s,first_ts,last_ts,samples,max_gap_s,cpu_mean,cpu_p95,cpu_max,mem_mean,mem_p95,mem_max\n"+
			"prod/steady,lab,vm,8,34359738368,300,0,258900,864,300,1,1,1,1,1,1\n"), 0o600))

	return usage, services
}

// runTidemark runs the program.
func runTidemark(t *testing.T, args ...string) (out, errOut string, err error) {
	t.Helper()

	var stdout, stderr bytes.Buffer

	err = run(t.Context(), args, &stdout, &stderr)

	return stdout.String(), stderr.String(), err
}

func TestBacktestTable(t *testing.T) {
	usage, services := recordedUsage(t)

	out, errOut, err := runTidemark(t, "backtest", "--usage", usage, "--services", services,
		"--recommender", "stable,window-3h,static-2x", "--worst")
	require.NoError(t, err)
	require.Empty(t, errOut)

	golden := filepath.Join("testdata", "backtest.txt")
	if os.Getenv("TIDEMARK_UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(golden, []byte(out), 0o600))
	}

	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), out)
}

func TestBacktestJSON(t *testing.T) {
	usage, services := recordedUsage(t)

	out, errOut, err := runTidemark(t, "backtest", "--usage", usage, "--services", services, "--json", "--progress",
		"--interval", "5m", "--no-signals", "--start", "4:16Gi", "--recommender", "window-30h")
	require.NoError(t, err)
	require.Contains(t, errOut, "million decisions")

	var results []backtest.Result

	require.NoError(t, json.Unmarshal([]byte(out), &results))
	require.Len(t, results, 1)
	require.Equal(t, "lab", results[0].Source)
	require.Equal(t, "window-30h", results[0].Recommender)
	require.Equal(t, 2, results[0].Services)
	require.InDelta(t, 4, results[0].ServiceDays, 1e-9)
	require.Len(t, results[0].Worst, 2)
}

func TestBacktestHTML(t *testing.T) {
	usage, _ := recordedUsage(t)
	page := filepath.Join(t.TempDir(), "report.html")

	out, _, err := runTidemark(t, "backtest", "--usage", usage, "--html", page, "--recommender", "stable,static-2x")
	require.NoError(t, err)
	require.Contains(t, out, "stable")

	content, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(content), "prod/busy")
	require.NoFileExists(t, page+".part")
}

func TestBacktestPolicies(t *testing.T) {
	usage, services := recordedUsage(t)
	path := filepath.Join(t.TempDir(), "policies.yaml")
	require.NoError(t, os.WriteFile(path, []byte(`
policies:
  - name: huge
    match: {services: [prod/steady], labels: {kind: vm}}
    min: {cpu: 16, memory: 64Gi}
  - name: outside
    match: {services: [other/*]}
    recommender: {external: {url: "http://localhost:1"}}
`), 0o600))

	out, _, err := runTidemark(t, "backtest", "--usage", usage, "--services", services, "--policy", path, "--json",
		"--recommender", "file,huge,static-2x")
	require.NoError(t, err)

	var results []backtest.Result

	require.NoError(t, json.Unmarshal([]byte(out), &results))
	require.Len(t, results, 3)

	given := map[string]float64{}
	for _, r := range results {
		given[r.Recommender] = r.CoreHours
	}

	// Both services have 16 cores for 48 hours under huge, only one does by the file.
	require.InDelta(t, 2*16*48, given["huge"], 1e-6)
	require.Greater(t, given["file"], 16.*48)
	require.Less(t, given["file"], 24.*48)
	require.Greater(t, given["static-2x"], 16.*48)

	out, _, err = runTidemark(t, "backtest", "--usage", usage, "--policy", path)
	require.NoError(t, err)
	require.Contains(t, out, "\nfile ")

	_, _, err = runTidemark(t, "backtest", "--usage", usage, "--policy", path, "--recommender", "outside")
	require.ErrorContains(t, err, `policy "outside" asks an outside recommender, which cannot be asked about the past`)

	_, _, err = runTidemark(t, "backtest", "--usage", usage, "--policy", path, "--recommender", "small")
	require.ErrorContains(t, err, `no recommender is called "small"`)
	require.ErrorContains(t, err, "and its policies huge, outside, default")
}

func TestBacktestFaults(t *testing.T) {
	usage, services := recordedUsage(t)
	broken := filepath.Join(t.TempDir(), "broken.csv")
	require.NoError(t, os.WriteFile(broken, []byte("service,ts_unix,cpu_cores,mem_bytes\na,0,-1,\n"), 0o600))

	for want, args := range map[string][]string{
		"there is nothing to replay":                              {},
		"--usage and --service exclude each other":                {"--usage", usage, "--service", "prod/a"},
		"which is not before its end":                             {"--service", "prod/a", "--since", "1h", "--until", "2h"},
		`no recommender is called "vpa"`:                          {"--usage", usage, "--recommender", "vpa"},
		`--recommender names "stable" twice`:                      {"--usage", usage, "--recommender", "stable,stable"},
		"interval 30s: must be whole minutes":                     {"--usage", usage, "--interval", "30s"},
		"broken.csv:2: cpu_cores is \"-1\"":                       {"--usage", broken},
		"lab.services.csv: has a service \"prod/steady\", and so": {"--usage", usage, "--services", services, "--services", services},
		"longer than the warm-up of 720h0m0s":                     {"--usage", usage, "--warmup", "720h"},
		`"2" is not a size`:                                       {"--usage", usage, "--start", "2"},
		"both must be above 0":                                    {"--usage", usage, "--start", "0:1Gi"},
	} {
		_, errOut, err := runTidemark(t, append([]string{"backtest"}, args...)...)
		require.ErrorContains(t, err, want)
		require.Contains(t, errOut, want)
	}
}

// TestBacktestHelpNamesAll holds that the help names the recommenders that there are.
func TestBacktestHelpNamesAll(t *testing.T) {
	var flags cli

	parser, err := kong.New(&flags, kong.Vars{"version": "test"})
	require.NoError(t, err)

	for _, command := range parser.Model.Children {
		for _, flag := range command.Flags {
			if command.Name == "backtest" && flag.Name == "recommender" {
				require.Contains(t, flag.Help, strings.Join(backtest.Names(), ", "))
				require.Contains(t, flag.Help, strings.Join(backtest.Usual()[:2], ", ")+" and "+backtest.Usual()[2])

				return
			}
		}
	}

	t.Fatal("there is no such flag")
}
