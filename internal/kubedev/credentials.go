package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// credentials are paths of PEM files. They are made anew at every start and last a day.
type credentials struct {
	authority            string // the certificate that signed the others
	server, serverKey    string // for 127.0.0.1
	admin, adminKey      string // a client's, in the group that RBAC lets do anything
	serviceAccountSigner string // a key that signs the tokens of service accounts
}

// authority signs certificates.
type authority struct {
	dir         string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func makeCredentials(dir string) (*credentials, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	signer := &authority{dir: dir}
	path, _, err := signer.sign("authority", &x509.Certificate{
		Subject:  pkix.Name{CommonName: "kubedev"},
		IsCA:     true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	})
	if err != nil {
		return nil, err
	}
	made := &credentials{authority: path, serviceAccountSigner: filepath.Join(dir, "service-account.key")}
	made.server, made.serverKey, err = signer.sign("server", &x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:    []string{"localhost"},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	if err != nil {
		return nil, err
	}
	made.admin, made.adminKey, err = signer.sign("admin", &x509.Certificate{
		Subject:     pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		return nil, err
	}
	_, err = newKey(made.serviceAccountSigner)
	return made, err
}

// sign writes a certificate and its key, and returns their paths. The first one signs itself and then the others.
func (a *authority) sign(name string, template *x509.Certificate) (certificatePath, keyPath string, err error) {
	certificatePath, keyPath = filepath.Join(a.dir, name+".crt"), filepath.Join(a.dir, name+".key")
	key, err := newKey(keyPath)
	if err != nil {
		return "", "", err
	}
	now := time.Now()
	template.SerialNumber = big.NewInt(now.UnixNano())
	template.NotBefore, template.NotAfter = now.Add(-time.Hour), now.Add(24*time.Hour)
	template.BasicConstraintsValid = true
	if a.key == nil {
		a.certificate, a.key = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		return "", "", fmt.Errorf("sign %s: %w", name, err)
	}
	return certificatePath, keyPath, writePEM(certificatePath, "CERTIFICATE", der)
}

func newKey(path string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encode a key: %w", err)
	}
	return key, writePEM(path, "EC PRIVATE KEY", der)
}

func writePEM(path, kind string, der []byte) error {
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}
