package kubernetes

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

const (
	// sizeAnnotation on a workload says what its pods were given in place, where the template says something else.
	sizeAnnotation = "tidemark.dev/size"
	// noteManager owns that annotation. It is another manager than the template's: what one of them applies and has applied
	// before does not take away what the other has.
	noteManager = "tidemark-agent-notes"
)

// finish sees to the pods that will be made later, when those that there are have their size. A template whose change
// restarts nothing is changed; otherwise an annotation tells what was done.
func (c *change) finish(ctx context.Context) error {
	if c.config.Mode != ModeTemplate && c.workload.onDelete() && !c.templated() && c.maker() == nil {
		err := c.applyTemplate(ctx)
		if err == nil || !conflicting(err) {
			return err
		}

		c.config.Logger.WarnContext(ctx, "Kubernetes: the pods have their size, and the template has another",
			slog.String("service", c.key.String()), slog.Any("error", err))
	}

	return c.note(ctx)
}

// note writes the annotation where it is needed, and removes it, or puts it right, where it is wrong.
func (c *change) note(ctx context.Context) error {
	body := c.workload.patch()
	has, text := c.workload.Metadata.Annotations[sizeAnnotation], ""

	if c.want == (want{}) {
		return nil // only the number of replicas is controlled
	}

	// What the manager had applied before goes when it is not applied again.
	if !c.templated() {
		text = fmt.Sprintf("%s: %s", c.container, c.want)
		body.Metadata.Annotations = map[string]string{sizeAnnotation: text}
	}

	if has == text {
		return nil
	}

	if err := c.api.apply(ctx, c.workload.at(), noteManager, true, body, nil); err != nil {
		// The service has its size all the same.
		c.config.Logger.WarnContext(ctx, "Kubernetes: the workload could not be annotated with the size of its pods",
			slog.String("service", c.key.String()), slog.Any("error", err))

		return nil
	}

	if text == "" {
		c.logf(ctx, c, "removed the annotation with the size of its pods, which is that of its template")
	} else {
		c.logf(ctx, c, "annotated it with the size of its pods, %s", text)
	}

	return nil
}

// String says the size for a person, as Kubernetes writes quantities.
func (w want) String() string {
	var said []string

	for _, name := range sizes {
		if size := w.of(name); size != 0 {
			amount := quantityOf(name, size)
			said = append(said, name+" "+amount.String())
		}
	}

	return strings.Join(said, ", ")
}
