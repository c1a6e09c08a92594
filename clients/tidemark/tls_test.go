package tidemark_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	"github.com/tidemark-project/tidemark/clients/tidemark"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// identity writes a self-signed certificate for tidemark.test and its key, which is also its own authority.
func identity(t *testing.T) (files tidemark.TLS) {
	t.Helper()

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)

	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "tidemark.test"},
		DNSNames:              []string{"tidemark.test"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
	}

	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)

	der, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)

	write := func(name, kind string, content []byte) string {
		path := filepath.Join(t.TempDir(), name)
		block := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content})
		require.NoError(t, os.WriteFile(path, block, 0o600))

		return path
	}

	cert := write("cert.pem", "CERTIFICATE", certificate)

	return tidemark.TLS{
		CAFile: cert, CertFile: cert, KeyFile: write("key.pem", "EC PRIVATE KEY", der), ServerName: "tidemark.test",
	}
}

// serveTLS starts a server that asks for a client certificate, and returns its address.
func serveTLS(t *testing.T, files tidemark.TLS) string {
	t.Helper()

	certificate, err := tls.LoadX509KeyPair(files.CertFile, files.KeyFile)
	require.NoError(t, err)

	roots := x509.NewCertPool()
	leaf, err := x509.ParseCertificate(certificate.Certificate[0])
	require.NoError(t, err)
	roots.AddCert(leaf)

	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "localhost:0")
	require.NoError(t, err)

	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(&tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{certificate},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: roots,
	})))
	tidemarkv1.RegisterRecommendationServiceServer(server, tidemarkv1.UnimplementedRecommendationServiceServer{})

	done := make(chan error)
	go func() { done <- server.Serve(listener) }()

	t.Cleanup(func() {
		server.Stop()
		require.NoError(t, <-done)
	})

	return listener.Addr().String()
}

func TestTLSWithAClientCertificate(t *testing.T) {
	t.Parallel()

	files := identity(t)
	address := serveTLS(t, files)

	unverified := files
	unverified.CAFile = ""

	nameless := files
	nameless.ServerName = ""

	for _, c := range []struct {
		option tidemark.Option
		want   codes.Code
	}{
		{tidemark.WithTLS(files), codes.Unimplemented}, // the call came through
		{tidemark.WithTLS(unverified), codes.Unavailable},
		{tidemark.WithTLS(nameless), codes.Unavailable},
		{tidemark.WithTLSConfig(&tls.Config{MinVersion: tls.VersionTLS13}), codes.Unavailable},
	} {
		client, err := tidemark.Dial(address, c.option)
		require.NoError(t, err)

		_, err = client.BatchEnqueue(t.Context(), []*tidemarkv1.EnqueueRequest{{}})
		require.Equal(t, c.want, status.Code(err), "%v", err)
		require.NoError(t, client.Close())
	}
}
