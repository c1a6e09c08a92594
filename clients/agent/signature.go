package agent

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	// TimestampHeader says when a webhook's request was signed, in seconds since 1970.
	TimestampHeader = "Tidemark-Timestamp"
	// SignatureHeader bears one signature per secret, separated by commas: "v1=5257a8…,v1=b40c1d…".
	SignatureHeader = "Tidemark-Signature"

	signatureVersion = "v1="
)

// ErrSignature is in every error of VerifySignature.
var ErrSignature = errors.New("the request is not signed as it should be")

// VerifySignature checks that a webhook's request comes from an agent that knows the secret, and that it was signed within
// the tolerance before or after now; 5 minutes are usual. It is for receivers, who give the request's header and its body
// as it came. The error says what is wrong and is not for the sender to see.
//
// A receiver in another language does the same: the header Tidemark-Signature has, separated by commas, signatures of the
// form "v1=" and 64 hexadecimal digits. One of them has to equal, compared in constant time, the HMAC-SHA256, keyed with
// the secret, of the text of the header Tidemark-Timestamp, a full stop, and the body. Parts that begin otherwise are to
// be passed over.
//
// While a secret is replaced by another, the agent signs with both, and a receiver need know only one of them.
//
// A signature does not keep somebody who has seen a request from sending it again within the tolerance: the service and
// the revision in the body tell that it was there before.
func VerifySignature(secret []byte, header http.Header, body []byte, now time.Time, tolerance time.Duration) error {
	if len(secret) == 0 {
		return fmt.Errorf("%w: there is no secret to check it with", ErrSignature)
	}

	stamp := header.Get(TimestampHeader)

	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: %s is %q, not a number of seconds", ErrSignature, TimestampHeader, stamp)
	}

	if away := now.Sub(time.Unix(seconds, 0)).Abs(); away > tolerance {
		return fmt.Errorf("%w: it was signed %s away from now, more than %s", ErrSignature, away.Round(time.Second), tolerance)
	}

	want := signature(secret, stamp, body)

	for part := range strings.SplitSeq(header.Get(SignatureHeader), ",") {
		encoded, known := strings.CutPrefix(strings.TrimSpace(part), signatureVersion)
		if !known {
			continue
		}

		if got, err := hex.DecodeString(encoded); err == nil && hmac.Equal(got, want) {
			return nil
		}
	}

	return fmt.Errorf("%w: no signature in %s is right", ErrSignature, SignatureHeader)
}

// sign sets the headers that VerifySignature checks.
func sign(header http.Header, secrets [][]byte, body []byte, now time.Time) {
	stamp := strconv.FormatInt(now.Unix(), 10)
	parts := make([]string, len(secrets))

	for i, secret := range secrets {
		parts[i] = signatureVersion + hex.EncodeToString(signature(secret, stamp, body))
	}

	header.Set(TimestampHeader, stamp)
	header.Set(SignatureHeader, strings.Join(parts, ","))
}

func signature(secret []byte, stamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(stamp + "."))
	mac.Write(body)

	return mac.Sum(nil)
}
