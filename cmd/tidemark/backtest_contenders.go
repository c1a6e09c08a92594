package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tidemark-project/tidemark/recommender/backtest"
	"github.com/tidemark-project/tidemark/recommender/policies"
	"github.com/tidemark-project/tidemark/recommender/policy"
)

// wholeFile is the contender that sizes each service by the policy that matches it.
const wholeFile = "file"

// contenders are who sizes.
func (c *backtestCmd) contenders() ([]backtest.Contender, error) {
	set, err := c.policySet()
	if err != nil {
		return nil, err
	}

	names := c.Recommender
	if len(names) == 0 {
		names = backtest.Usual()
		if c.Policy != "" {
			names = []string{wholeFile}
		}
	}

	var contenders []backtest.Contender

	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, fmt.Errorf("--recommender names %q twice", name)
		}

		contender, err := c.contender(name, set)
		if err != nil {
			return nil, fmt.Errorf("--recommender: %w", err)
		}

		contenders = append(contenders, contender)
	}

	return contenders, nil
}

func (c *backtestCmd) policySet() (*policies.Set, error) {
	if c.Policy == "" {
		return policies.Default(), nil
	}

	content, err := os.ReadFile(c.Policy)
	if err != nil {
		return nil, fmt.Errorf("read the policies: %w", err)
	}

	return policies.Parse(c.Policy, content)
}

// contender finds a name: the file's policies come before what is built in.
func (c *backtestCmd) contender(name string, set *policies.Set) (backtest.Contender, error) {
	match := func(service *backtest.Series) *policies.Effective { return set.For(service.Service, service.Labels) }

	if name == wholeFile && c.Policy != "" {
		return sizedBy(name, match), nil
	}

	var ofFile []string

	for _, effective := range set.Policies() {
		if c.Policy != "" && effective.Policy.Name == name {
			return sizedBy(name, func(*backtest.Series) *policies.Effective { return &effective }), nil
		}

		ofFile = append(ofFile, effective.Policy.Name)
	}

	contender, err := backtest.Builtin(name, func(service *backtest.Series) policy.Policy { return match(service).Policy })

	switch {
	case err == nil:
		return contender, nil
	case c.Policy == "":
		return contender, fmt.Errorf("%w; --policy adds its own", err)
	default:
		return contender, fmt.Errorf("%w, %s for all of %s, and its policies %s",
			err, wholeFile, c.Policy, strings.Join(ofFile, ", "))
	}
}

// sizedBy sizes each service by a policy. An outside recommender cannot be asked about the past.
func sizedBy(name string, find func(*backtest.Series) *policies.Effective) backtest.Contender {
	return backtest.Recommended(name, nil, func(service *backtest.Series) (backtest.Sizing, error) {
		effective := find(service)
		if effective.External != nil {
			return backtest.Sizing{}, fmt.Errorf("policy %q asks an outside recommender, which cannot be asked about the past",
				effective.Policy.Name)
		}

		return backtest.Sizing{
			Policy: effective.Policy, Recommender: effective.Recommender, Request: effective.Request,
		}, nil
	})
}
