package queue_test

import (
	"flag"
	"log"
	"testing"

	"go.uber.org/goleak"
)

// machineSteps is the number of steps of one run of a state machine, on average; there are a hundred runs.
const machineSteps = "200"

func TestMain(m *testing.M) {
	// The command line still has the last word.
	if err := flag.Set("rapid.steps", machineSteps); err != nil {
		log.Fatal(err)
	}

	goleak.VerifyTestMain(m)
}
