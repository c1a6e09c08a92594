package watch

import (
	"context"
	"net"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"
)

// clientOf tells whose a call is: by the certificate that the client has proved to own, or else by its address, without
// the port. It is empty when neither is known, as within a process.
func clientOf(ctx context.Context) string {
	caller, known := peer.FromContext(ctx)
	if !known || caller.Addr == nil {
		return ""
	}

	if identity := certified(caller.AuthInfo); identity != "" {
		return identity
	}

	host, _, err := net.SplitHostPort(caller.Addr.String())
	if err != nil {
		return ""
	}

	return host
}

// certified is the name in a certificate that was verified; empty when there is none.
func certified(info credentials.AuthInfo) string {
	secure, is := info.(credentials.TLSInfo)
	if !is || len(secure.State.VerifiedChains) == 0 {
		return ""
	}

	leaf := secure.State.VerifiedChains[0][0]

	switch {
	case len(leaf.URIs) > 0:
		return leaf.URIs[0].String()
	case len(leaf.DNSNames) > 0:
		return leaf.DNSNames[0]
	default:
		return leaf.Subject.CommonName
	}
}
