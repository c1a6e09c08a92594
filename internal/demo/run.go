package demo

import (
	"context"
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
		d.screen = screen.Log(ctx, logger)
	}

	err := d.open(ctx)
	if err == nil {
		err = d.perform(ctx)
	}

	if err := d.close(ctx, err); err != nil || d.result == nil {
		return err
	}

	// Last of all, when nothing runs any more that could print.
	return d.result.write(out, config.JSON, d.decision)
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

	d.show(ctx)

	return nil
}
