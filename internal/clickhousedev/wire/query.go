package wire

import (
	"fmt"

	"github.com/ClickHouse/ch-go/proto"
)

const (
	// maxQuery bounds the text of a query, in bytes. Inline data of an INSERT is part of it.
	maxQuery = 512 << 20
	// maxPairs bounds the number of settings and of parameters.
	maxPairs = 10_000

	flagImportant = 1
	flagCustom    = 2
)

// Setting is a setting or a parameter of a query.
type Setting struct {
	Name  string
	Value string
	// Important settings must be known to the server.
	Important bool
	// Custom values are dumps of typed values, such as a quoted string.
	Custom bool
}

// Query is a request to run a statement.
type Query struct {
	ID         string
	Text       string
	Settings   []Setting
	Parameters []Setting
	Compressed bool
}

// Query reads a query, after its code, from a client of the given revision.
func (r *Reader) Query(revision int) (Query, error) {
	var q Query
	var err error
	if q.ID, err = r.String(maxIdentifier); err != nil {
		return q, fmt.Errorf("query id: %w", err)
	}
	if err := r.skipClientInfo(revision); err != nil {
		return q, fmt.Errorf("client info: %w", err)
	}
	if q.Settings, err = r.settings(); err != nil {
		return q, fmt.Errorf("settings: %w", err)
	}
	if proto.FeatureInterServerSecret.In(revision) {
		if _, err := r.String(maxIdentifier); err != nil {
			return q, fmt.Errorf("secret: %w", err)
		}
	}
	if _, err := r.Uvarint(); err != nil {
		return q, fmt.Errorf("stage: %w", err)
	}
	compression, err := r.Uvarint()
	if err != nil {
		return q, fmt.Errorf("compression: %w", err)
	}
	q.Compressed = compression != 0
	if q.Text, err = r.String(maxQuery); err != nil {
		return q, fmt.Errorf("text: %w", err)
	}
	if proto.FeatureParameters.In(revision) {
		if q.Parameters, err = r.settings(); err != nil {
			return q, fmt.Errorf("parameters: %w", err)
		}
	}
	return q, nil
}

// settings reads pairs of names and values until an empty name.
func (r *Reader) settings() ([]Setting, error) {
	var list []Setting
	for range maxPairs {
		name, err := r.String(maxIdentifier)
		if err != nil || name == "" {
			return list, err
		}
		flags, err := r.Uvarint()
		if err != nil {
			return nil, fmt.Errorf("flags of %.100q: %w", name, err)
		}
		value, err := r.String(maxQuery)
		if err != nil {
			return nil, fmt.Errorf("value of %.100q: %w", name, err)
		}
		list = append(list, Setting{
			Name: name, Value: value,
			Important: flags&flagImportant != 0, Custom: flags&flagCustom != 0,
		})
	}
	return nil, fmt.Errorf("more than %d: %w", maxPairs, ErrLimit)
}

// Data reads the start of a packet of data, after its code, and returns the name of the table it is for: empty, or
// that of an external table. The block follows.
func (r *Reader) Data(revision int) (string, error) {
	if !proto.FeatureTempTables.In(revision) {
		return "", nil
	}
	name, err := r.String(maxIdentifier)
	if err != nil {
		return "", fmt.Errorf("table name: %w", err)
	}
	return name, nil
}
