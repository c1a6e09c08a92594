package html_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/backtest"
	"github.com/tidemark-project/tidemark/recommender/backtest/html"
	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
)

// hostile are names that would do harm if they were taken for anything but text.
var hostile = []string{
	`</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `<!--<script>`, `{{.}}`, `'-alert(1)-'`, "\u2028", `\u003c/script>`, `tenant/ö&amp;`,
}

// report replays services with the names given and makes a report of them.
func report(t *testing.T, names []string, days int) *html.Report {
	t.Helper()

	services := make([]*backtest.Series, 0, len(names))

	for _, name := range names {
		s := &backtest.Series{Service: name}

		for i := range days * 288 {
			wave := 1 + math.Sin(float64(i)/46)
			s.Samples = append(s.Samples, backtest.Sample{
				Time: 1_772_452_800 + int64(i)*300, CPUMillis: 1000 * wave, MemoryBytes: int64(4e9 * wave), CPUKnown: true, MemoryKnown: true,
			})
		}

		s.SetStretches()

		services = append(services, s)
	}

	source := func(yield func(*backtest.Series, error) bool) {
		for _, s := range services {
			if !yield(s, nil) {
				return
			}
		}
	}

	everything := func(*backtest.Series) policy.Policy { return policy.Policy{} }
	contenders := []backtest.Contender{
		backtest.SingleWindow(names[0], 3*time.Hour, 1.15, everything), backtest.Static("static", 2, everything),
	}
	config := backtest.Defaults()

	results, err := backtest.Run(t.Context(), config, "test", source, contenders)
	require.NoError(t, err)

	shown := html.Recording{Name: names[0], Results: results}

	for i, contender := range contenders {
		var worst []string
		for _, s := range results[i].Worst {
			worst = append(worst, s.Service)
		}

		tracks, err := backtest.Follow(t.Context(), config, source, contender, worst)
		require.NoError(t, err)

		shown.Tracks = append(shown.Tracks, tracks)
	}

	return &html.Report{Made: time.Unix(1_772_452_800, 0), Config: config, Recordings: []html.Recording{shown}}
}

// data is what the page's script reads.
func data(t *testing.T, page string) string {
	t.Helper()

	const begin, end = `<script type="application/json" id="data">`, "</script>"

	_, rest, found := strings.Cut(page, begin)
	require.True(t, found)

	content, _, found := strings.Cut(rest, end)
	require.True(t, found)

	return content
}

func TestHostileNames(t *testing.T) {
	t.Parallel()

	page, err := html.Render(report(t, hostile, 2))
	require.NoError(t, err)

	text := string(page)
	require.Equal(t, 3, strings.Count(text, "<script"), "the data, the library and ours")
	require.Equal(t, 3, strings.Count(text, "</script"))
	require.NotContains(t, text, "<img")
	require.NotContains(t, text, "<!--")

	var shown struct {
		Recordings []struct {
			Name         string   `json:"name"`
			Recommenders []string `json:"recommenders"`
			Worst        [][]struct {
				Service string `json:"service"`
			} `json:"worst"`
		} `json:"recordings"`
	}

	require.NoError(t, json.Unmarshal([]byte(data(t, text)), &shown))
	require.Equal(t, hostile[0], shown.Recordings[0].Name)
	require.Equal(t, []string{hostile[0], "static"}, shown.Recordings[0].Recommenders)

	names := make([]string, 0, len(hostile))
	for _, s := range shown.Recordings[0].Worst[0] {
		names = append(names, s.Service)
	}

	require.ElementsMatch(t, hostile, names)
}

// TestNothingFromElsewhere holds that the page needs no other file.
func TestNothingFromElsewhere(t *testing.T) {
	t.Parallel()

	page, err := html.Render(report(t, []string{"prod/a"}, 2))
	require.NoError(t, err)

	text := string(page)
	require.Contains(t, text, `content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"`)
	require.NotContains(t, text, "src=")
	require.NotContains(t, text, "<link")
	require.NotContains(t, text, "@import")
	require.Contains(t, text, "prod/a")
	require.Contains(t, text, "Copyright (c) 2022 Leon Sorokin")
	require.Contains(t, text, "A recommender is asked every 10m, and at once")
	require.Contains(t, text, "the first 24h of a service")
}

// TestPeaksAreKept holds that thinning out keeps the highest and the lowest use, and the page small.
func TestPeaksAreKept(t *testing.T) {
	t.Parallel()

	r := report(t, []string{"a"}, 30)
	points := r.Recordings[0].Tracks[0][0].Points
	points[5_000].Sample.CPUMillis = 77_000
	points[6_145].Sample.CPUMillis = 0.5

	page, err := html.Render(r)
	require.NoError(t, err)

	var shown struct {
		Recordings []struct {
			Worst [][]struct {
				CPU struct {
					T    []int64    `json:"t"`
					Used []*float64 `json:"used"`
				} `json:"cpu"`
			} `json:"worst"`
		} `json:"recordings"`
	}

	require.NoError(t, json.Unmarshal([]byte(data(t, string(page))), &shown))

	line := shown.Recordings[0].Worst[0][0].CPU
	require.Len(t, line.Used, len(line.T))
	require.Less(t, len(line.T), 2_500)

	at := map[int64]float64{}
	for i, value := range line.Used {
		at[line.T[i]] = *value
	}

	require.InDelta(t, 77, at[points[5_000].Sample.Time], 0)
	require.InDelta(t, 0.0005, at[points[6_145].Sample.Time], 0)
	require.Equal(t, points[len(points)-1].Sample.Time, line.T[len(line.T)-1])
}

// TestManyRecordingsStaySmall draws as many services as a page can be asked to.
func TestManyRecordingsStaySmall(t *testing.T) {
	t.Parallel()

	r := report(t, []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}, 30)
	for range 3 {
		r.Recordings = append(r.Recordings, r.Recordings[0])
	}

	for i := range r.Recordings {
		for range 3 {
			r.Recordings[i].Results = append(r.Recordings[i].Results, r.Recordings[i].Results[:2]...)
			r.Recordings[i].Tracks = append(r.Recordings[i].Tracks, r.Recordings[i].Tracks[:2]...)
		}
	}

	page, err := html.Render(r)
	require.NoError(t, err)
	require.Less(t, len(page), 5_000_000)
}

// TestAbsentResourceAndGaps holds that a resource that was not recorded has no chart, and that no line crosses a gap.
func TestAbsentResourceAndGaps(t *testing.T) {
	t.Parallel()

	r := &html.Report{Recordings: []html.Recording{{
		Name: "x", Results: []backtest.Result{{Recommender: "r", Worst: []backtest.ServiceResult{{Service: "a"}}}},
		Tracks: [][]backtest.Track{{{Service: "a", Points: []backtest.Point{
			{Sample: backtest.Sample{Time: 300, Seconds: 300, CPUMillis: 1000, CPUKnown: true}, Allocation: size.Size{CPUMillis: 2000, Replicas: 2}},
			{Sample: backtest.Sample{Time: 9000, Seconds: 300, CPUMillis: 500, CPUKnown: true}, Allocation: size.Size{CPUMillis: 2000, Replicas: 1}},
		}}}},
	}}}

	page, err := html.Render(r)
	require.NoError(t, err)
	require.Contains(t, data(t, string(page)),
		`"cpu":{"t":[300,600,9000],"used":[1,null,0.5],"given":[4,4,2],"wanted":[0,0,0]},"memory":null`)
}
