package demo

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-project/tidemark/internal/demo/process"
)

// The processes, by the names that the screen calls them.
const (
	engineProcess = "clickhouse"
	serverProcess = "server"
	cronProcess   = "source-cron"
	signalProcess = "source-clickhouse"
	agentProcess  = "agent"
)

// passwordEnv is by which variable a process learns the password of ClickHouse: other users cannot read it there.
const passwordEnv = "TIDEMARK_CLICKHOUSE_PASSWORD=" //nolint:gosec // the name of a variable, not a password

// inventoryInterval is how often the server reads the list of services: often, since a demonstration is short.
const inventoryInterval = 5 * time.Second

// commands are the processes of a demonstration.
type commands struct {
	config    *Config
	addresses addresses
	directory string
	database  string
}

func (c *commands) engine() process.Spec {
	spec := c.spec(engineProcess, "clickhouse",
		"--listen", c.addresses.engine, "--data", filepath.Join(c.directory, "clickhouse"))
	spec.Env = append(spec.Env, passwordEnv+string(c.config.ClickHouse.Password))

	return spec
}

func (c *commands) server() process.Spec {
	return c.clickhouse(c.spec(serverProcess, "server",
		"--listen", c.addresses.server, "--http-listen", c.addresses.http,
		"--inventory-interval", inventoryInterval.String()))
}

// cron sweeps the whole fleet at once when it starts, so that nobody has to wait for the first recommendations.
func (c *commands) cron() process.Spec {
	return c.spec(cronProcess, "source", "cron",
		"--server", c.addresses.server, "--period", c.config.SweepPeriod.String(), "--catch-up")
}

func (c *commands) signals() process.Spec {
	return c.clickhouse(c.spec(signalProcess, "source", "clickhouse",
		"--server", c.addresses.server, "--signals-poll-interval", c.config.PollInterval.String()))
}

// agent prints everything, so that each change tells by itself what led to it.
func (c *commands) agent(onLine func(line []byte)) process.Spec {
	spec := c.spec(agentProcess, "agent", "--server", c.addresses.server, "--json", "--full")
	spec.OnLine = onLine

	return spec
}

// spec is a subcommand of our own program.
func (c *commands) spec(name string, args ...string) process.Spec {
	return process.Spec{
		Name:    name,
		Path:    c.config.Executable,
		Args:    append([]string{"--log-format", "json"}, args...),
		LogFile: c.logFile(name),
	}
}

func (c *commands) logFile(name string) string {
	return filepath.Join(c.directory, name+".log")
}

// clickhouse adds how ClickHouse is reached.
func (c *commands) clickhouse(spec process.Spec) process.Spec {
	settings := &c.config.ClickHouse

	addr := c.addresses.engine
	if c.config.external() {
		addr = strings.Join(settings.Addr, ",")
	}

	spec.Args = append(spec.Args, "--clickhouse-addr", addr, "--clickhouse-database", c.database)
	spec.Env = append(spec.Env,
		"TIDEMARK_CLICKHOUSE_USERNAME="+settings.Username,
		passwordEnv+string(settings.Password),
		"TIDEMARK_CLICKHOUSE_TLS="+strconv.FormatBool(settings.TLS.Enabled),
		"TIDEMARK_CLICKHOUSE_TLS_CA="+settings.TLS.CAFile,
		"TIDEMARK_CLICKHOUSE_TLS_SERVER_NAME="+settings.TLS.ServerName,
		"TIDEMARK_CLICKHOUSE_TLS_SKIP_VERIFY="+strconv.FormatBool(settings.TLS.SkipVerify),
	)

	return spec
}
