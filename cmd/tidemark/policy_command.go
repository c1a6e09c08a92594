package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tidemark-project/tidemark/recommender/policies"
)

// policyCmd is for those who write policies.
type policyCmd struct {
	Check   policyCheckCmd   `cmd:"" help:"Say everything that is wrong with policy files."`
	Explain policyExplainCmd `cmd:"" help:"Print the policy of a service, and where each value of it comes from."`
	Init    policyInitCmd    `cmd:"" help:"Print a policy file to begin with: every field, with what it means."`
}

// policyCheckCmd checks files.
type policyCheckCmd struct {
	Files []string `arg:"" name:"file" help:"Policy files; - is the standard input."`
}

// Run prints one line for each file that is right, and one for each problem.
func (c *policyCheckCmd) Run(out io.Writer) error {
	problems := 0

	for _, name := range c.Files {
		var (
			wrong *policies.ParseError
			text  string
		)

		set, err := parsePolicies(name)

		switch {
		case err == nil:
			text = name + ": ok: " + counted(len(set.Policies())-1, "policy", "policies")
		case errors.As(err, &wrong):
			problems += len(wrong.Problems) + wrong.More
			text = wrong.Error()
		default:
			return err
		}

		if _, err := fmt.Fprintln(out, text); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}

	if problems > 0 {
		return errors.New(counted(problems, "problem", "problems"))
	}

	return nil
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}

	return fmt.Sprintf("%d %s", n, many)
}

// parsePolicies reads and parses a policy file.
func parsePolicies(name string) (*policies.Set, error) {
	in := io.Reader(os.Stdin)

	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err //nolint:wrapcheck // it names the file
		}
		defer file.Close() //nolint:errcheck // only read

		in = file
	}

	// One byte more than is allowed tells a file that is too large.
	content, err := io.ReadAll(io.LimitReader(in, policies.MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read policies: %w", err)
	}

	return policies.Parse(name, content)
}

// policyExplainCmd explains the policy of a service.
type policyExplainCmd struct {
	Service string            `arg:"" placeholder:"TENANT/NAME" help:"The service."`
	File    string            `name:"policy" type:"path" env:"TIDEMARK_POLICY" placeholder:"FILE" help:"Policy file; without one the built-in policy is explained."`
	Label   map[string]string `placeholder:"KEY=VALUE" help:"Labels of the service; may be repeated."`
}

// Run prints the policy.
func (c *policyExplainCmd) Run(out io.Writer) error {
	set := policies.Default()

	if c.File != "" {
		var err error
		if set, err = parsePolicies(c.File); err != nil {
			return err
		}
	}

	if _, err := io.WriteString(out, set.Explain(c.Service, c.Label)); err != nil {
		return fmt.Errorf("print: %w", err)
	}

	return nil
}
