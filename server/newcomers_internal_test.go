package server

import (
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// However many connect, none is remembered for longer than it has to shake hands, nor hung up on later.
func TestNewcomersAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const perSecond, seconds = 10, 60

		var n newcomers

		ends := make([]net.Conn, 0, perSecond*seconds)

		for range perSecond * seconds {
			mine, theirs := net.Pipe()
			ends = append(ends, theirs)

			n.add(mine)
			<-time.After(time.Second / perSecond)
		}

		kept := len(n.conns)
		require.LessOrEqual(t, kept, perSecond*int(connectTimeout/time.Second)+1)
		n.hangUp()

		for _, end := range ends[len(ends)-kept:] {
			_, err := end.Read(make([]byte, 1))
			require.ErrorIs(t, err, io.EOF)
		}

		for _, end := range ends[:len(ends)-kept] {
			require.NoError(t, end.SetDeadline(time.Now().Add(time.Second)))

			_, err := end.Read(make([]byte, 1))
			require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		}
	})
}
