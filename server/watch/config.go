package watch

import (
	"errors"
	"fmt"
	"time"
)

// Config is how the hub treats its readers.
type Config struct {
	// HeartbeatInterval is the longest silence on a stream.
	HeartbeatInterval time.Duration
	// SendTimeout is how long a reader may leave an event unread before its stream is ended.
	SendTimeout time.Duration
	// MaxWatchers is how many streams may be open at once, and MaxWatchersPerClient how many from one client: one identity
	// when clients prove theirs, else one address.
	MaxWatchers, MaxWatchersPerClient int
	// MaxAge is how long a stream lives at least before it is ended, with a token, so that its reader makes a new one;
	// up to a quarter more, so that not all do at one moment. 0 is for ever; in a server, a fifth more than connections get.
	MaxAge time.Duration
	// StopSpread is over how long streams are ended at most when the server stops, so that not all readers come back
	// elsewhere at one moment.
	StopSpread time.Duration
}

// DefaultConfig returns the settings that a server has when nothing else is said.
func DefaultConfig() Config {
	return Config{
		HeartbeatInterval: 10 * time.Second, SendTimeout: 30 * time.Second,
		MaxWatchers: 10_000, MaxWatchersPerClient: 1_000, StopSpread: 5 * time.Second,
	}
}

// Validate returns everything that is wrong with the settings.
func (c Config) Validate() error {
	var problems []error

	if c.HeartbeatInterval <= 0 {
		problems = append(problems, fmt.Errorf("watch heartbeat interval is %s: it must be positive", c.HeartbeatInterval))
	}

	if c.SendTimeout <= 0 {
		problems = append(problems, fmt.Errorf("watch send timeout is %s: it must be positive", c.SendTimeout))
	}

	if c.MaxWatchers <= 0 {
		problems = append(problems, fmt.Errorf("watch limit of %d streams: it must be positive", c.MaxWatchers))
	}

	if c.MaxWatchersPerClient <= 0 {
		problems = append(problems,
			fmt.Errorf("watch limit of %d streams for one client: it must be positive", c.MaxWatchersPerClient))
	}

	if c.MaxAge < 0 {
		problems = append(problems, fmt.Errorf("watch maximum age is %s: it must not be negative", c.MaxAge))
	}

	if c.StopSpread < 0 {
		problems = append(problems, fmt.Errorf("watch stop spread is %s: it must not be negative", c.StopSpread))
	}

	return errors.Join(problems...)
}
