package clickhouseconn

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/tidemark-project/tidemark/internal/clickhousetest"
)

// silent is a server that accepts connections and never says a word.
type silent struct {
	listener net.Listener
	accepted chan struct{}
	serving  sync.WaitGroup
}

func startSilent(t *testing.T) *silent {
	t.Helper()

	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}

	s := &silent{listener: listener, accepted: make(chan struct{}, 100)}

	s.serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}

			s.accepted <- struct{}{}

			s.serving.Go(func() {
				for buffer := make([]byte, 1024); err == nil; {
					_, err = conn.Read(buffer)
				}

				_ = conn.Close()
			})
		}
	})

	// Connections that nobody has closed would make it wait for ever.
	t.Cleanup(func() {
		_ = listener.Close()

		s.serving.Wait()
	})

	return s
}

// Who gives up, or is told to stop, does not wait until the dial times out, and leaves no connection behind.
func TestAHandshakeEndsWithItsContext(t *testing.T) {
	for name, encryption := range map[string]TLS{"plain": {}, "encrypted": {Enabled: true, SkipVerify: true}} {
		t.Run(name, func(t *testing.T) {
			server := startSilent(t)
			config := DefaultConfig()
			config.Addr = []string{server.listener.Addr().String()}
			config.TLS = encryption
			config.DialTimeout = time.Minute

			conn, err := Open(config)
			if err != nil {
				t.Fatal(err)
			}

			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()

			ended := make(chan error, 1)

			go func() { ended <- conn.Ping(ctx) }()

			<-server.accepted

			began := time.Now()

			cancel()

			if err := <-ended; !errors.Is(err, context.Canceled) || time.Since(began) > 10*time.Second {
				t.Errorf("%v after %s", err, time.Since(began))
			}

			if err := conn.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A server that hangs has its own time, and the next one its own.
func TestTheServerAfterOneThatHangs(t *testing.T) {
	hangs, answers := startSilent(t), clickhousetest.Start(t)
	config := DefaultConfig()
	config.Addr = []string{hangs.listener.Addr().String(), answers.Addr}
	config.Username, config.Password = answers.Username, Secret(answers.Password)
	config.DialTimeout = 500 * time.Millisecond

	if err := ask(t, config); err != nil {
		t.Error(err)
	}
}

// A server that hangs is given up after the timeout.
func TestAServerThatHangs(t *testing.T) {
	config := DefaultConfig()
	config.Addr = []string{startSilent(t).listener.Addr().String()}
	config.DialTimeout = 100 * time.Millisecond

	began := time.Now()

	if err := ask(t, config); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %s", err, time.Since(began))
	}
}
