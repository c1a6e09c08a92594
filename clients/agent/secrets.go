package agent

import (
	"bytes"
	"errors"
	"fmt"
	"os"
)

// minSecret is the least length of a secret, in bytes. Shorter ones can be guessed.
const minSecret = 16

var errSecret = errors.New("a webhook's secret is not usable")

// SecretFiles returns a WebhookConfig.Secrets that reads one secret from each file: all that is in it but spaces and line
// ends at both ends. The files are read for every request, so a new secret needs no restart.
func SecretFiles(paths ...string) func() ([][]byte, error) {
	return func() ([][]byte, error) {
		secrets := make([][]byte, len(paths))

		for i, path := range paths {
			content, err := os.ReadFile(path)
			if err != nil {
				return nil, fmt.Errorf("read a webhook's secret: %w", err)
			}

			secrets[i] = bytes.TrimSpace(content)
			if len(secrets[i]) < minSecret {
				return nil, fmt.Errorf("%w: %s holds %d bytes, at least %d are needed", errSecret, path, len(secrets[i]), minSecret)
			}
		}

		return secrets, nil
	}
}

// usable returns the secrets if requests can be signed with them.
func usable(from func() ([][]byte, error)) ([][]byte, error) {
	secrets, err := from()
	if err != nil {
		return nil, err
	}

	if len(secrets) == 0 {
		return nil, fmt.Errorf("%w: there is none", errSecret)
	}

	for _, secret := range secrets {
		if len(secret) < minSecret {
			return nil, fmt.Errorf("%w: it has %d bytes, at least %d are needed", errSecret, len(secret), minSecret)
		}
	}

	return secrets, nil
}
