// Package workload is a model of what a fleet of database services uses. It is made up, and it is pure: the same seed
// gives the same fleet, and the same service at the same moment the same use, in every run and on every machine.
//
// # Classes
//
// Each service follows one of five patterns. Of every 20 services
//
//	class      services   share   CPU                                        memory
//	flat           8       40 %   84 to 100 % of the peak, always            the peak, less at most 64 MiB or 2 %
//	daily          6       30 %   a wave of 24 h from 25 to 100 %            follows, from 70 to 100 %
//	bursts         2       10 %   20 %; in every second 2 h, on average,     50 % at rest, the burst's share of the
//	                              one burst of 15 to 40 min to 70 to 100 %   other half on top
//	growth         2       10 %   from 35 to 85 % in the 30 h before the     follows, from 74 to 94 %
//	                              origin, and on at that pace to 150 %
//	restarts       2       10 %   80 %; 100 % in the 5 min after a           falls to 15 % at a restart, every 4 to 9 h,
//	                              restart, while caches fill                 each replica at its own time; back in 40 min
//
// Shares of the peak are those of the busiest replica, which is the first; the others have 88 to 100 % of it. A noise of
// a few per cent, new every 15 seconds, lies over the CPU. Queries hold between a tenth and a half of the resident
// memory, in proportion to the CPU. Daily waves have their peak at some hour from 8 to 20 UTC, each service at its own.
//
// # Sizes
//
// A peak is about 55 % of a sensible CPU allocation, which lies in the middle of the band in which the two-window rule
// keeps CPU, and memory is allocated with the headroom that the rule gives to such a service. Of every 10 services 7
// have that sensible allocation, 2 have two to four times as much of CPU, memory or both, and 1 has too little: half the
// CPU, so that it is always at its limit, and memory that its peak fills to 95 %. So a first sweep leaves most services
// as they are and has something to do in both directions.
//
// # Limits
//
// What a service wants is its Demand. What it gets depends on its allocation: CPU ends at the allocation, and memory
// too, and a service that wants more memory than it has refuses work (Demand.Under).
package workload
