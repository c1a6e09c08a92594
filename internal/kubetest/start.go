package kubetest

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	// ProgramEnv names a variable that holds the path of the API server's program.
	ProgramEnv = "TIDEMARK_KUBE_APISERVER"
	// RequireEnv names a variable that, if it is 1, makes tests fail instead of being skipped where there is no program.
	RequireEnv = "TIDEMARK_REQUIRE_KUBE"
)

// Cluster is a running API server.
type Cluster struct {
	// Kubeconfig is the path of a kubeconfig whose user may do anything.
	Kubeconfig string
	// Config is made from it, without a limit of the rate of requests. Copy it, with rest.CopyConfig, to change it.
	Config *rest.Config
	// Client uses Config.
	Client kubernetes.Interface
}

// Start returns the API server of this process, which is started if it is not running. See the package's
// documentation for when the test is skipped.
func Start(tb testing.TB) *Cluster {
	tb.Helper()
	path := os.Getenv(ProgramEnv)
	if path == "" {
		absent(tb, ProgramEnv+" is not set")
	}
	if _, err := os.Stat(path); err != nil { //nolint:gosec // The path is the developer's own.
		absent(tb, fmt.Sprintf("%s: %v", ProgramEnv, err))
	}
	cluster, err := shared.get(path)
	if err != nil {
		tb.Fatalf("start an API server: %v", err)
	}
	return cluster
}

// absent skips a test for want of a server, or fails it if the environment demands one.
func absent(tb testing.TB, why string) {
	tb.Helper()
	if os.Getenv(RequireEnv) == "1" {
		tb.Fatalf("no Kubernetes API server, and %s=1 demands one: %s; `make test-kube` builds it and sets it", RequireEnv, why)
	}
	tb.Skipf("no Kubernetes API server (`make test-kube` builds one): %s", why)
}

// shared is the server of this process. It is global because a start takes seconds and every test wants one.
var shared = &sharedServer{}

type sharedServer struct {
	mu      sync.Mutex
	program *program
	cluster *Cluster
	err     error
}

// get returns the server. A failed start is not tried again: it would fail for every test, each after a long wait.
func (s *sharedServer) get(path string) (*Cluster, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cluster == nil && s.err == nil {
		s.err = s.start(path)
	}
	return s.cluster, s.err
}

func (s *sharedServer) start(path string) error {
	program, err := run(path)
	if err != nil {
		return err
	}
	cluster, err := connect(program.kubeconfig)
	if err != nil {
		return errors.Join(err, program.stop())
	}
	s.program, s.cluster = program, cluster
	return nil
}

// end stops the server if it is running.
func (s *sharedServer) end() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.program == nil {
		return nil
	}
	program := s.program
	s.program, s.cluster = nil, nil
	return program.stop()
}

// connect makes clients, and the node that every pod of a test runs on.
func connect(kubeconfig string) (*Cluster, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	cluster := &Cluster{Kubeconfig: kubeconfig, Config: config, Client: client}
	return cluster, cluster.addNode(NodeName, nodeRoom())
}
