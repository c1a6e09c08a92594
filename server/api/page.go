package api

import (
	"encoding/base64"
	"encoding/binary"
	"hash/fnv"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
	"github.com/tidemark-project/tidemark/server/rpcerror"
)

// listKey condenses what has to be the same for all pages of a list: which list it is, and of what.
func listKey(arguments proto.Message) uint64 {
	sum := fnv.New64a()

	// Marshalling a message that was just unmarshalled cannot fail; if it did, tokens would only be less strict.
	raw, _ := proto.MarshalOptions{Deterministic: true}.Marshal(arguments)
	_, _ = sum.Write([]byte(arguments.ProtoReflect().Descriptor().FullName()))
	_, _ = sum.Write(raw)

	return sum.Sum64()
}

// encodePageToken makes the opaque token for "go on after this service".
func encodePageToken(after string, key uint64) string {
	raw := binary.BigEndian.AppendUint64(nil, key)

	return base64.RawURLEncoding.EncodeToString(append(raw, after...))
}

// decodePageToken is the inverse of encodePageToken; an empty token is the start of the list.
func decodePageToken(token string, key uint64) (after string, err error) {
	if token == "" {
		return "", nil
	}

	const keyLength = 8

	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) < keyLength || binary.BigEndian.Uint64(raw) != key {
		return "", invalidPageToken()
	}

	return string(raw[keyLength:]), nil
}

func invalidPageToken() error {
	return rpcerror.New(codes.InvalidArgument, tidemarkv1.ErrorReason_ERROR_REASON_INVALID_PAGE_TOKEN,
		"page_token was not made by this server for a list with the same arguments: start again without it")
}
