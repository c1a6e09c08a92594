package kubetest_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/tidemark-project/tidemark/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

func TestOneServerForAllTests(t *testing.T) {
	first, second := kubetest.Start(t), kubetest.Start(t)
	require.Equal(t, first.Config.Host, second.Config.Host)
	require.NotEqual(t, first.Namespace(t), second.Namespace(t))
}

func TestKubeconfig(t *testing.T) {
	cluster := kubetest.Start(t)
	config, err := clientcmd.BuildConfigFromFlags("", cluster.Kubeconfig)
	require.NoError(t, err)
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	review, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(), &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "*", Group: "*", Resource: "*"},
		},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	require.True(t, review.Status.Allowed)
}

func TestServesResize(t *testing.T) {
	cluster := kubetest.Start(t)
	version, err := cluster.Client.Discovery().ServerVersion()
	require.NoError(t, err)
	require.Regexp(t, `^v1\.37\.\d+$`, version.GitVersion)
	served, err := cluster.Client.Discovery().ServerResourcesForGroupVersion("v1")
	require.NoError(t, err)
	verbs := map[string]metav1.Verbs{}
	for _, resource := range served.APIResources {
		verbs[resource.Name] = resource.Verbs
	}
	require.Contains(t, verbs["pods/resize"], "patch")
}

func TestRightsAreChecked(t *testing.T) {
	cluster := kubetest.Start(t)
	config := rest.CopyConfig(cluster.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "nobody"}
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	_, err = client.CoreV1().Pods(cluster.Namespace(t)).List(t.Context(), metav1.ListOptions{})
	require.True(t, apierrors.IsForbidden(err), "%v", err)
}

func TestWithoutProgram(t *testing.T) {
	for name, path := range map[string]string{"unset": "", "gone": filepath.Join(t.TempDir(), "gone")} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(kubetest.ProgramEnv, path)
			t.Setenv(kubetest.RequireEnv, "0")
			require.Equal(t, verdict{skipped: true}, judge(t))
			t.Setenv(kubetest.RequireEnv, "1")
			require.Equal(t, verdict{failed: true}, judge(t))
		})
	}
}

// verdict is what Start did to a test.
type verdict struct{ skipped, failed bool }

// judged is a test that only notes what is done to it.
type judged struct {
	testing.TB
	verdict
}

func (*judged) Helper() {}

func (j *judged) Skipf(string, ...any) {
	j.skipped = true
	runtime.Goexit()
}

func (j *judged) Fatalf(string, ...any) {
	j.failed = true
	runtime.Goexit()
}

func judge(tb testing.TB) verdict {
	tb.Helper()
	test := &judged{TB: tb}
	done := make(chan struct{})
	go func() {
		defer close(done)
		kubetest.Start(test)
	}()
	<-done
	return test.verdict
}

// program returns the path of the API server's program, for a test that runs it on its own.
func program(tb testing.TB) string {
	tb.Helper()
	kubetest.Start(tb)
	return os.Getenv(kubetest.ProgramEnv)
}
