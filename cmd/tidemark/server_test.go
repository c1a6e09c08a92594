package main

import (
	"bytes"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/policy"
	"github.com/tidemark-project/tidemark/recommender/size"
	"github.com/tidemark-project/tidemark/recommender/twowindow"
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
	require.Equal(t, policy.Default(), got.Policy)

	rule, err := command.rule()
	require.NoError(t, err)

	usual, err := twowindow.New(twowindow.Defaults())
	require.NoError(t, err)
	require.Equal(t, usual, rule)
}

func TestPolicyFlags(t *testing.T) {
	command, err := parseServer(t,
		"--catalogue", "4:16Gi,2:8Gi", "--min-cpu", "0", "--min-memory", "0", "--mode", "observe-only", "--policy-name", "fleet")
	require.NoError(t, err)

	p := command.Policy.policy()
	require.NoError(t, p.Validate())
	require.Equal(t, "fleet", p.Name)
	require.Equal(t, policy.ModeObserveOnly, p.Mode)
	require.Equal(t, []size.Resources{
		{CPUMillis: 2000, MemoryBytes: 8 << 30}, {CPUMillis: 4000, MemoryBytes: 16 << 30},
	}, p.Catalogue)
	require.Equal(t, p.ContentHash(), p.Hash)

	command, err = parseServer(t, "--memory-per-core", "4Gi")
	require.NoError(t, err)

	p = command.Policy.policy()
	require.NoError(t, p.Validate())
	require.Equal(t, int64(4<<30), p.MemoryPerCoreBytes)
}

func TestPolicyFlagsRefuseWhatIsNoSize(t *testing.T) {
	for flag, text := range map[string]string{"--max-cpu": "many", "--min-memory": "-1Gi", "--catalogue": "4"} {
		_, err := parseServer(t, flag+"="+text)
		require.ErrorContains(t, err, flag)
		require.ErrorContains(t, err, text)
	}
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
