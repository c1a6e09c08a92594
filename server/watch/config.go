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
	// MaxWatchers is how many streams may be open at once.
	MaxWatchers int
}

// DefaultConfig returns the settings that a server has when nothing else is said.
func DefaultConfig() Config {
	return Config{HeartbeatInterval: 10 * time.Second, SendTimeout: 30 * time.Second, MaxWatchers: 10_000}
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

	return errors.Join(problems...)
}
