package clickhouseschema

import "fmt"

// Statements returns the statements that make everything that does not exist yet, in the order in which they must run.
// They may run any number of times.
func Statements(config Config) ([]string, error) {
	if err := config.complete(); err != nil {
		return nil, err
	}

	statements := []string{
		fmt.Sprintf("CREATE DATABASE IF NOT EXISTS %s%s", Quote(config.Names.Database), config.onCluster()),
	}

	for _, t := range config.tables() {
		statements = append(statements, t.create(&config))
	}

	for _, v := range config.views() {
		statements = append(statements, v.create(&config))
	}

	return statements, nil
}

func (c *Config) onCluster() string {
	if c.Cluster == "" {
		return ""
	}

	return " ON CLUSTER " + Quote(c.Cluster)
}

func (c *Config) enginePrefix() string {
	if c.Cluster == "" {
		return ""
	}

	return "Replicated"
}
