package watch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"net"
	"net/url"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"

	"github.com/tidemark-project/tidemark/server/store"
)

func TestTheNumberOfWatchersIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, store.NewMemory(), func(c *Config) { c.MaxWatchers = 2 })
		first, second := open(t, h, all, &request{}), open(t, h, all, &request{})

		synctest.Wait()
		require.Equal(t, 2, h.Watchers())
		require.ErrorIs(t, h.Stream(t.Context(), &request{}, nil), ErrTooManyWatchers)

		first.stop()

		third := open(t, h, all, &request{})

		synctest.Wait()
		require.Equal(t, []string{"end 0"}, texts(third.taken()))
		second.stop()
		third.stop()
		require.Zero(t, h.Watchers())
	})
}

// from is the context of a call from an address, with a certificate that was verified when it is not nil.
func from(ctx context.Context, host string, port int, certificate *x509.Certificate) context.Context {
	caller := &peer.Peer{Addr: &net.TCPAddr{IP: net.ParseIP(host), Port: port}}
	if certificate != nil {
		caller.AuthInfo = credentials.TLSInfo{
			State: tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{{certificate}}},
		}
	}

	return peer.NewContext(ctx, caller)
}

func TestOneClientCannotTakeAllStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, store.NewMemory(), func(c *Config) { c.MaxWatchersPerClient = 2 })
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 3)

		watch := func(ctx context.Context) {
			go func() { ended <- h.Stream(ctx, &request{}, func(*event) error { return nil }) }()

			synctest.Wait()
		}

		watch(from(ctx, "10.0.0.1", 1, nil))
		watch(from(ctx, "10.0.0.1", 2, nil))

		err := h.Stream(from(ctx, "10.0.0.1", 3, nil), &request{}, nil)
		require.ErrorIs(t, err, ErrTooManyWatchers)
		require.ErrorContains(t, err, "10.0.0.1")

		watch(from(ctx, "10.0.0.2", 1, nil))
		require.Equal(t, 3, h.Watchers(), "another client is let in")

		cancel()

		for range 3 {
			require.ErrorIs(t, <-ended, context.Canceled)
		}

		ctx, cancel = context.WithCancel(t.Context())
		watch(from(ctx, "10.0.0.1", 1, nil))
		require.Equal(t, 1, h.Watchers(), "and whoever has left may come back")
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
}

func TestWhoseACallIs(t *testing.T) {
	agent := &url.URL{Scheme: "spiffe", Host: "example.net", Path: "/agent"}

	for name, c := range map[string]struct {
		ctx  context.Context
		want string
	}{
		"nobody's":           {t.Context(), ""},
		"without a port":     {peer.NewContext(t.Context(), &peer.Peer{Addr: &net.UnixAddr{Name: "socket"}}), ""},
		"an address's":       {from(t.Context(), "10.0.0.1", 7, nil), "10.0.0.1"},
		"a long address's":   {from(t.Context(), "2001:db8::1", 7, nil), "2001:db8::1"},
		"a workload's":       {from(t.Context(), "10.0.0.1", 7, &x509.Certificate{URIs: []*url.URL{agent}}), agent.String()},
		"a host's":           {from(t.Context(), "10.0.0.1", 7, &x509.Certificate{DNSNames: []string{"a.b"}}), "a.b"},
		"a person's":         {from(t.Context(), "10.0.0.1", 7, &x509.Certificate{Subject: pkix.Name{CommonName: "ana"}}), "ana"},
		"a nameless address": {from(t.Context(), "10.0.0.1", 7, &x509.Certificate{}), "10.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, clientOf(c.ctx)) })
	}
}
