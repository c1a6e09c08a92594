package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// server is a kube-apiserver that has its address but does not run yet.
type server struct {
	address string // host:port
	options options.CompletedOptions
}

func newServer(ctx context.Context, credentials *credentials, etcd string) (*server, error) {
	raw := options.NewServerRunOptions()
	flags := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, set := range raw.Flags().FlagSets {
		flags.AddFlagSet(set)
	}
	if err := flags.Parse(arguments(credentials, etcd)); err != nil {
		return nil, fmt.Errorf("read its flags: %w", err)
	}
	if err := raw.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, fmt.Errorf("set the feature gates: %w", err)
	}
	// It talks to itself with clients whose warnings help nobody.
	rest.SetDefaultWarningHandler(rest.NoWarnings{})

	// A listener, as the flag of the port cannot ask for any free one.
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	address := listener.Addr().(*net.TCPAddr)
	raw.SecureServing.Listener, raw.SecureServing.BindPort = listener, address.Port
	raw.SecureServing.ExternalAddress = address.IP
	completed, err := raw.Complete(ctx)
	if err == nil {
		err = errors.Join(completed.Validate()...)
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return &server{address: address.String(), options: completed}, nil
}

func arguments(credentials *credentials, etcd string) []string {
	return []string{
		"--etcd-servers=" + etcd,
		"--authorization-mode=RBAC",
		"--client-ca-file=" + credentials.authority,
		"--tls-cert-file=" + credentials.server,
		"--tls-private-key-file=" + credentials.serverKey,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + credentials.serviceAccountSigner,
		"--service-account-signing-key-file=" + credentials.serviceAccountSigner,
		"--service-cluster-ip-range=10.0.0.0/24",
		// Nothing creates the accounts that this plugin demands of every pod.
		"--disable-admission-plugins=ServiceAccount",
		// A loopback address may not be an endpoint of the service "kubernetes".
		"--endpoint-reconciler-type=none",
	}
}

// run serves until the context ends.
func (s *server) run(ctx context.Context) error {
	return app.Run(ctx, s.options)
}
