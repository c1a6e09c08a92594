package kubernetes

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

func TestWhichContainerIsTheService(t *testing.T) {
	t.Parallel()

	choose := func(annotation, configured string, names ...string) (string, error) {
		var w workload

		w.Spec.Template.Metadata.Annotations = map[string]string{"kubectl.kubernetes.io/default-container": annotation}
		for _, name := range names {
			w.Spec.Template.Spec.Containers = append(w.Spec.Template.Spec.Containers, container{Name: name})
		}

		return chooseContainer(&w, configured)
	}

	for want, chosen := range map[string]func() (string, error){
		"only":       func() (string, error) { return choose("", "db", "only") },
		"annotated":  func() (string, error) { return choose("annotated", "db", "db", "annotated") },
		"configured": func() (string, error) { return choose("", "configured", "db", "configured") },
	} {
		got, err := chosen()
		require.NoError(t, err)
		require.Equal(t, want, got)
	}

	_, err := choose("", "", "db", "proxy")
	require.ErrorContains(t, err, "has 2 containers (db, proxy), and nothing says which is the service")
	_, err = choose("no", "db", "db", "proxy")
	require.ErrorContains(t, err, `no container "no", which its annotation`)
	_, err = choose("", "no", "db", "proxy")
	require.ErrorContains(t, err, `no container "no", which the agent's configuration names`)
}

func TestConfigurationsThatAreWrong(t *testing.T) {
	t.Parallel()

	api := &rest.Config{Host: "http://kubernetes.test"}

	for want, config := range map[string]Config{
		"needs the configuration of an API server": {},
		"by its name or by a selector":             {API: api, Name: "x", Selector: "app=x"},
		`there is no kind of workload "Job"`:       {API: api, Kind: "Job"},
		`there is no mode "x"`:                     {API: api, Mode: "x"},
		`there is no way "x" to set limits`:        {API: api, Limits: "x"},
		"the namespace of workloads":               {API: api, Namespace: "{x}"},
		"the name of workloads":                    {API: api, Name: "{"},
		`the selector of workloads "a in {name}"`:  {API: api, Selector: "a in {name}"},
	} {
		_, err := New(config)
		require.ErrorContains(t, err, want)
	}

	_, err := New(Config{API: &rest.Config{Host: "http://a b"}})
	require.ErrorContains(t, err, "connect to a Kubernetes API server")

	right, err := New(Config{API: api, Kind: "statefulset", Selector: "app in ({name})"})
	require.NoError(t, err)
	require.Equal(t, defaultTimeout, right.config.Timeout)
	require.Equal(t, ModeAuto, right.config.Mode)
	require.Empty(t, right.config.Name)
	right.Close()
}

func TestConnect(t *testing.T) {
	t.Parallel()

	_, err := Connect(t.TempDir()+"/none", "")
	require.ErrorContains(t, err, "find a Kubernetes API server")
}

//nolint:paralleltest // it sets what the whole process sees
func TestConnectToNothing(t *testing.T) {
	for _, name := range []string{"KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"} {
		t.Setenv(name, "")
	}

	t.Setenv("HOME", t.TempDir())

	_, err := Connect("", "")
	require.ErrorIs(t, err, errNoServer)
}
