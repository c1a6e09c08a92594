package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tidemark-project/tidemark/clients/agent/kubernetes"
	"github.com/tidemark-project/tidemark/clients/tidemark"
	"github.com/tidemark-project/tidemark/internal/kubetest"
	tidemarkv1 "github.com/tidemark-project/tidemark/proto/tidemark/v1"
)

// deployed makes the service of orders() run in a real cluster, and returns the recommendation for it.
func deployed(t *testing.T, cluster *kubetest.Cluster) *tidemarkv1.Recommendation {
	t.Helper()

	namespace, replicas, labels := cluster.Namespace(t), int32(3), map[string]string{"app": "orders-db"}
	set := &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "orders-db"},
		Spec: appsv1.StatefulSetSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "db", Image: "db", Resources: corev1.ResourceRequirements{
					Requests: corev1.ResourceList{"cpu": resource.MustParse("1"), "memory": resource.MustParse("4Gi")},
				}}}},
			},
		},
	}

	_, err := cluster.Client.AppsV1().StatefulSets(namespace).Create(t.Context(), set, metav1.CreateOptions{})
	require.NoError(t, err)
	cluster.PlayStatefulSet(t, namespace, "orders-db")
	cluster.Automate(t, namespace)

	advice := orders()
	advice.Service = namespace + "/orders-db"

	return advice
}

func TestKubernetesAgent(t *testing.T) {
	cluster := kubetest.Start(t)
	t.Cleanup(func() { require.NoError(t, kubetest.Stop()) })

	t.Run("applies", func(t *testing.T) { kubernetesApplies(t, cluster) })
	t.Run("refuses", func(t *testing.T) { kubernetesRefuses(t, cluster) })
	t.Run("tries", func(t *testing.T) { kubernetesTries(t, cluster) })
}

// From the server's word to the pods of a real cluster, and back to the server's record.
func kubernetesApplies(t *testing.T, cluster *kubetest.Cluster) {
	t.Helper()

	advice := deployed(t, cluster)
	server := newServer(t)
	server.Put(advice)

	log := &logLines{lines: make(chan string, 1000)}
	stop := startAgent(t, server, log, "--kubernetes", "--kubernetes-kubeconfig="+cluster.Kubeconfig, "--kubernetes-kind=statefulset",
		"--max-data-age=0")

	log.wait("resized the pod orders-db-2 in place, container db: cpu 1 to 1500m, memory 4Gi to 8Gi")
	log.wait("outcome=applied")
	stop()

	reports := server.Reports()
	last := reports[len(reports)-1]
	require.Equal(t, tidemarkv1.ScalingOutcome_SCALING_OUTCOME_APPLIED, last.GetOutcome())
	require.Equal(t, int64(1500), last.GetAllocation().GetCpuMillis())
	require.Equal(t, int64(8<<30), last.GetAllocation().GetMemoryBytes())
	require.Equal(t, int32(3), last.GetAllocation().GetReplicas())
}

// What cannot be done is refused, with the reason.
func kubernetesRefuses(t *testing.T, cluster *kubetest.Cluster) {
	t.Helper()

	advice := deployed(t, cluster)
	advice.Service += "-2"

	server := newServer(t)
	server.Put(advice)

	log := &logLines{lines: make(chan string, 1000)}
	stop := startAgent(t, server, log, "--kubernetes", "--kubernetes-kubeconfig="+cluster.Kubeconfig, "--max-data-age=0")

	log.wait("outcome=refused")
	stop()

	reports := server.Reports()
	require.Contains(t, reports[len(reports)-1].GetMessage(), "there is no StatefulSet or Deployment named orders-db-2 in the namespace")
}

// A dry run prints, and neither changes nor reports anything.
func kubernetesTries(t *testing.T, cluster *kubetest.Cluster) {
	t.Helper()

	advice := deployed(t, cluster)
	server := newServer(t)
	server.Put(advice)

	command := parsedAgent(t, "--server="+server.Target(), "--kubernetes", "--kubernetes-dry-run", "--max-data-age=0",
		"--kubernetes-kubeconfig="+cluster.Kubeconfig)
	command.Server.options = []tidemark.Option{server.DialOption()}

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	printed := &logLines{lines: make(chan string, 1000)}

	go func() { done <- command.Run(ctx, printed, slog.New(slog.DiscardHandler)) }()

	printed.wait("resized the pod orders-db-2 in place, container db: cpu 1 to 1500m, memory 4Gi to 8Gi (dry run)")
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	require.Empty(t, server.Reports())
}

// The agent of the example has flags that there are, in a dry run to begin with.
func TestKubernetesExample(t *testing.T) {
	content, err := os.ReadFile("../../examples/kubernetes/agent.yaml")
	require.NoError(t, err)

	var agent struct {
		Spec struct {
			Template struct {
				Spec struct {
					Containers []struct {
						Args []string `yaml:"args"`
					} `yaml:"containers"`
				} `yaml:"spec"`
			} `yaml:"template"`
		} `yaml:"spec"`
	}

	require.NoError(t, yaml.Unmarshal(content, &agent))

	args := agent.Spec.Template.Spec.Containers[0].Args
	require.Equal(t, "agent", args[0])

	command := parsedAgent(t, args[1:]...)
	require.True(t, command.Kubernetes.Enabled)
	require.True(t, command.Kubernetes.DryRun)
}

func TestKubernetesFlags(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(kubeconfig, []byte(`{"apiVersion": "v1", "kind": "Config", "current-context": "c",
		"contexts": [{"name": "c", "context": {"cluster": "k"}}],
		"clusters": [{"name": "k", "cluster": {"server": "https://kubernetes.test"}}]}`), 0o600))

	there := "--kubernetes-kubeconfig=" + kubeconfig

	acting := parsedAgent(t, "--kubernetes", there)
	config, err := acting.config(io.Discard)
	require.NoError(t, err)
	require.False(t, acting.prints())
	require.IsType(t, (*kubernetes.Actuator)(nil), config.Actuator)

	for want, args := range map[string][]string{
		"--kubernetes excludes --webhook and a program": {"--kubernetes", there, "--webhook=http://hook.test"},
		"--kubernetes excludes":                         {"--kubernetes", there, "--", "true"},
		"--kubernetes-dry-run needs --kubernetes":       {"--kubernetes-dry-run"},
		"--kubernetes-dry-run needs --kubernetes: it":   {"--kubernetes-dry-run", "--", "true"},
		"find a Kubernetes API server":                  {"--kubernetes", there + "-none"},
		`context "d" does not exist`:                    {"--kubernetes", there, "--kubernetes-context=d"},
		"the namespace of workloads":                    {"--kubernetes", there, "--kubernetes-namespace={x}"},
		"by its name or by a selector":                  {"--kubernetes", there, "--kubernetes-name=x", "--kubernetes-selector=x"},
		"--json is for printing":                        {"--kubernetes", there, "--json"},
	} {
		_, err := parsedAgent(t, args...).config(io.Discard)
		require.ErrorContains(t, err, want)
	}
}
