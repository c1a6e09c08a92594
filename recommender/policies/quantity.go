package policies

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	day = 24 * time.Hour
	// maxDays keeps a duration within what a time.Duration holds.
	maxDays = 36_500
)

// days is a duration that begins with a number of days.
var days = regexp.MustCompile(`^([0-9]{1,6})d(.*)$`)

// parseDuration reads a duration of Go with days in front: "90s", "1h30m", "7d", "1d12h".
func parseDuration(text string) (time.Duration, error) {
	wrong := fmt.Errorf("%s is not a duration: write 0 or more of days, hours, minutes and seconds, such as 90s, 1h30m or 7d",
		quote(text))

	rest := text

	var sum time.Duration

	if match := days.FindStringSubmatch(text); match != nil {
		n, err := strconv.Atoi(match[1])
		if err != nil || n > maxDays {
			return 0, fmt.Errorf("%s is too long: write at most %dd", quote(text), maxDays)
		}

		sum, rest = time.Duration(n)*day, match[2]
		if rest == "" {
			return sum, nil
		}
	}

	value, err := time.ParseDuration(rest)
	if err != nil || value < 0 || strings.HasPrefix(rest, "+") {
		return 0, wrong
	}

	if value > maxDays*day-sum {
		return 0, fmt.Errorf("%s is too long: write at most %dd", quote(text), maxDays)
	}

	return sum + value, nil
}

// formatDuration writes a duration as people do: "7d", "30h", "1h30m".
func formatDuration(value time.Duration) string {
	if value > 0 && value%day == 0 {
		return strconv.Itoa(int(value/day)) + "d"
	}

	rest := value.String()
	if strings.HasSuffix(rest, "m0s") {
		rest = strings.TrimSuffix(rest, "0s")
	}

	if strings.HasSuffix(rest, "h0m") {
		rest = strings.TrimSuffix(rest, "0m")
	}

	return rest
}

// number is a plain decimal number.
var number = regexp.MustCompile(`^[0-9]{1,18}(\.[0-9]{1,40})?$`)

// parseShare reads a part of something: "80%" or 0.8. A bare number above 1 is taken for a percentage that lacks its sign.
func parseShare(text string) (float64, error) {
	percent, isPercent := strings.CutSuffix(text, "%")
	if !number.MatchString(percent) {
		return 0, fmt.Errorf("%s is not a share: write a percentage such as 80%% or a part such as 0.8", quote(text))
	}

	if isPercent {
		return strconv.ParseFloat(percent+"e-2", 64) //nolint:wrapcheck // the text has been checked
	}

	value, err := strconv.ParseFloat(text, 64)
	if err == nil && value > 1 {
		err = fmt.Errorf("%s is more than the whole: write %s%% or a part such as 0.8", quote(text), text)
	}

	return value, err
}

// formatShare writes a percentage, or the bare part where that is exact and a percentage is not.
func formatShare(value float64) string {
	const digits = 1e10 // enough for a percentage that a person wrote, and too few for the noise of the product

	text := formatFactor(math.Round(value*100*digits)/digits) + "%"
	if again, err := parseShare(text); err == nil && again == value {
		return text
	}

	return formatFactor(value)
}

// parseFactor reads a number such as 1.1.
func parseFactor(text string) (float64, error) {
	if !number.MatchString(text) {
		return 0, fmt.Errorf("%s is not a number: write one such as 1.1", quote(text))
	}

	return strconv.ParseFloat(text, 64) //nolint:wrapcheck // the text has been checked
}

func formatFactor(value float64) string {
	return strconv.FormatFloat(value, 'f', -1, 64)
}

// parseCount reads a whole number of 32 bits.
func parseCount[N int | int32](text string) (N, error) {
	value, err := strconv.ParseInt(text, 10, 32)

	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s is out of range: write a smaller number", quote(text))
	case err != nil, value < 0:
		return 0, fmt.Errorf("%s is not a count: write a whole number such as 3", quote(text))
	default:
		return N(value), nil
	}
}

func parseBool(text string) (bool, error) {
	switch text {
	case "true":
		return true, nil
	case "false":
		return false, nil
	default:
		return false, fmt.Errorf("%s is neither: write true or false", quote(text))
	}
}
