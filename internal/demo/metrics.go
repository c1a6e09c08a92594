package demo

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// serverMetrics reads the server's metrics: what it tells the world about who is connected.
type serverMetrics struct {
	address string
}

// sum adds up the series of a metric whose labels hold all of the given parts.
func (m serverMetrics) sum(ctx context.Context, name string, labels ...string) (float64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+m.address+"/metrics", nil)
	if err != nil {
		return 0, fmt.Errorf("read the server's metrics: %w", err)
	}

	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, fmt.Errorf("read the server's metrics: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // only read

	if response.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("read the server's metrics: %s", response.Status)
	}

	return sumSeries(response.Body, name, labels)
}

// sumSeries reads the text format: a line is the name, the labels in braces if there are any, a space and
// the value.
func sumSeries(text io.Reader, name string, labels []string) (float64, error) {
	total := 0.0
	scanner := bufio.NewScanner(text)

	for scanner.Scan() {
		line := scanner.Text()
		at := strings.LastIndexByte(line, ' ')

		if at < 0 || !strings.HasPrefix(line, name) {
			continue
		}

		series, value := line[:at], line[at+1:]
		if rest := series[len(name):]; rest != "" && rest[0] != '{' {
			continue
		}

		if !holdsAll(series, labels) {
			continue
		}

		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return 0, fmt.Errorf("the server's metric %s: %w", name, err)
		}

		total += number
	}

	if err := scanner.Err(); err != nil {
		return 0, fmt.Errorf("read the server's metrics: %w", err)
	}

	return total, nil
}

func holdsAll(series string, labels []string) bool {
	for _, label := range labels {
		if !strings.Contains(series, label) {
			return false
		}
	}

	return true
}
