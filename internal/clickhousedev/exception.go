package clickhousedev

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/chdb"
)

// exception is an error that the client is told of, and after which the connection goes on.
type exception struct {
	code    proto.Error
	message string
}

func (e *exception) Error() string { return fmt.Sprintf("code %d: %s", int(e.code), e.message) }

func refuse(code proto.Error, format string, args ...any) *exception {
	return &exception{code: code, message: fmt.Sprintf(format, args...)}
}

var (
	// engineError matches the engine's errors: code, message and the name of the code.
	engineError = regexp.MustCompile(`(?s)^Code: (\d+)\. (?:DB::Exception: )?(.*?)(?: \([A-Z][A-Z0-9_]+\))?(?: \(version [^()]*\))?$`)
	streaming   = regexp.MustCompile(`Streaming query is not supported`)
)

// asException turns an error of the engine into an exception. Other errors are returned as they are.
func asException(err error) error {
	var fromEngine *chdb.Error
	if !errors.As(err, &fromEngine) {
		return err
	}
	m := engineError.FindStringSubmatch(fromEngine.Message)
	if m == nil {
		return &exception{code: proto.ErrUnknownException, message: fromEngine.Message}
	}
	code, err := strconv.Atoi(m[1])
	if err != nil {
		code = int(proto.ErrUnknownException)
	}
	return &exception{code: proto.Error(code), message: m[2]}
}

// hasCode reports whether an error is the exception of a code.
func hasCode(err error, code proto.Error) bool {
	var e *exception
	return errors.As(err, &e) && e.code == code
}

// notStreamable reports whether the engine refused to stream a statement.
func notStreamable(err error) bool {
	var fromEngine *chdb.Error
	return errors.As(err, &fromEngine) && streaming.MatchString(fromEngine.Message)
}

// encode appends the packet of the exception.
func (e *exception) encode(b *proto.Buffer, revision int) {
	proto.ServerCodeException.Encode(b)
	const name = "DB::Exception"
	x := proto.Exception{Code: e.code, Name: name, Message: name + ": " + e.message}
	x.EncodeAware(b, revision)
}
