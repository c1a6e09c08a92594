package demo

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/tidemark-project/tidemark/internal/clickhouseconn"
)

// working are settings that nothing is wrong with.
func working() Config {
	settings := clickhouseconn.DefaultConfig()
	settings.Addr = nil

	return Config{
		Fleet: 20, Seed: 1, ClickHouse: settings,
		PollInterval: 2 * time.Second, SweepPeriod: time.Minute, ScrapeInterval: 10 * time.Second,
		ResizeDelay: 3 * time.Second, RestartDelay: time.Millisecond, StopGrace: 10 * time.Second, Timeout: time.Minute,
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()

	fine := working()
	require.NoError(t, fine.Validate())

	for want, spoil := range map[string]func(*Config){
		"--fleet: must be 10 to 100000, not 9":                                     func(c *Config) { c.Fleet = 9 },
		"--services: has no effect without --usage":                                func(c *Config) { c.Services = "x" },
		"--json: has no effect without --once":                                     func(c *Config) { c.JSON = true },
		"--poll-interval: must be 100ms to 1m0s, not 1ms":                          func(c *Config) { c.PollInterval = time.Millisecond },
		"--sweep-period: must be at least 30s longer than --poll-interval, not 1s": func(c *Config) { c.SweepPeriod = time.Second },
		"--scrape-interval: must be 1s to 5m0s, not 1h0m0s":                        func(c *Config) { c.ScrapeInterval = time.Hour },
		"--resize-delay: must not be negative, but is -1ns":                        func(c *Config) { c.ResizeDelay = -1 },
		"--restart-delay: must be more than 0, not 0s":                             func(c *Config) { c.RestartDelay = 0 },
		"--stop-grace: must be more than 0, not 0s":                                func(c *Config) { c.StopGrace = 0 },
		"--timeout: must be more than 0, not 0s":                                   func(c *Config) { c.Timeout = 0 },
		"--engine-listen: has no effect with --clickhouse-addr":                    func(c *Config) { c.EngineAddr, c.ClickHouse.Addr = "a:1", []string{"b:1"} },
	} {
		spoilt := working()
		spoil(&spoilt)
		require.EqualError(t, spoilt.Validate(), want)
	}

	require.ErrorContains(t, Run(t.Context(), Config{}, t.Output(), slog.New(slog.DiscardHandler)), "--fleet")
}

func TestAddresses(t *testing.T) {
	t.Parallel()

	config := working()
	config.HTTPAddr = "127.0.0.1:1234"

	chosen, err := chooseAddresses(t.Context(), &config)
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:1234", chosen.http)
	require.Regexp(t, `^127\.0\.0\.1:\d+$`, chosen.engine)
	require.Regexp(t, `^127\.0\.0\.1:\d+$`, chosen.server)
	require.NotEqual(t, chosen.engine, chosen.server)

	config.ClickHouse.Addr = []string{"db:9000", "db2:9000"}
	chosen, err = chooseAddresses(t.Context(), &config)
	require.NoError(t, err)
	require.Equal(t, "db:9000", chosen.engine)
}

func TestCommands(t *testing.T) {
	t.Parallel()

	config := working()
	config.Executable = "/bin/tidemark"
	config.ClickHouse.Password = "secret"
	c := commands{
		config: &config, directory: "/d", database: "db",
		addresses: addresses{engine: "e:1", server: "s:2", http: "h:3"},
	}

	engine, server, cron, signals := c.engine(), c.server(), c.cron(), c.signals()
	agent := c.agent(func([]byte) {})

	require.Equal(t, "/bin/tidemark --log-format json clickhouse --listen e:1 --data /d/clickhouse", engine.String())
	require.Equal(t, "/bin/tidemark --log-format json server --listen s:2 --http-listen h:3 "+
		"--inventory-interval 5s --clickhouse-addr e:1 --clickhouse-database db", server.String())
	require.Equal(t, "/bin/tidemark --log-format json source cron --server s:2 --period 1m0s --catch-up", cron.String())
	require.Equal(t, "/bin/tidemark --log-format json source clickhouse --server s:2 --signals-poll-interval 2s "+
		"--clickhouse-addr e:1 --clickhouse-database db", signals.String())
	require.Equal(t, "/bin/tidemark --log-format json agent --server s:2 --json --full", agent.String())
	require.NotNil(t, agent.OnLine)
	require.Equal(t, "/d/agent.log", agent.LogFile)

	for _, spec := range [...]struct{ env []string }{{engine.Env}, {server.Env}, {signals.Env}} {
		require.Contains(t, spec.env, "TIDEMARK_CLICKHOUSE_PASSWORD=secret")
	}

	require.NotContains(t, server.String(), "secret")

	config.ClickHouse.Addr = []string{"a:1", "b:2"}
	borrowed := c.server()
	require.Contains(t, borrowed.String(), "--clickhouse-addr a:1,b:2")
}

func TestBorrowedDatabaseHasANameOfItsOwn(t *testing.T) {
	t.Parallel()

	config := working()

	own, err := openDatabase(&config, "127.0.0.1:1")
	require.NoError(t, err)
	require.Equal(t, "tidemark", own.name())
	require.NoError(t, own.close(t.Context(), false))

	config.ClickHouse.Addr = []string{"127.0.0.1:1"}

	first, err := openDatabase(&config, "")
	require.NoError(t, err)

	second, err := openDatabase(&config, "")
	require.NoError(t, err)
	require.NotEqual(t, first.name(), second.name())
	require.NoError(t, errors.Join(first.close(t.Context(), true), second.close(t.Context(), true)))
}
