package clickhousetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Certificate makes a certificate for 127.0.0.1, and the configuration of a client that trusts it.
func Certificate(tb testing.TB) (tls.Certificate, *tls.Config) {
	tb.Helper()
	certificate, key, client, err := selfSigned(tb.TempDir())
	if err != nil {
		tb.Fatalf("make a certificate: %v", err)
	}
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		tb.Fatalf("read the certificate: %v", err)
	}
	return pair, client
}

// selfSigned writes a certificate for 127.0.0.1 and its key to a directory, and returns their paths and the
// configuration of a client that trusts it.
func selfSigned(dir string) (certificate, key string, client *tls.Config, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", nil, fmt.Errorf("make a key: %w", err)
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "clickhousetest"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(24 * time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		return "", "", nil, fmt.Errorf("sign: %w", err)
	}
	keyDER, err := x509.MarshalECPrivateKey(private)
	if err != nil {
		return "", "", nil, fmt.Errorf("encode the key: %w", err)
	}
	certificate, key = filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key")
	if err := writePEM(certificate, "CERTIFICATE", der); err != nil {
		return "", "", nil, err
	}
	if err := writePEM(key, "EC PRIVATE KEY", keyDER); err != nil {
		return "", "", nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return "", "", nil, fmt.Errorf("read the certificate: %w", err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return certificate, key, &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

func writePEM(path, kind string, der []byte) error {
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}
