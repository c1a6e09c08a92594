package clickhouse

import (
	"errors"
	"strings"

	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2"

	"github.com/tidemark-project/tidemark/recommender/usage"
)

// classify makes a usage.QueryError of an answer of ClickHouse that is about the query. Whatever else went wrong, from a
// connection that does not come up to a server that has too much to do, would befall any other query too.
func classify(err error) error {
	exception, answered := errors.AsType[*clickhouse.Exception](err)
	if !answered || outage(exception) {
		return err
	}

	return usage.QueryError{Err: err, Divisible: tooLarge(exception)}
}

// outage reports an answer that says that the server cannot serve anybody now. Of its many hundred codes these are the
// ones that no service is to blame for; the others are about the query.
func outage(e *clickhouse.Exception) bool {
	switch chproto.Error(e.Code) {
	case
		// It takes too long, was cut off, or the server is about to stop.
		chproto.ErrTimeoutExceeded, chproto.ErrTooSlow, chproto.ErrQueryWasCancelled, chproto.ErrAborted,
		chproto.ErrUnfinished, chproto.ErrDeadlockAvoided,
		// It has too much to do.
		chproto.ErrTooManySimultaneousQueries, chproto.ErrServerOverloaded, chproto.ErrQuotaExceeded,
		chproto.ErrCannotScheduleTask, chproto.ErrCannotAllocateMemory, chproto.ErrNotEnoughSpace,
		// It does not reach what it needs.
		chproto.ErrDNSError, chproto.ErrSocketTimeout, chproto.ErrNetworkError, chproto.ErrNoFreeConnection,
		chproto.ErrAllConnectionTriesFailed, chproto.ErrNoZookeeper, chproto.ErrUnexpectedZookeeperError,
		chproto.ErrKeeperException, chproto.ErrTooFewLiveReplicas, chproto.ErrAllReplicasAreStale,
		chproto.ErrAllReplicasLost, chproto.ErrReplicaStatusChanged, chproto.ErrS3Error, chproto.ErrAwsError,
		chproto.ErrUnexpectedEndOfFile, chproto.ErrAttemptToReadAfterEOF, chproto.ErrCannotReadFromFileDescriptor,
		chproto.ErrCannotOpenFile, chproto.ErrSystemError,
		// It lets nobody in, or has not the tables that every query needs.
		chproto.ErrAuthenticationFailed, chproto.ErrUnknownUser, chproto.ErrWrongPassword, chproto.ErrRequiredPassword,
		chproto.ErrAccessDenied, chproto.ErrUnknownTable, chproto.ErrUnknownDatabase, chproto.ErrUnknownIdentifier,
		chproto.ErrNoSuchColumnInTable,
		// It does not know what is wrong with itself.
		chproto.ErrPocoException, chproto.ErrStdException, chproto.ErrUnknownException:
		return true
	case chproto.ErrMemoryLimitExceeded:
		return !ofTheQuery(e)
	default:
		return false
	}
}

// tooLarge reports that a limit of the query was exceeded, which one of fewer services may keep.
func tooLarge(e *clickhouse.Exception) bool {
	switch chproto.Error(e.Code) {
	case chproto.ErrTooManyRows, chproto.ErrTooManyBytes, chproto.ErrTooManyRowsOrBytes, chproto.ErrLimitExceeded,
		chproto.ErrMemoryLimitExceeded, chproto.ErrQueryIsTooLarge, chproto.ErrSetSizeLimitExceeded:
		return true
	default:
		return false
	}
}

// ofTheQuery tells the memory limit of one query from those of the user and the server, which have the same code and
// which others use up too.
func ofTheQuery(e *clickhouse.Exception) bool {
	return strings.Contains(e.Message, "(for query)") || strings.Contains(strings.ToLower(e.Message), "query memory limit")
}
