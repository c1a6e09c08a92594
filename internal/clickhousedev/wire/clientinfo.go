package wire

import (
	"fmt"

	"github.com/ClickHouse/ch-go/proto"
)

// skipClientInfo reads what a client says about itself with each query, and keeps nothing of it.
func (r *Reader) skipClientInfo(revision int) error {
	kind, err := r.ReadByte()
	if err != nil {
		return fmt.Errorf("kind: %w", err)
	}
	if kind == 0 {
		return nil
	}
	if err := r.skipStrings(3); err != nil {
		return err
	}
	if proto.FeatureQueryStartTime.In(revision) {
		if err := r.Skip(8); err != nil {
			return err
		}
	}
	via, err := r.ReadByte()
	if err != nil {
		return fmt.Errorf("interface: %w", err)
	}
	if proto.Interface(via) != proto.InterfaceTCP {
		return fmt.Errorf("interface %d of the client is not TCP", via)
	}
	if err := r.skipStrings(3); err != nil {
		return err
	}
	if err := r.skipNumbers(3); err != nil {
		return err
	}
	return r.skipRecentInfo(revision)
}

// skipRecentInfo reads the fields that newer revisions add.
func (r *Reader) skipRecentInfo(revision int) error {
	if proto.FeatureQuotaKeyInClientInfo.In(revision) {
		if err := r.skipStrings(1); err != nil {
			return err
		}
	}
	if proto.FeatureDistributedDepth.In(revision) {
		if err := r.skipNumbers(1); err != nil {
			return err
		}
	}
	if proto.FeatureVersionPatch.In(revision) {
		if err := r.skipNumbers(1); err != nil {
			return err
		}
	}
	if proto.FeatureOpenTelemetry.In(revision) {
		if err := r.skipSpan(); err != nil {
			return err
		}
	}
	if proto.FeatureParallelReplicas.In(revision) {
		return r.skipNumbers(3)
	}
	return nil
}

// skipSpan reads the trace that the query is part of, if any.
func (r *Reader) skipSpan() error {
	has, err := r.ReadByte()
	if err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	if has == 0 {
		return nil
	}
	const traceAndSpan = 16 + 8
	if err := r.Skip(traceAndSpan); err != nil {
		return err
	}
	if err := r.skipStrings(1); err != nil {
		return err
	}
	return r.Skip(1)
}

func (r *Reader) skipStrings(n int) error {
	for range n {
		if _, err := r.String(maxIdentifier); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) skipNumbers(n int) error {
	for range n {
		if _, err := r.Uvarint(); err != nil {
			return err
		}
	}
	return nil
}
