package demo

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tidemark-project/tidemark/internal/demo/screen"
)

// close stops everything in order, whatever state it is in, and adds to a failure what the processes logged.
func (d *demonstration) close(ctx context.Context, failure error) error {
	interrupted := ctx.Err() != nil

	if d.quit != nil {
		d.quit()
		d.background.Wait()
	}

	if d.processes != nil {
		d.screen.Linef(screen.Heading, "stopping")
		d.processes.supervisor.Stop()
	}

	var problems []error

	if d.client != nil {
		problems = append(problems, d.client.Close())
	}

	if d.database != nil {
		problems = append(problems, d.database.close(context.WithoutCancel(ctx), d.config.Keep))
	}

	return errors.Join(d.verdict(failure, interrupted), errors.Join(problems...), d.tidy(failure != nil && !interrupted))
}

// verdict is what the run comes to. Who stops a demonstration has seen enough, which is no failure; but without a screen
// there was something to wait for.
func (d *demonstration) verdict(failure error, interrupted bool) error {
	switch {
	case failure == nil:
		return nil
	case interrupted && d.config.Once:
		return errors.New("stopped before the scale-up came")
	case interrupted:
		return nil
	default:
		return fmt.Errorf("%w%s", failure, logTails(d.directory))
	}
}

// tidy removes the directory, unless it is wanted or tells of a failure.
func (d *demonstration) tidy(failed bool) error {
	switch {
	case d.directory == "":
		return nil
	case d.config.Keep || failed:
		d.screen.Linef(screen.Notice, "data and logs are kept in %s", d.directory)

		return nil
	}

	if err := os.RemoveAll(d.directory); err != nil {
		return fmt.Errorf("remove the data: %w", err)
	}

	return nil
}
