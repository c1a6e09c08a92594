package tidemark

import (
	"crypto/tls"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

const (
	// pingInterval is how long a connection may be silent before it is tried; the server permits 10 s and more.
	pingInterval = 20 * time.Second
	// pingTimeout is how long an answer to that may take.
	pingTimeout = 10 * time.Second
	// connectTimeout bounds one attempt to connect.
	connectTimeout = 5 * time.Second
	// maxReconnectDelay is how long the connection waits at most between two attempts: short, since sources hold work
	// and agents hold old sizes meanwhile.
	maxReconnectDelay = 3 * time.Second
	// maxReceive is the largest answer taken: a full page of recommendations with their explanations.
	maxReceive = 64 << 20
)

// Option changes how Dial connects.
type Option func(*Settings)

// WithPlaintext connects without TLS.
func WithPlaintext() Option {
	return func(s *Settings) { s.plaintext = true }
}

// WithTLS connects with TLS as the files say. The last of WithTLS and WithTLSConfig holds.
func WithTLS(files TLS) Option {
	return func(s *Settings) { s.tls = files.config }
}

// WithTLSConfig connects with TLS as the config says.
func WithTLSConfig(config *tls.Config) Option {
	return func(s *Settings) {
		s.tls = func() (*tls.Config, error) { return config.Clone(), nil }
	}
}

// WithUserAgent names the program that calls; it shows in the server's log.
func WithUserAgent(name string) Option {
	return WithDialOptions(grpc.WithUserAgent(name))
}

// WithDialOptions adds options of gRPC, which override the client's own.
func WithDialOptions(options ...grpc.DialOption) Option {
	return func(s *Settings) { s.extra = append(s.extra, options...) }
}

// Settings are what options set; only options look inside.
type Settings struct {
	plaintext bool
	tls       func() (*tls.Config, error)
	extra     []grpc.DialOption
}

// dialOptions turns the settings into those of gRPC.
func (s *Settings) dialOptions() ([]grpc.DialOption, error) {
	transport, err := s.credentials()
	if err != nil {
		return nil, err
	}

	reconnect := backoff.DefaultConfig
	reconnect.BaseDelay = maxReconnectDelay / 10
	reconnect.MaxDelay = maxReconnectDelay

	return append([]grpc.DialOption{
		grpc.WithTransportCredentials(transport),
		grpc.WithDefaultServiceConfig(serviceConfig()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxReceive)),
		grpc.WithUserAgent("tidemark-go"),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: reconnect, MinConnectTimeout: connectTimeout}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time:                pingInterval,
			Timeout:             pingTimeout,
			PermitWithoutStream: true,
		}),
	}, s.extra...), nil
}

func (s *Settings) credentials() (credentials.TransportCredentials, error) {
	if s.plaintext {
		if s.tls != nil {
			return nil, errPlaintextAndTLS
		}

		return insecure.NewCredentials(), nil
	}

	if s.tls == nil {
		s.tls = TLS{}.config
	}

	config, err := s.tls()
	if err != nil {
		return nil, err
	}

	return credentials.NewTLS(config), nil
}
