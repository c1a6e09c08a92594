package main

import (
	_ "embed"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/tidemark-project/tidemark/recommender/policies"
)

// policyExample is the part of the file that does not depend on the recommenders.
//
//go:embed policy_init.yaml
var policyExample string

// recommenderExamples are the recommenders, each with what it cannot do without.
var recommenderExamples = [...]struct{ name, recommender string }{
	{"least-cost", "{least_cost: {}}"},
	{"two-window", "{two_window: {}}"},
	{"threshold", "{threshold: {}}"},
	{"percentile", "{percentile: {}}"},
	{"replicas", "{replicas: {}}"},
	{"external", `{external: {url: "http://localhost:9000/recommend"}}`},
}

// parameterComments say what the name of a parameter does not. Where several recommenders have one, it means the same.
var parameterComments = map[string]string{
	"axis":               "replicas or size: what a change moves",
	"band_down":          "the smallest fall that is made, as a share of the allocation",
	"band_up":            "the smallest rise that is made, as a share of the allocation",
	"ca_file":            "certificates, in PEM, that the other side's must be signed by",
	"cpu_target":         "utilisation aimed at; of two_window, 0% is the geometric mean of both thresholds",
	"decays":             "how fast samples lose weight; the shares add up to 100%",
	"down_window":        "replicas go when the peak of this window has gone",
	"failure_threshold":  "failures in a row after which nobody asks for a while, open_for",
	"gain_down":          "how much lower the cost must get for less; in shares of the allocation",
	"gain_up":            "how much lower the cost must get for more; in shares of the allocation",
	"hold":               "how long after a rise nothing falls",
	"joint":              "true chooses size and number together, the cheapest legal pair",
	"load_adjusted":      "true lets a sample of CPU weigh as much as it is high",
	"margin":             "what comes on top of every percentile",
	"max_age":            "how long the last good answer stands in for one that did not come",
	"max_sample_age":     "nothing falls when the newest sample is older",
	"min_coverage":       "nothing falls when a smaller share of the window has samples",
	"min_enough":         "share of the moments for which a size must be enough whatever it costs",
	"min_history":        "nothing falls before a service has been watched for so long",
	"peak_interval":      "only the peak of memory in each stretch of this length counts",
	"price":              "one size that is too small is worth this many idle ones: the knob to turn",
	"profile":            "all parameters; what else is given changes it",
	"saturation":         "use at which CPU counts as held back by its size",
	"scale_in_interval":  "how long after the last change of either direction",
	"scale_out_interval": "how long after the last growth",
	"size_step":          "how much one change adds or takes, on axis size",
	"spare_replicas":     "how many may be down with the rest still enough",
	"span":               "how far back samples count",
	"step":               "how many replicas one change adds or takes, on axis replicas",
	"sustained_for":      "0s is the newest 10 minutes",
	"templates":          "[{name: small, cpu: 2, memory: 8Gi, storage: 100Gi, count: 5}]",
	"tls":                "of grpc; a url says https",
	"tolerance":          "how far off the present number may be",
	"trend_interval":     "time between two sweeps",
	"type":               "sent along",
	"up_window":          "replicas come for the peak of this window",
	"url":                `or grpc: "localhost:9000"`,
	"windows":            "usage that is sent along, and without which nothing falls",
}

// policyInitCmd prints a file to begin with.
type policyInitCmd struct{}

// Run prints.
func (*policyInitCmd) Run(out io.Writer) error {
	var text strings.Builder

	text.WriteString(policyExample)
	text.WriteString("\n  # The recommenders, each with all of its parameters as they are when nothing is said.\n")

	for _, example := range recommenderExamples {
		complete, err := policies.Complete(example.recommender)
		if err != nil {
			return fmt.Errorf("example of %s: %w", example.name, err)
		}

		fmt.Fprintf(&text, "  - name: example-%s\n    match: {services: [\"example/%s\"]}\n", example.name, example.name)

		for line := range strings.Lines(complete) {
			text.WriteString("    " + commented(line))
		}
	}

	if _, err := io.WriteString(out, text.String()); err != nil {
		return fmt.Errorf("print: %w", err)
	}

	return nil
}

// parameter is a line with a parameter.
var parameter = regexp.MustCompile(`^ *([a-z_]+):`)

// commented puts what there is to say of a parameter behind its line.
func commented(line string) string {
	match := parameter.FindStringSubmatch(line)
	if match == nil || parameterComments[match[1]] == "" {
		return line
	}

	return strings.TrimSuffix(line, "\n") + " # " + parameterComments[match[1]] + "\n"
}
