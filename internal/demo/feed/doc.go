// Package feed writes what a fleet uses into ClickHouse, as a scraper of metrics and an inventory of services would: its
// history in one go, and from then on sample by sample.
package feed
