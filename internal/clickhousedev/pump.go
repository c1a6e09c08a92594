package clickhousedev

import (
	"fmt"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/tidemark-project/tidemark/internal/clickhousedev/wire"
)

// packet is the code of a packet that has come, or the error that ended the connection.
type packet struct {
	code proto.ClientCode
	err  error
}

// pump reads the codes of packets ahead, so that a cancellation or the end of the connection is seen while a query
// runs. It reads one code when asked and then nothing until asked again, so the body of the packet is left to the
// caller.
type pump struct {
	ask     chan struct{}
	packets chan packet
	// asked is set while an answer is due.
	asked bool
	// kept is a packet that was received and is still to be dealt with.
	kept *packet
}

func newPump(r *wire.Reader) *pump {
	p := &pump{ask: make(chan struct{}, 1), packets: make(chan packet, 1)}
	go func() {
		for range p.ask {
			code, err := r.Uvarint()
			const maxCode = 255
			if err == nil && code > maxCode {
				err = fmt.Errorf("unknown packet %d", code)
			}
			p.packets <- packet{code: proto.ClientCode(min(code, maxCode)), err: err}
		}
	}()
	return p
}

// receive returns a channel on which the next packet comes.
func (p *pump) receive() <-chan packet {
	if !p.asked {
		p.asked = true
		p.ask <- struct{}{}
	}
	return p.packets
}

// received must be called for a packet that has come from the channel.
func (p *pump) received() { p.asked = false }

// keep puts a packet back, for next to return.
func (p *pump) keep(pk packet) { p.kept = &pk }

// next waits for the next packet.
func (p *pump) next() (proto.ClientCode, error) {
	pk := p.kept
	if pk == nil {
		got := <-p.receive()
		p.received()
		pk = &got
	}
	p.kept = nil
	if pk.err != nil {
		p.keep(*pk)
	}
	return pk.code, pk.err
}

// stop ends the pump. The connection must have been closed, for the pump may be reading from it.
func (p *pump) stop() {
	close(p.ask)
	if p.asked {
		<-p.packets
	}
}
