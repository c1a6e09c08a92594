package main

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// announce writes the kubeconfig, waits until the server is ready and says so on the standard output.
func announce(ctx context.Context, path, address string, credentials *credentials) error {
	if err := writeKubeconfig(path, address, credentials); err != nil {
		return fmt.Errorf("write the kubeconfig: %w", err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return fmt.Errorf("read the kubeconfig: %w", err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	if err := awaitReady(ctx, client); err != nil {
		return err
	}
	fmt.Println("ready", path)
	return nil
}

// awaitReady waits for what a test may rely on: /readyz, and the namespace "default", which comes a moment later.
func awaitReady(ctx context.Context, client kubernetes.Interface) error {
	const (
		interval = 50 * time.Millisecond
		patience = 2 * time.Minute
	)
	var last error
	err := wait.PollUntilContextTimeout(ctx, interval, patience, true, func(ctx context.Context) (bool, error) {
		if last = client.CoreV1().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error(); last != nil {
			return false, nil
		}
		_, last = client.CoreV1().Namespaces().Get(ctx, metav1.NamespaceDefault, metav1.GetOptions{})
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait until it is ready: %w; the last answer was: %w", err, last)
	}
	return nil
}

// writeKubeconfig writes the administrator's kubeconfig. It holds the certificates themselves and can be copied.
func writeKubeconfig(path, address string, credentials *credentials) error {
	const name = "kubedev"
	config := api.NewConfig()
	config.Clusters[name] = &api.Cluster{
		Server:               "https://" + address,
		CertificateAuthority: credentials.authority,
	}
	config.AuthInfos[name] = &api.AuthInfo{ClientCertificate: credentials.admin, ClientKey: credentials.adminKey}
	config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	if err := api.FlattenConfig(config); err != nil {
		return err
	}
	return clientcmd.WriteToFile(*config, path)
}
