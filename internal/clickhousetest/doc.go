// Package clickhousetest gives tests a ClickHouse server to talk to.
//
// [Start] returns the address of a server and the name of a database that is new and empty. Which server it is
// depends on the machine:
//
//   - the one that TIDEMARK_CLICKHOUSE_ADDR (host:port) names, with the user "default" and the password in
//     TIDEMARK_CLICKHOUSE_PASSWORD, if any;
//   - else ClickHouse's own server, of version 22.3 or newer, if one is on PATH: it is started on a free port;
//   - else the engine in this process, see package clickhousedev, if CHDB_LIB_PATH names its library or the library
//     is in the repository's .tools;
//   - else the test is skipped, or fails if TIDEMARK_REQUIRE_CLICKHOUSE=1.
//
// A process of tests starts one server and keeps it for all its tests. A package that uses this one must have
//
//	func TestMain(m *testing.M) { clickhousetest.Main(m) }
//
// which stops the server when the tests have run and then looks for leaked goroutines, in place of
// goleak.VerifyTestMain. To look for leaks within a test, pass [GoleakOptions] to goleak.VerifyNone.
//
// [Debian] starts the old server that Debian has, for tests of the wire.
package clickhousetest
