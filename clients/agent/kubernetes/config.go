package kubernetes

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"
)

const defaultTimeout = 5 * time.Minute

// Mode says how CPU and memory are changed.
type Mode string

const (
	// ModeAuto changes pods in place where that is possible, and the template otherwise.
	ModeAuto Mode = "auto"
	// ModeInPlace changes pods in place, or refuses.
	ModeInPlace Mode = "in-place"
	// ModeTemplate changes the template, whose controller makes all pods anew.
	ModeTemplate Mode = "template"
)

// LimitPolicy says what becomes of a limit when the request of its resource changes. A resource without a limit gets none,
// no limit is ever below its request, and in a pod of the class Guaranteed limits always equal requests.
type LimitPolicy string

const (
	// LimitsRatio keeps the ratio of limit to request.
	LimitsRatio LimitPolicy = "ratio"
	// LimitsKeep leaves the limit, unless the request rises above it.
	LimitsKeep LimitPolicy = "keep"
	// LimitsRequest makes the limit equal to the request.
	LimitsRequest LimitPolicy = "request"
)

// Config says where and how services are resized.
type Config struct {
	// API is how the API server is reached, for example from Connect; required.
	API *rest.Config
	// Namespace, Name and Selector say which workload a service is. In each, {tenant} and {name} stand for the parts of the
	// service's key. When not set, the namespace is {tenant}, and the name {name}. A selector of labels, such as
	// "app.kubernetes.io/instance={name}", is used in place of a name.
	Namespace, Name, Selector string
	// Kind is that of the workloads: "StatefulSet" or "Deployment"; either when empty.
	Kind string
	// Container is the name of the container that is resized, in workloads that have several and do not say which by the
	// annotation kubectl.kubernetes.io/default-container.
	Container string
	// Mode is ModeAuto when not set.
	Mode Mode
	// Limits is LimitsRatio when not set.
	Limits LimitPolicy
	// ForceConflicts takes over fields of a template that another manager has set, such as helm. Without it such a
	// workload's template is not changed.
	ForceConflicts bool
	// Timeout bounds one attempt, with all its waiting; 5 min when not set. The next attempt goes on from there.
	Timeout time.Duration
	// DryRun, when it is set, makes the API server check every request and change nothing; what would be done is written
	// there, one line for each change.
	DryRun io.Writer
	// Logger is told of every change; nobody when nil.
	Logger *slog.Logger
}

var (
	errNoAPI           = errors.New("the Kubernetes actuator needs the configuration of an API server")
	errNameAndSelector = errors.New("a workload is found by its name or by a selector, not by both: leave one out")
)

// complete checks the configuration and fills in what is not set.
func (c *Config) complete() error {
	if c.API == nil {
		return errNoAPI
	}

	if c.Name != "" && c.Selector != "" {
		return errNameAndSelector
	}

	setDefault(&c.Namespace, "{tenant}")
	setDefault(&c.Mode, ModeAuto)
	setDefault(&c.Limits, LimitsRatio)

	if c.Selector == "" {
		setDefault(&c.Name, "{name}")
	}

	if c.Timeout <= 0 {
		c.Timeout = defaultTimeout
	}

	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}

	return c.check()
}

func (c *Config) check() error {
	if c.Kind != "" {
		if _, err := kindNamed(c.Kind); err != nil {
			return err
		}
	}

	switch c.Mode {
	case ModeAuto, ModeInPlace, ModeTemplate:
	default:
		return fmt.Errorf("there is no mode %q: use %q, %q or %q", c.Mode, ModeAuto, ModeInPlace, ModeTemplate)
	}

	switch c.Limits {
	case LimitsRatio, LimitsKeep, LimitsRequest:
	default:
		return fmt.Errorf("there is no way %q to set limits: use %q, %q or %q",
			c.Limits, LimitsRatio, LimitsKeep, LimitsRequest)
	}

	example := key{tenant: "a", name: "b"}

	for what, text := range map[string]string{"namespace": c.Namespace, "name": c.Name, "selector": c.Selector} {
		filled, err := fill(text, example)
		if err != nil {
			return fmt.Errorf("the %s of workloads: %w", what, err)
		}

		if what == "selector" {
			if _, err := labels.Parse(filled); err != nil {
				return fmt.Errorf("the selector of workloads %q: %w", text, err)
			}
		}
	}

	return nil
}

func setDefault[T ~string](field *T, value T) {
	if *field == "" {
		*field = value
	}
}
