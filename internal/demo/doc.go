// Package demo runs the whole product on one machine for people to look at: a ClickHouse, the server, both sources and
// an agent as processes of their own, on a fleet of made-up or recorded services. One service then runs out of memory,
// and what becomes of that is shown as it happens.
//
// The demonstration itself plays the parts that are not Tidemark's: the scraper that writes samples into ClickHouse, the
// platform that gives a service the size that the agent is told, and the load.
package demo
