package native

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"

	"github.com/ClickHouse/ch-go/proto"
)

// Numbers of the fields of a block's header on the wire.
const (
	infoEnd      = 0
	infoOverflow = 1
	infoBucket   = 2
)

// AppendHeader appends a block that has columns and no rows.
func AppendHeader(dst []byte, columns []Column, revision int) []byte {
	dst = appendStart(dst, len(columns), 0, revision)
	for _, col := range columns {
		dst = appendHead(dst, col, revision)
	}
	return dst
}

func appendStart(dst []byte, columns, rows, revision int) []byte {
	b := proto.Buffer{Buf: dst}
	proto.Block{Info: proto.BlockInfo{BucketNum: -1}, Columns: columns, Rows: rows}.EncodeAware(&b, revision)
	return b.Buf
}

func appendHead(dst []byte, col Column, revision int) []byte {
	b := proto.Buffer{Buf: dst}
	b.PutString(col.Name)
	b.PutString(col.Type)
	if proto.FeatureCustomSerialization.In(revision) {
		b.PutBool(false)
	}
	return b.Buf
}

// readInfo skips the header that a block has on the wire.
func readInfo(src Source) error {
	for {
		field, err := binary.ReadUvarint(src)
		if err != nil {
			return fmt.Errorf("block header: %w", noEOF(err))
		}
		var skip [4]byte
		switch field {
		case infoEnd:
			return nil
		case infoOverflow:
			_, err = io.ReadFull(src, skip[:1])
		case infoBucket:
			_, err = io.ReadFull(src, skip[:4])
		default:
			return fmt.Errorf("%w: header field %d", ErrFormat, field)
		}
		if err != nil {
			return fmt.Errorf("block header: %w", noEOF(err))
		}
	}
}

func readHead(src Source, revision int) (Column, error) {
	var col Column
	var err error
	if col.Name, err = readString(src); err != nil {
		return col, fmt.Errorf("name: %w", err)
	}
	if col.Type, err = readString(src); err != nil {
		return col, fmt.Errorf("type: %w", err)
	}
	if !proto.FeatureCustomSerialization.In(revision) {
		return col, nil
	}
	custom, err := src.ReadByte()
	if err != nil {
		return col, fmt.Errorf("serialization: %w", noEOF(err))
	}
	if custom != 0 {
		return col, fmt.Errorf("%w: custom serialization of %.100q", ErrFormat, col.Name)
	}
	return col, nil
}

func readString(src Source) (string, error) {
	c := &copier{src: src, limit: maxName}
	n, err := binary.ReadUvarint(src)
	if err != nil {
		return "", noEOF(err)
	}
	if n > maxName {
		return "", errors.Join(ErrTooLarge, fmt.Errorf("string of %d bytes", n))
	}
	err = c.bytes(int(n))
	return string(c.out), err
}

// sameButZone reports whether two types are the same, but that the first may name time zones.
func sameButZone(full, bare string) bool {
	return full == bare || zone.ReplaceAllString(full, "DateTime") == bare
}

// zone matches a time zone as it stands in a type. Blocks in files leave out that of DateTime.
var zone = regexp.MustCompile(`\bDateTime\('[^']*'\)`)
