package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/internal/demo/feed"
	"github.com/tidemark-project/tidemark/internal/demo/fleet"
	"github.com/tidemark-project/tidemark/internal/demo/screen"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// Run gives the demonstration until ctx ends or, with Config.Once, until the first scale-up. It leaves no process behind.
func Run(ctx context.Context, config Config, out io.Writer, logger *slog.Logger) error {
	if err := config.Validate(); err != nil {
		return err
	}

	d := &demonstration{config: &config, out: out, screen: screen.New(out), changes: newChanges(logger)}
	if config.Once {
		d.screen = screen.Log(logger)
	}

	err := d.open(ctx)
	if err == nil {
		err = d.perform(ctx)
	}

	if err := d.close(ctx, err); err != nil || d.result == nil {
		return err
	}

	// Last of all, when nothing runs any more that could print.
	return d.result.print(out, config.JSON, d.decision)
}

// demonstration is everything that one run is made of.
type demonstration struct {
	config    *Config
	out       io.Writer
	screen    *screen.Screen
	changes   *changes
	directory string
	commands  commands
	processes *processes
	database  *database
	client    *tidemark.Client
	engine    string // what the ClickHouse calls itself
	fleet     *fleet.Fleet
	writer    *feed.Writer
	platform  *platform
	monitor   *monitor
	canary    int
	seedRows  int64
	seedTime  time.Duration
	result    *Result // of a run without a screen
	decision  *tidemarkv1.Recommendation

	background sync.WaitGroup
	quit       context.CancelFunc // ends the background
}

// open prepares everything that does not run yet.
func (d *demonstration) open(ctx context.Context) error {
	directory, err := os.MkdirTemp("", "tidemark-demo-")
	if err != nil {
		return fmt.Errorf("make a directory: %w", err)
	}

	d.directory = directory

	chosen, err := chooseAddresses(ctx, d.config)
	if err != nil {
		return err
	}

	if d.database, err = openDatabase(d.config, chosen.engine); err != nil {
		return err
	}

	if d.client, err = tidemark.Dial(chosen.server, tidemark.WithPlaintext(), tidemark.WithUserAgent("tidemark-demo")); err != nil {
		return fmt.Errorf("prepare a client: %w", err)
	}

	d.commands = commands{config: d.config, addresses: chosen, directory: directory, database: d.database.name()}
	d.processes = newProcesses(d.config, d.screen)
	d.writer = feed.NewWriter(d.database.conn, d.database.schema.Names)

	return nil
}

// perform goes from nothing to the end of the show.
func (d *demonstration) perform(ctx context.Context) error {
	d.welcome()

	if err := d.loadFleet(); err != nil {
		return err
	}

	if d.config.Once && !d.casting().possible() {
		return errNobody
	}

	if err := d.prepare(ctx); err != nil {
		return err
	}

	background, quit := context.WithCancel(ctx)
	d.quit = quit
	d.startBackground(background)

	if err := d.startTidemark(); err != nil {
		return err
	}

	if err := d.waitReady(ctx); err != nil {
		return err
	}

	if d.config.Once {
		return d.once(ctx)
	}

	return d.show(ctx)
}

// close stops everything in order, whatever state it is in, and adds to a failure what the processes logged.
func (d *demonstration) close(ctx context.Context, failure error) error {
	interrupted := ctx.Err() != nil

	if d.quit != nil {
		d.quit()
		d.background.Wait()
	}

	if d.processes != nil {
		d.screen.Line(screen.Heading, "stopping")
		d.processes.supervisor.Stop()
	}

	var problems []error

	if d.client != nil {
		problems = append(problems, d.client.Close())
	}

	if d.database != nil {
		problems = append(problems, d.database.close(d.config.Keep))
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
		d.screen.Line(screen.Notice, "data and logs are kept in %s", d.directory)

		return nil
	}

	if err := os.RemoveAll(d.directory); err != nil {
		return fmt.Errorf("remove the data: %w", err)
	}

	return nil
}
