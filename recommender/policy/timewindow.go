package policy

import (
	"slices"
	"time"
)

// InAny reports that an instant lies in one of the windows.
func InAny(windows []TimeWindow, at time.Time) bool {
	return slices.ContainsFunc(windows, func(w TimeWindow) bool { return w.Contains(at) })
}

// Contains reports that an instant lies in the window. Times of the day are those that a clock on the wall of the zone
// shows; when it is set back, the hour that comes twice counts twice.
func (w TimeWindow) Contains(at time.Time) bool {
	location := w.Location
	if location == nil {
		location = time.UTC
	}

	local := at.In(location)
	clock := time.Duration(local.Hour())*time.Hour + time.Duration(local.Minute())*time.Minute +
		time.Duration(local.Second())*time.Second

	if w.From < w.To {
		return w.begins(local.Weekday()) && clock >= w.From && clock < w.To
	}

	// Past midnight the window began the day before.
	return w.begins(local.Weekday()) && clock >= w.From || w.begins((local.Weekday()+6)%7) && clock < w.To
}

func (w TimeWindow) begins(day time.Weekday) bool {
	return len(w.Days) == 0 || slices.Contains(w.Days, day)
}
