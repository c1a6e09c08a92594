package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tidemark-project/tidemark/recommender/backtest"
)

// errorOutput is where what is not the answer is printed.
type errorOutput struct{ io.Writer }

// meter shows how far a replay is, on one line that is written over.
type meter struct {
	to    io.Writer // nil when nobody looks
	began time.Time
	last  time.Time
}

const (
	meterInterval = 200 * time.Millisecond
	clearLine     = "\r\x1b[K"
)

func newMeter(to errorOutput, always bool) *meter {
	m := &meter{began: time.Now()}
	if always || isTerminal(to.Writer) {
		m.to = to
	}

	return m
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}

	info, err := file.Stat()

	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (m *meter) show(p backtest.Progress) {
	now := time.Now()
	if m.to == nil || now.Sub(m.last) < meterInterval {
		return
	}

	m.last = now

	fmt.Fprintf(m.to, "%s%d services, %.1f million samples, %.1f million decisions, %s", clearLine, //nolint:errcheck // nothing depends on it
		p.Services, float64(p.Samples)/1e6, float64(p.Decisions)/1e6, now.Sub(m.began).Round(time.Second))
}

func (m *meter) clear() {
	if m.to != nil && !m.last.IsZero() {
		fmt.Fprint(m.to, clearLine) //nolint:errcheck // nothing depends on it
	}
}
