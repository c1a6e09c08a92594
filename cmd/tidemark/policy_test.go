package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/recommender/policies"
	livepolicies "github.com/tidemark-project/tidemark/server/policies"
)

// runPolicy runs "tidemark policy" with arguments and returns what it prints.
func runPolicy(t *testing.T, args ...string) (string, error) {
	t.Helper()

	var (
		flags policyCmd
		out   bytes.Buffer
	)

	parser, err := kong.New(&flags)
	require.NoError(t, err)

	parsed, err := parser.Parse(args)
	require.NoError(t, err)

	parsed.BindTo(&out, (*io.Writer)(nil))

	err = parsed.Run()

	return out.String(), err
}

// policyFile writes a policy file.
func policyFile(t *testing.T, content string) string {
	t.Helper()

	path := filepath.Join(t.TempDir(), "fleet.yaml")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))

	return path
}

const goldFile = "defaults: {max: {cpu: 8}}\npolicies:\n  - {name: gold, match: {services: [\"prod/*\"], labels: {tier: gold}}, max: {memory: 32Gi}}\n"

func TestPolicyCheck(t *testing.T) {
	good, empty := policyFile(t, goldFile), policyFile(t, "defaults: {mode: off}\n")
	bad := policyFile(t, "defaults: {mode: of}\npolicies: [{name: gold}]\n")

	out, err := runPolicy(t, "check", good, empty)
	require.NoError(t, err)
	require.Equal(t, good+": ok: 1 policy\n"+empty+": ok: 0 policies\n", out)

	out, err = runPolicy(t, "check", bad, good)
	require.EqualError(t, err, "2 problems")
	require.Equal(t, bad+`:1:18: defaults.mode: there is no "of": did you mean off?`+"\n"+
		bad+`:2:12: policies[0]: matches nothing: write match: {services: ["prod/orders-*"]}, match: {labels: {tier: gold}}, or both`+"\n"+
		good+": ok: 1 policy\n", out)

	missing := filepath.Join(t.TempDir(), "missing.yaml")
	_, err = runPolicy(t, "check", missing)
	require.ErrorIs(t, err, os.ErrNotExist)
	require.ErrorContains(t, err, missing)
}

func TestPolicyExplain(t *testing.T) {
	file := policyFile(t, goldFile)

	out, err := runPolicy(t, "explain", "prod/orders-db", "--policy", file, "--label", "tier=gold")
	require.NoError(t, err)
	require.Contains(t, out, "# prod/orders-db has the policy gold, because \"prod/* and tier=gold\" matches.\n")
	require.Contains(t, out, "cpu: 8 # defaults, line 1\n")
	require.Contains(t, out, "memory: 32Gi # policy gold, line 3\n")
	require.Contains(t, out, "memory: 512Mi # built-in\n")

	out, err = runPolicy(t, "explain", "prod/orders-db", "--policy", file)
	require.NoError(t, err)
	require.Contains(t, out, "No policy matches prod/orders-db")

	out, err = runPolicy(t, "explain", "prod/orders-db")
	require.NoError(t, err)
	require.Equal(t, policies.Default().Explain("prod/orders-db", nil), out)

	_, err = runPolicy(t, "explain", "prod/orders-db", "--policy", policyFile(t, "mode: off"))
	require.ErrorContains(t, err, "fleet.yaml:1:1: mode: there is no such field")
}

// TestPolicyInitHasEveryField compares the example with an explanation, which has every field.
func TestPolicyInitHasEveryField(t *testing.T) {
	out, err := runPolicy(t, "init")
	require.NoError(t, err)

	set, err := policies.Parse("init.yaml", []byte(out))
	require.NoError(t, err)

	field := regexp.MustCompile(`(?m)^ *([a-z_]+):`)
	all := append(make([]string, 0, len(recommenderExamples)+1), policies.Default().Explain("prod/a", nil))

	for _, example := range recommenderExamples {
		usual, err := policies.Parse("usual.yaml", []byte("defaults: {recommender: "+example.recommender+"}"))
		require.NoError(t, err)

		service := "example/" + example.name
		require.Equal(t, usual.For(service, nil).Recommender, set.For(service, nil).Recommender, service)
		require.Equal(t, "example-"+example.name, set.For(service, nil).Policy.Name)

		all = append(all, usual.Explain(service, nil))
	}

	for _, match := range field.FindAllStringSubmatch(strings.Join(all, ""), -1) {
		require.Regexp(t, `\b`+match[1]+`:`, out)
	}

	// What is said of a parameter must be of one that there is.
	for name := range parameterComments {
		require.Regexp(t, `(?m)^ *`+name+`:.* # `, out)
	}
}

func TestPolicyFlags(t *testing.T) {
	logger := slog.New(slog.DiscardHandler)

	command, err := parseServer(t)
	require.NoError(t, err)
	require.Equal(t, livepolicies.DefaultPoll, command.Policy.Poll)

	live, err := command.Policy.open(logger, prometheus.NewRegistry())
	require.NoError(t, err)
	require.Same(t, policies.Default(), live.Set())

	command, err = parseServer(t, "--policy", policyFile(t, goldFile), "--policy-poll", "1m")
	require.NoError(t, err)

	live, err = command.Policy.open(logger, prometheus.NewRegistry())
	require.NoError(t, err)
	require.Equal(t, "gold", live.For("prod/a", map[string]string{"tier": "gold"}).Policy.Name)

	command, err = parseServer(t, "--policy", policyFile(t, "policies: {}"))
	require.NoError(t, err)

	_, err = command.Policy.open(logger, prometheus.NewRegistry())
	require.ErrorContains(t, err, "fleet.yaml:1:11: policies: is a map of fields: write a list")
}

func TestReloadOnHangup(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()

	reloads, ended := make(chan struct{}, 1), make(chan error, 1)

	go func() { ended <- reloadOnHangup(ctx, func() { reloads <- struct{}{} }) }()

	// Until the signal is waited for it would end the process, so the test waits for it as well.
	held := make(chan os.Signal, 1)
	signal.Notify(held, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(held) })

	for done := false; !done; {
		require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))

		select {
		case <-reloads:
			done = true
		case <-time.After(10 * time.Millisecond):
			// Not waited for yet: once more.
		}
	}

	cancel()

	for {
		select {
		case <-reloads:
		case err := <-ended:
			require.ErrorIs(t, err, context.Canceled)

			return
		}
	}
}
