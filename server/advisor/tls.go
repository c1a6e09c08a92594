package advisor

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"github.com/tidemark-project/tidemark/recommender/external"
)

// tlsConfig trusts the certificates of the endpoint's file, or those of the system.
func tlsConfig(endpoint external.Endpoint) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}

	if endpoint.CAFile == "" {
		return config, nil
	}

	pem, err := os.ReadFile(endpoint.CAFile)
	if err != nil {
		return nil, fmt.Errorf("certificates: %w", err)
	}

	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("certificates: %s holds none in PEM", endpoint.CAFile)
	}

	return config, nil
}
