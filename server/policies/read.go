package policies

import (
	"fmt"
	"io"
	"os"

	"github.com/tidemark-project/tidemark/recommender/policies"
)

// readFunc returns what a file holds.
type readFunc func(path string) ([]byte, error)

// readFile reads at most one byte more than a policy file may have. It follows symbolic links each time, as a mounted
// config map needs.
func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the file
	}
	defer file.Close() //nolint:errcheck // only read

	content, err := io.ReadAll(io.LimitReader(file, policies.MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}

	return content, nil
}
