package watch

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
)

// tokenVersion is the first byte of every token, so that a later layout can be told from this one.
const tokenVersion = 1

var errMalformedToken = errors.New("the resume token is malformed")

// encodeToken makes the opaque token for "everything up to this revision of this epoch has been seen".
func encodeToken(epoch string, revision int64) string {
	raw := make([]byte, 0, 2+len(epoch)+binary.MaxVarintLen64)
	raw = append(raw, tokenVersion, byte(len(epoch))) //nolint:gosec // epochs are ours and short
	raw = append(raw, epoch...)
	raw = binary.AppendVarint(raw, revision)

	return base64.RawURLEncoding.EncodeToString(raw)
}

// decodeToken is the inverse of encodeToken.
func decodeToken(token string) (epoch string, revision int64, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return "", 0, fmt.Errorf("%w: %w", errMalformedToken, err)
	}

	const header = 2

	if len(raw) < header || raw[0] != tokenVersion || len(raw) < header+int(raw[1]) {
		return "", 0, errMalformedToken
	}

	end := header + int(raw[1])

	revision, n := binary.Varint(raw[end:])
	if n <= 0 || end+n != len(raw) || revision < 0 {
		return "", 0, errMalformedToken
	}

	return string(raw[header:end]), revision, nil
}
