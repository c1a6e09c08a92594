package agent

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestASignatureIsWhatItIsSaidToBe compares with what OpenSSL computes: printf '1764590400.{"service":"a/x"}' | openssl
// dgst -sha256 -hmac 0123456789abcdef.
func TestASignatureIsWhatItIsSaidToBe(t *testing.T) {
	t.Parallel()

	header := make(http.Header)
	sign(header, [][]byte{[]byte("0123456789abcdef")}, []byte(`{"service":"a/x"}`), time.Unix(1764590400, 0))

	require.Equal(t, "1764590400", header.Get("Tidemark-Timestamp"))
	require.Equal(t, "v1=d85b65d4e121c7ae452a06bad04d525a2fc57714363afb521edf3d3124feadee", header.Get("Tidemark-Signature"))
}

func TestVerifySignature(t *testing.T) {
	t.Parallel()

	var (
		now     = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
		secret  = []byte("0123456789abcdef")
		another = []byte("fedcba9876543210")
		body    = []byte(`{"service":"a/x"}`)
	)

	signed := func(at time.Time, secrets ...[]byte) http.Header {
		header := make(http.Header)
		sign(header, secrets, body, at)

		return header
	}
	with := func(name, value string) http.Header {
		header := signed(now, secret)
		header.Set(name, value)

		return header
	}
	good := signed(now, secret).Get(SignatureHeader)

	for name, header := range map[string]http.Header{
		"signed":                {TimestampHeader: signed(now, secret)[TimestampHeader], SignatureHeader: {good}},
		"a little late":         signed(now.Add(-time.Minute), secret),
		"a little early":        signed(now.Add(time.Minute), secret),
		"while it is replaced":  signed(now, another, secret),
		"beside later versions": with(SignatureHeader, "v9=zz, "+good+",v1=zz"),
	} {
		require.NoError(t, VerifySignature(secret, header, body, now, time.Minute), name)
	}

	for want, header := range map[string]http.Header{
		`Tidemark-Timestamp is "", not a number`:      {SignatureHeader: {good}},
		`Tidemark-Timestamp is "today", not a number`: with(TimestampHeader, "today"),
		"signed 1m1s away from now, more than 1m0s":   signed(now.Add(-61*time.Second), secret),
		"signed 1m2s away from now, more than 1m0s":   signed(now.Add(62*time.Second), secret),
		"no signature in Tidemark-Signature is right": with(TimestampHeader, strconv.FormatInt(now.Unix()+1, 10)),
	} {
		err := VerifySignature(secret, header, body, now, time.Minute)
		require.ErrorIs(t, err, ErrSignature)
		require.ErrorContains(t, err, want)
	}

	for _, header := range []http.Header{
		signed(now, another), with(SignatureHeader, ""), with(SignatureHeader, good[3:]), with(SignatureHeader, good[:20]),
		with(SignatureHeader, "v1="), with(SignatureHeader, "v2="+good[3:]),
	} {
		require.ErrorIs(t, VerifySignature(secret, header, body, now, time.Minute), ErrSignature, header)
	}

	require.ErrorIs(t, VerifySignature(secret, signed(now, secret), []byte("{}"), now, time.Minute), ErrSignature)
	require.ErrorIs(t, VerifySignature(nil, signed(now, nil), body, now, time.Minute), ErrSignature, "nothing is no secret")
}

func TestAnySecretOfTheSenderWillDo(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(t *rapid.T) {
		secrets := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), minSecret, 40), 1, 4).Draw(t, "secrets")
		body := rapid.SliceOf(rapid.Byte()).Draw(t, "body")
		now := time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "now"), 0)

		header := make(http.Header)
		sign(header, secrets, body, now)

		for _, secret := range secrets {
			require.NoError(t, VerifySignature(secret, header, body, now, 0))
			require.Error(t, VerifySignature(secret, header, append(body, 'x'), now, 0))
			require.Error(t, VerifySignature(append(secret, 'x'), header, body, now, 0))
		}
	})
}

func TestSecretsMustBeUsable(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	short, missing := filepath.Join(dir, "short"), filepath.Join(dir, "missing")
	require.NoError(t, os.WriteFile(short, []byte("  0123456789abcde \n"), 0o600))

	for want, secrets := range map[string]func() ([][]byte, error){
		short + " holds 15 bytes, at least 16 are needed": SecretFiles(short),
		"missing: no such file":                           SecretFiles(missing),
		"there is none":                                   SecretFiles(),
		"it has 3 bytes, at least 16 are needed":          func() ([][]byte, error) { return [][]byte{[]byte("abc")}, nil },
		"no vault":                                        func() ([][]byte, error) { return nil, errors.New("no vault") },
	} {
		_, err := NewWebhook(WebhookConfig{URL: "http://hook.test", Secrets: secrets})
		require.ErrorContains(t, err, want)
	}
}

// TestASecretIsReplacedWhileTheAgentRuns does what an operator does: add the new one, tell the receiver, take the old away.
func TestASecretIsReplacedWhileTheAgentRuns(t *testing.T) {
	t.Parallel()

	before, after := []byte("the secret of yesterday"), []byte("the secret of tomorrow")
	first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")

	require.NoError(t, os.WriteFile(first, append(before, '\n'), 0o600))
	require.NoError(t, os.WriteFile(second, before, 0o600))

	knows := map[string]bool{}
	hook, err := NewWebhook(WebhookConfig{
		URL: "http://hook.test", Secrets: SecretFiles(first, second),
		Header: http.Header{"Tidemark-Signature": {"forged"}},
		Transport: roundTrip(func(request *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(request.Body)
			if err != nil {
				return nil, err
			}

			knows["before"] = VerifySignature(before, request.Header, body, time.Now(), time.Minute) == nil
			knows["after"] = VerifySignature(after, request.Header, body, time.Now(), time.Minute) == nil

			return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
		}),
	})
	require.NoError(t, err)

	apply := func() map[string]bool {
		require.NoError(t, hook.Apply(context.Background(), advice("a/x", 1, 2)))

		return knows
	}

	require.Equal(t, map[string]bool{"before": true, "after": false}, apply())
	require.NoError(t, os.WriteFile(second, after, 0o600))
	require.Equal(t, map[string]bool{"before": true, "after": true}, apply())
	require.NoError(t, os.WriteFile(first, after, 0o600))
	require.Equal(t, map[string]bool{"before": false, "after": true}, apply())

	require.NoError(t, os.Remove(first))
	err = hook.Apply(t.Context(), advice("a/x", 1, 2))
	require.ErrorContains(t, err, "read a webhook's secret")
	require.False(t, permanent(err), "it is tried again")
}
