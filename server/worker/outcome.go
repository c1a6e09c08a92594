package worker

// How an evaluation ended, in the words that the queue's metrics have for it.
const (
	// Succeeded means that a recommendation was made, or that the service was deleted meanwhile.
	Succeeded = "succeeded"
	// Retried means that it failed and counts as a failure of the service's, the one after which it is given up included.
	Retried = "retried"
	// Failed means that it failed in a way that no retry can mend.
	Failed = "failed"
	// Released means that it was cut off, because the server stops or nobody wants to know any more.
	Released = "released"
	// Unavailable means that the service waits for something that evaluations depend on.
	Unavailable = "unavailable"
)

// Outcomes returns every way in which an evaluation may end.
func Outcomes() []string {
	return []string{Succeeded, Retried, Failed, Released, Unavailable}
}
