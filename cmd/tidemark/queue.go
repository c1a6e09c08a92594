package main

import (
	"context"
	"fmt"
	"os/user"
	"slices"
	"strings"
	"time"
	"unicode"

	"google.golang.org/grpc"

	"github.com/tidemark-project/tidemark/clients/tidemark"
)

// queueCmd is for operators.
type queueCmd struct {
	Status queueStatusCmd `cmd:"" help:"Show how much waits, since when, and what holds it up."`
	List   queueListCmd   `cmd:"" help:"List the items in the order in which they are due."`
	Failed queueFailedCmd `cmd:"" help:"List the items that were given up, and why."`
	Retry  queueRetryCmd  `cmd:"" help:"Have items that failed or are backing off evaluated now."`
	Cancel queueCancelCmd `cmd:"" help:"Take items out of the queue; evaluations that run are cancelled."`
	Pause  queuePauseCmd  `cmd:"" help:"Stop the server from taking work in, or from evaluating."`
	Resume queueResumeCmd `cmd:"" help:"End a pause."`
}

// queueCall runs what talks to the server with a client, and explains its error. The client's calls end with the timeout.
func queueCall(
	ctx context.Context, to *serverFlags, timeout time.Duration, call func(context.Context, *tidemark.Client) error,
) error {
	client, err := to.dial()
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // the process ends

	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	return to.explain(call(ctx, client))
}

// callsFlags are those of commands that ask as often as it takes.
type callsFlags struct {
	Timeout time.Duration `default:"10s" help:"How long to wait for each answer. There is one for each service or page of a list: all together may take longer."`
	JSON    bool          `name:"json" help:"Print JSON, one object per line."`
}

// dial returns a client each of whose calls ends with the timeout.
func (f *callsFlags) dial(to *serverFlags) (*tidemark.Client, error) {
	within := func(
		ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker,
		options ...grpc.CallOption,
	) error {
		ctx, cancel := context.WithTimeout(ctx, f.Timeout)
		defer cancel()

		return invoke(ctx, method, request, reply, conn, options...)
	}

	bounded := *to
	bounded.options = append(slices.Clip(to.options), tidemark.WithDialOptions(grpc.WithChainUnaryInterceptor(within)))

	return bounded.dial()
}

// authorFlags say who orders something.
type authorFlags struct {
	Author string `placeholder:"NAME" help:"Who orders it; your login name when not given."`
}

// author is who orders it.
func (f *authorFlags) author() (string, error) {
	if f.Author != "" {
		return f.Author, nil
	}

	login, err := user.Current()
	if err != nil {
		return "", fmt.Errorf("--author: give your name, since your login name cannot be found out: %w", err)
	}

	return login.Username, nil
}

// oneLine is a text of others, fit for a line of a terminal.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}
