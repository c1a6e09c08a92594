package usage

// QueryError is a failure that is about what was asked: the usage store is there, and answered that it cannot. Every other
// failure to read means that the store is not there for now, whoever asks.
type QueryError struct {
	// Err is the failure itself.
	Err error
	// Divisible means that the same may be read of fewer services at once.
	Divisible bool
	// Permanent means that it fails again however often it is tried, until somebody changes the data or the policy.
	Permanent bool
}

// Error implements error.
func (e QueryError) Error() string { return e.Err.Error() }

// Unwrap returns the failure itself.
func (e QueryError) Unwrap() error { return e.Err }
