// Package history turns a stream of samples of one service into the snapshots that the usage store would have answered
// with at any moment, so that a recommender can be tried on recorded usage.
//
// It computes what package usage/clickhouse does, by the same rules, but keeps its sums and orders from one moment to the
// next: a sample costs at most the logarithm of the samples in the longest window, and so does a snapshot for each of its
// windows. Histograms cost as much as they have buckets.
//
// Time is counted in whole minutes, as there: the age of a minute is how many minutes the clock is past it, and a window
// of L minutes holds the ages 0 to L-1.
package history
