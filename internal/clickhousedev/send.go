package clickhousedev

import (
	"fmt"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/chdb"
)

// frameSize is the largest piece of a block, in bytes, that is compressed as one.
const frameSize = 1 << 20

// send writes packets, which put appends to a buffer.
func (c *conn) send(put func(b *proto.Buffer) error) error {
	c.write.Lock()
	defer c.write.Unlock()
	c.out.Reset()
	if err := put(&c.out); err != nil {
		return err
	}
	if _, err := c.net.Write(c.out.Buf); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

func (c *conn) sendCode(code proto.ServerCode) error {
	return c.send(func(b *proto.Buffer) error {
		code.Encode(b)
		return nil
	})
}

func (c *conn) sendHello() error {
	return c.send(func(b *proto.Buffer) error {
		hello := c.server.info.hello()
		hello.EncodeAware(b, c.revision)
		return nil
	})
}

func (c *conn) sendException(x *exception) error {
	return c.send(func(b *proto.Buffer) error {
		x.encode(b, c.revision)
		return nil
	})
}

// sendBlock sends a block that is framed for the wire.
func (c *conn) sendBlock(block []byte) error {
	return c.send(func(b *proto.Buffer) error {
		proto.ServerCodeData.Encode(b)
		b.PutString("")
		if !c.compressed {
			b.Buf = append(b.Buf, block...)
			return nil
		}
		for len(block) > 0 {
			n := min(len(block), frameSize)
			if err := c.compressor.Compress(block[:n]); err != nil {
				return fmt.Errorf("compress: %w", err)
			}
			b.Buf = append(b.Buf, c.compressor.Data...)
			block = block[n:]
		}
		return nil
	})
}

// sendProgress tells what was read, or written, since the last time.
func (c *conn) sendProgress(p proto.Progress) error {
	return c.send(func(b *proto.Buffer) error {
		proto.ServerCodeProgress.Encode(b)
		p.EncodeAware(b, c.revision)
		return nil
	})
}

// progress tells what a query, or a chunk of its result, has read.
func progress(stats chdb.Stats) proto.Progress {
	return proto.Progress{
		Rows: stats.ReadRows, Bytes: stats.ReadBytes,
		ElapsedNs: uint64(max(stats.Elapsed, 0)),
	}
}

// sendEnd ends the answer to a query that had rows.
func (c *conn) sendEnd(total chdb.Stats, blocks uint64) error {
	return c.send(func(b *proto.Buffer) error {
		proto.Profile{Rows: total.Rows, Bytes: total.Bytes, Blocks: blocks}.EncodeAware(b, c.revision)
		proto.ServerCodeEndOfStream.Encode(b)
		return nil
	})
}

// sendSignOfLife sends progress of nothing, unless something is being sent. It is no matter if it fails: the next
// packet fails too.
func (c *conn) sendSignOfLife() {
	if !c.write.TryLock() {
		return
	}
	defer c.write.Unlock()
	var b proto.Buffer
	proto.ServerCodeProgress.Encode(&b)
	proto.Progress{}.EncodeAware(&b, c.revision)
	if _, err := c.net.Write(b.Buf); err != nil {
		c.log.Debug("client does not listen")
	}
}
