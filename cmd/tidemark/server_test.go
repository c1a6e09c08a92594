package main

import (
	"bytes"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/server"
)

// parseServer parses the arguments of "tidemark server".
func parseServer(t *testing.T, args ...string) (serverCmd, error) {
	t.Helper()

	var flags cli

	parser, err := kong.New(&flags, kong.Vars{"version": "test"})
	require.NoError(t, err)

	_, err = parser.Parse(append([]string{"server"}, args...))

	return flags.Server, err
}

// The flags and the library say the same when nothing is said.
func TestServerFlagDefaultsAreTheLibrarys(t *testing.T) {
	command, err := parseServer(t)
	require.NoError(t, err)

	got, want := command.config(), server.DefaultConfig()
	got.Queue.Rand, want.Queue.Rand = nil, nil // functions cannot be compared

	require.Equal(t, want, got)
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		name     string
		args     []string
		out, err string
		fails    bool
	}{
		{name: "version", args: []string{"--version"}, out: version},
		{name: "help", args: []string{"--help"}, out: "server"},
		{name: "unknown command", args: []string{"frobnicate"}, err: "frobnicate", fails: true},
		{name: "missing argument", args: []string{"get"}, err: "<service>", fails: true},
		{name: "impossible settings", args: []string{"server", "--workers=0"}, err: "at least one", fails: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errOut bytes.Buffer

			err := run(t.Context(), c.args, &out, &errOut)
			require.Equal(t, c.fails, err != nil, "%v", err)
			require.Contains(t, out.String(), c.out)
			require.Contains(t, errOut.String(), c.err)
		})
	}
}
