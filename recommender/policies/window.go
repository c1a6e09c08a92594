package policies

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // a machine without time zones must not read another policy than one with them

	"github.com/tidemark-project/tidemark/recommender/policy"
)

// windowFields are the fields of a stretch of the day.
var windowFields = []field[policy.TimeWindow]{
	{name: "days", read: readDays, write: writeDays},
	simple("from", func(w *policy.TimeWindow) *time.Duration { return &w.From }, parseClock, formatClock),
	simple("to", func(w *policy.TimeWindow) *time.Duration { return &w.To }, parseClock, formatClock),
	simple("zone", func(w *policy.TimeWindow) **time.Location { return &w.Location }, parseZone, formatZone),
}

// weekdays are the days by the names of a policy file.
var weekdays = [...]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// readDays reads a list of days and stretches of days: [mon, wed-fri].
func readDays(r *reader, n *node, to *policy.TimeWindow) {
	if n.kind != sequence {
		r.failf(n, "is %s: write a list, such as [mon-fri]", n.kind)

		return
	}

	for _, item := range n.items {
		if item.kind != scalar {
			r.failf(item, "is %s: write a day such as mon, or a stretch such as mon-fri", item.kind)

			continue
		}

		first, last, isStretch := strings.Cut(item.text, "-")
		if !isStretch {
			last = first
		}

		from, to2 := weekday(first), weekday(last)
		if from < 0 || to2 < 0 {
			r.failf(item, "%s is not a day: write %s, or a stretch such as mon-fri", quote(item.text), alternatives(weekdays[:]))

			continue
		}

		// A stretch may go over the end of the week: fri-mon.
		for day := from; ; day = (day + 1) % len(weekdays) {
			to.Days = append(to.Days, time.Weekday(day))

			if day == to2 {
				break
			}
		}
	}
}

// weekday returns the number of a day given by its short or its long name, and -1 when it is none.
func weekday(name string) int {
	name = strings.ToLower(strings.TrimSpace(name))

	for i, short := range weekdays {
		if name == short || name == strings.ToLower(time.Weekday(i).String()) {
			return i
		}
	}

	return -1
}

func writeDays(from *policy.TimeWindow) *node {
	written := &node{kind: sequence}
	for _, day := range from.Days {
		written.items = append(written.items, &node{kind: scalar, text: weekdays[day]})
	}

	return written
}

// clock is a time of the day.
var clock = regexp.MustCompile(`^([0-9]{1,2}):([0-5][0-9])$`)

func parseClock(text string) (time.Duration, error) {
	wrong := fmt.Errorf(`%s is not a time of the day: write hours and minutes from "00:00" to "24:00"`, quote(text))

	match := clock.FindStringSubmatch(text)
	if match == nil {
		return 0, wrong
	}

	hours, errHours := strconv.Atoi(match[1])
	minutes, errMinutes := strconv.Atoi(match[2])
	value := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute

	if errors.Join(errHours, errMinutes) != nil || value > day {
		return 0, wrong
	}

	return value, nil
}

func formatClock(value time.Duration) string {
	return fmt.Sprintf("%02d:%02d", value/time.Hour, value%time.Hour/time.Minute)
}

// parseZone reads a name of the time zone database. The zone of the machine is none, because machines differ.
func parseZone(text string) (*time.Location, error) {
	location, err := time.LoadLocation(text)
	if err != nil || text == "" || text == "Local" {
		return nil, fmt.Errorf("%s is not a time zone: write UTC or a name of the time zone database, such as Europe/Berlin", quote(text))
	}

	return location, nil
}

func formatZone(location *time.Location) string {
	if location == nil {
		return time.UTC.String()
	}

	return location.String()
}
