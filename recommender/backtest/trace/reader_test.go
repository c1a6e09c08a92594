package trace_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/backtest/trace"
)

const header = "service,ts_unix,cpu_cores,mem_bytes\n"

const twoServices = header +
	"b,100,0.5,1000\n" +
	"b,400,,2000\n" +
	"a,100,1,\n" +
	"a,401,,\n"

func read(t *testing.T, content string) (map[string][]trace.Sample, error) {
	t.Helper()

	reader, err := trace.NewReader("x.csv", strings.NewReader(content))
	if err != nil {
		return nil, err
	}

	all := map[string][]trace.Sample{}

	for series, err := range reader.Services() {
		if err != nil {
			return all, err
		}

		samples, err := series.AppendTo(nil)
		if err != nil {
			return all, err
		}

		all[series.Service()] = samples
	}

	return all, nil
}

func TestReader(t *testing.T) {
	t.Parallel()

	want := map[string][]trace.Sample{
		"b": {
			{UnixSeconds: 100, CPUCores: 0.5, MemoryBytes: 1000, CPUKnown: true, MemoryKnown: true},
			{UnixSeconds: 400, MemoryBytes: 2000, MemoryKnown: true},
		},
		"a": {
			{UnixSeconds: 100, CPUCores: 1, CPUKnown: true},
			{UnixSeconds: 401},
		},
	}

	for name, content := range map[string]string{
		"plain":        twoServices,
		"no last end":  strings.TrimSuffix(twoServices, "\n"),
		"CRLF":         strings.ReplaceAll(twoServices, "\n", "\r\n"),
		"gzip":         zip(t, twoServices),
		"two gzips":    zip(t, twoServices[:60]) + zip(t, twoServices[60:]),
		"empty behind": zip(t, twoServices) + zip(t, ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			got, err := read(t, content)
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestReaderWithoutSamples(t *testing.T) {
	t.Parallel()

	got, err := read(t, header)
	require.NoError(t, err)
	require.Empty(t, got)
}

func TestSampleTime(t *testing.T) {
	t.Parallel()

	sample := trace.Sample{UnixSeconds: 1304290800}
	require.Equal(t, time.Date(2011, 5, 1, 23, 0, 0, 0, time.UTC), sample.Time())
}

func TestLoopsMayBeLeft(t *testing.T) {
	t.Parallel()

	reader, err := trace.NewReader("x.csv", strings.NewReader(twoServices))
	require.NoError(t, err)

	for series, err := range reader.Services() {
		require.NoError(t, err)
		require.Equal(t, "b", series.Service())

		for sample, err := range series.Samples() {
			require.NoError(t, err)
			require.EqualValues(t, 100, sample.UnixSeconds)

			break
		}

		rest, err := series.AppendTo(nil)
		require.NoError(t, err)
		require.Len(t, rest, 1)
		require.EqualValues(t, 400, rest[0].UnixSeconds)

		break
	}

	var left []string

	for series, err := range reader.Services() {
		require.NoError(t, err)

		left = append(left, series.Service())
	}

	require.Equal(t, []string{"a"}, left)
}

func TestFaults(t *testing.T) {
	t.Parallel()

	for name, c := range map[string]struct{ content, want string }{
		"empty file":      {"", `x.csv:1: the file is empty; want the header service,ts_unix,cpu_cores,mem_bytes`},
		"no header":       {"a,1,2,3\n", `x.csv:1: the header is "a,1,2,3"; want service,ts_unix,cpu_cores,mem_bytes`},
		"byte order mark": {"\ufeff" + header, `x.csv:1: a byte order mark comes first`},
		"empty line":      {header + "\na,1,1,1\n", `x.csv:2: the line is empty`},
		"quotes":          {header + `"a",1,1,1`, `x.csv:2: the line holds a quotation mark`},
		"not UTF-8":       {header + "\xff,1,1,1\n", `x.csv:2: the line is not UTF-8`},
		"too few":         {header + "a,1,1\n", `x.csv:2: the line has 3 fields; want 4: service,`},
		"too many":        {header + "a,1,1,1,\n", `x.csv:2: the line has 5 fields; want 4: service,`},
		"too long":        {header + strings.Repeat("a", 5000) + "\n", `x.csv:2: the line is too long`},
		"endless":         {header + strings.Repeat("a", 1<<20), `x.csv:2: the line is too long`},
		"no name":         {header + ",1,1,1\n", `x.csv:2: service is ""; want the name`},
		"long name":       {header + strings.Repeat("a", 254) + ",1,1,1\n", `x.csv:2: service is "aaaaaaaa`},
		"space":           {header + "a ,1,1,1\n", `x.csv:2: service is "a "`},
		"control":         {header + "a\x00b,1,1,1\n", `x.csv:2: service is "a\x00b"`},
		"no time":         {header + "a,,1,1\n", `x.csv:2: ts_unix is ""; want whole seconds since 1970`},
		"fraction":        {header + "a,1.5,1,1\n", `x.csv:2: ts_unix is "1.5"`},
		"milliseconds":    {header + "a,1304290800000,1,1\n", `(not milliseconds)`},
		"NaN":             {header + "a,1,NaN,1\n", `x.csv:2: cpu_cores is "NaN"; want cores as a plain decimal number`},
		"Inf":             {header + "a,1,+Inf,1\n", `x.csv:2: cpu_cores is "+Inf"`},
		"negative":        {header + "a,1,-0.1,1\n", `x.csv:2: cpu_cores is "-0.1"`},
		"exponent":        {header + "a,1,1e2,1\n", `x.csv:2: cpu_cores is "1e2"`},
		"two points":      {header + "a,1,1.2.3,1\n", `x.csv:2: cpu_cores is "1.2.3"`},
		"point":           {header + "a,1,.,1\n", `x.csv:2: cpu_cores is "."`},
		"unit":            {header + "a,1,500m,1\n", `x.csv:2: cpu_cores is "500m"`},
		"many cores":      {header + "a,1,1000001,1\n", `x.csv:2: cpu_cores is "1000001"`},
		"memory fraction": {header + "a,1,1,1.0\n", `x.csv:2: mem_bytes is "1.0"; want bytes as a whole number`},
		"memory negative": {header + "a,1,1,-1\n", `x.csv:2: mem_bytes is "-1"`},
		"much memory":     {header + "a,1,1,1125899906842625\n", `x.csv:2: mem_bytes is "1125899906842625"`},
		"overflow":        {header + "a,1,1,99999999999999999999999\n", `x.csv:2: mem_bytes is "999`},
		"time again":      {header + "a,1,1,1\na,1,2,1\n", `x.csv:3: the time is not after that of the line before`},
		"time back":       {header + "a,2,1,1\na,1,1,1\n", `x.csv:3: the time is not after that of the line before`},
		"service again":   {header + "a,1,1,1\nb,1,1,1\na,2,1,1\n", `x.csv:4: service "a" comes a second time`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, err := read(t, c.content)
			require.ErrorContains(t, err, c.want)

			var fault *trace.Error

			require.ErrorAs(t, err, &fault)
			require.Equal(t, "x.csv", fault.File)
		})
	}
}

func TestFaultEndsBothLoops(t *testing.T) {
	t.Parallel()

	reader, err := trace.NewReader("x.csv", strings.NewReader(header+"a,1,1,1\na,2,x,1\nb,1,1,1\n"))
	require.NoError(t, err)

	var faults []error

	for series, err := range reader.Services() {
		if err != nil {
			faults = append(faults, err)

			continue
		}

		samples, err := series.AppendTo(nil)
		require.Len(t, samples, 1)
		require.ErrorContains(t, err, "x.csv:3")
	}

	require.Len(t, faults, 1)
	require.ErrorContains(t, faults[0], "x.csv:3")
}

func TestDamage(t *testing.T) {
	t.Parallel()

	packed := zip(t, header+strings.Repeat("a", 100_000))

	_, err := read(t, packed[:len(packed)-20])
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.ErrorContains(t, err, "x.csv:2: read")

	_, err = read(t, "\x1f\x8bnot gzip at all")
	require.ErrorContains(t, err, "x.csv: unpack")

	broken := errors.New("the disk is gone")

	_, err = trace.NewReader("x.csv", iotest.ErrReader(broken))
	require.ErrorIs(t, err, broken)

	reader, err := trace.NewReader("x.csv", io.MultiReader(strings.NewReader(twoServices), iotest.ErrReader(broken)))
	require.NoError(t, err)

	for _, err = range reader.Services() {
	}

	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "x.csv:6: read")
}

func TestOpen(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	path := filepath.Join(dir, "usage.csv.gz")
	require.NoError(t, os.WriteFile(path, []byte(zip(t, twoServices)), 0o600))

	reader, err := trace.Open(path)
	require.NoError(t, err)

	services := 0

	for _, err := range reader.Services() {
		require.NoError(t, err)

		services++
	}

	require.Equal(t, 2, services)
	require.NoError(t, reader.Close())

	_, err = trace.Open(filepath.Join(dir, "absent.csv"))
	require.ErrorIs(t, err, os.ErrNotExist)

	wrong := filepath.Join(dir, "wrong.csv")
	require.NoError(t, os.WriteFile(wrong, []byte("nonsense"), 0o600))

	_, err = trace.Open(wrong)
	require.ErrorContains(t, err, wrong+":1: the header is")
}

func zip(t *testing.T, content string) string {
	t.Helper()

	var packed bytes.Buffer

	w := gzip.NewWriter(&packed)
	_, err := io.WriteString(w, content)
	require.NoError(t, err)
	require.NoError(t, w.Close())

	return packed.String()
}
