package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// queueScopeFlags say what is stopped, and who orders it.
type queueScopeFlags struct {
	authorFlags

	What string `arg:"" enum:"accepting,evaluating" help:"What: ${enum}."`

	Server serverFlags `embed:"" group:"Server"`
	Call   callFlags   `embed:""`
}

// order is what is stopped or goes on, and who says so.
func (f *queueScopeFlags) order() (tidemarkv1.PauseScope, string, error) {
	value, err := enumValue("what", tidemarkv1.PauseScope_value, "PAUSE_SCOPE_", f.What)
	if err != nil {
		return 0, "", err
	}

	if f.Author != "" && oneLine(f.Author) == "" {
		return 0, "", errors.New("--author is blank: give the name of whoever orders it, or leave it out for your login name")
	}

	author, err := f.author()

	return tidemarkv1.PauseScope(value), author, err
}

// queuePauseCmd orders a pause.
type queuePauseCmd struct {
	queueScopeFlags

	Reason string         `required:"" help:"Why; whoever is stopped by it is told."`
	For    *time.Duration `placeholder:"DURATION" help:"After how long it ends by itself, such as 30m; without it, when it is resumed."`
}

// Help implements kong.HelpProvider.
func (c *queuePauseCmd) Help() string {
	return `While accepting is paused, every wish is refused; sources keep theirs and bring them again. While evaluating is
paused, wishes are taken in and wait, and the evaluations that run go on. A pause takes the place of an earlier one
of its kind. It ends when it is resumed, after --for, or when the server is restarted.`
}

// Run orders the pause and prints it.
func (c *queuePauseCmd) Run(ctx context.Context, out io.Writer, _ *slog.Logger) error {
	request, err := c.request(time.Now())
	if err != nil {
		return err
	}

	return queueCall(ctx, &c.Server, c.Call.Timeout, func(ctx context.Context, client *tidemark.Client) error {
		response, err := client.Queue().PauseQueue(ctx, request)
		if err != nil {
			return err
		}

		if c.Call.JSON {
			return printJSON(out, response.GetPause())
		}

		return printLine(out, pauseText(response.GetPause(), time.Now()))
	})
}

// request is what the flags say.
func (c *queuePauseCmd) request(now time.Time) (*tidemarkv1.PauseQueueRequest, error) {
	scope, author, err := c.order()
	if err != nil {
		return nil, err
	}

	if oneLine(c.Reason) == "" {
		return nil, errors.New("--reason is blank: say why in a few words, such as \"ClickHouse upgrade\"")
	}

	request := &tidemarkv1.PauseQueueRequest{Scope: scope, Author: author, Reason: c.Reason}

	if c.For != nil {
		if *c.For <= 0 {
			return nil, fmt.Errorf("--for: %s is not positive", *c.For)
		}

		request.ExpireTime = timestamppb.New(now.Add(*c.For))
	}

	return request, nil
}

// queueResumeCmd ends a pause.
type queueResumeCmd struct {
	queueScopeFlags
}

// Run ends the pause and prints it.
func (c *queueResumeCmd) Run(ctx context.Context, out io.Writer, _ *slog.Logger) error {
	scope, author, err := c.order()
	if err != nil {
		return err
	}

	return queueCall(ctx, &c.Server, c.Call.Timeout, func(ctx context.Context, client *tidemark.Client) error {
		response, err := client.Queue().ResumeQueue(ctx, &tidemarkv1.ResumeQueueRequest{Scope: scope, Author: author})
		if err != nil {
			return err
		}

		if c.Call.JSON {
			return printJSON(out, response)
		}

		return printLine(out, resumedText(c.What, response.GetPause(), time.Now()))
	})
}

// resumedText says what was ended: "evaluating resumed; ana paused it at 12:03 (2m): upgrade".
func resumedText(what string, ended *tidemarkv1.Pause, now time.Time) string {
	if ended == nil {
		return what + " was not paused"
	}

	return fmt.Sprintf("%s resumed; it was paused by %s since %s: %s", what, oneLine(ended.GetAuthor()),
		since(ended.GetPauseTime(), now), oneLine(ended.GetReason()))
}
