package tidemark

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
)

var (
	errPlaintextAndTLS = errors.New("plaintext and TLS are both asked for")
	errNoCertificate   = errors.New("holds no certificate in PEM form")
	errHalfKeyPair     = errors.New("a client certificate needs both the certificate's file and the key's")
)

// TLS names the files of a TLS connection. All may be empty: then the system's roots verify the server, and the client
// shows no certificate.
type TLS struct {
	// CAFile holds the authorities that may have signed the server's certificate, in PEM form.
	CAFile string
	// CertFile and KeyFile hold the client's certificate and key, in PEM form. They are read again at every connection,
	// so that a renewed certificate needs no restart.
	CertFile, KeyFile string
	// ServerName is the name the server's certificate must bear; the target's host when empty.
	ServerName string
}

// config reads the files, so that a wrong one is found at once and not at the first connection.
func (t TLS) config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: t.ServerName}

	if t.CAFile != "" {
		pem, err := os.ReadFile(t.CAFile)
		if err != nil {
			return nil, fmt.Errorf("read the certificate authorities: %w", err)
		}

		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s %w", t.CAFile, errNoCertificate)
		}
	}

	if t.CertFile == "" && t.KeyFile == "" {
		return config, nil
	}

	if t.CertFile == "" || t.KeyFile == "" {
		return nil, errHalfKeyPair
	}

	if _, err := t.clientCertificate(nil); err != nil {
		return nil, err
	}

	config.GetClientCertificate = t.clientCertificate

	return config, nil
}

func (t TLS) clientCertificate(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	certificate, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("read the client certificate: %w", err)
	}

	return &certificate, nil
}
