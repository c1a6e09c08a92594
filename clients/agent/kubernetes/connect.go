package kubernetes

import (
	"errors"
	"fmt"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

var errNoServer = errors.New("find a Kubernetes API server: there is no kubeconfig file, and this is not a pod: name one, by " +
	"KUBECONFIG for example")

// Connect says how an API server is reached: as the file kubeconfig says, or, when that is empty, as kubectl finds it out
// (KUBECONFIG, then the file in the home directory), or else, in a pod, with the pod's own account. The context is one of
// the file; its current one when empty.
func Connect(kubeconfig, context string) (*rest.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig

	overrides := &clientcmd.ConfigOverrides{CurrentContext: context}

	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()

	switch {
	case clientcmd.IsEmptyConfig(err):
		return nil, errNoServer
	case err != nil:
		return nil, fmt.Errorf("find a Kubernetes API server: %w", err)
	default:
		return config, nil
	}
}
