package wire

import "fmt"

// maxIdentifier bounds names, passwords and the like, in bytes.
const maxIdentifier = 64 << 10

// Hello is the first packet of a client.
type Hello struct {
	ClientName string
	Revision   int
	Database   string
	User       string
	Password   string
}

// Hello reads the first packet of a client, after its code.
func (r *Reader) Hello() (Hello, error) {
	var h Hello
	var err error
	if h.ClientName, err = r.String(maxIdentifier); err != nil {
		return h, fmt.Errorf("client name: %w", err)
	}
	var numbers [3]uint64
	for i := range numbers {
		if numbers[i], err = r.Uvarint(); err != nil {
			return h, fmt.Errorf("client version: %w", err)
		}
	}
	const maxRevision = 1 << 20
	h.Revision = int(min(numbers[2], maxRevision))
	for _, field := range []*string{&h.Database, &h.User, &h.Password} {
		if *field, err = r.String(maxIdentifier); err != nil {
			return h, fmt.Errorf("credentials: %w", err)
		}
	}
	return h, nil
}

// Addendum reads what a client adds to its hello once it knows the server's revision.
func (r *Reader) Addendum() error {
	if _, err := r.String(maxIdentifier); err != nil {
		return fmt.Errorf("quota key: %w", err)
	}
	return nil
}
