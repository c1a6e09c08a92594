package kubetest_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// running is the API server's program, as a person starts it.
type running struct {
	command    *exec.Cmd
	stdin      io.Closer
	stdout     *bufio.Reader
	said       *strings.Builder
	kubeconfig string
}

func launch(t *testing.T, arguments ...string) *running {
	t.Helper()
	r := &running{command: exec.CommandContext(t.Context(), program(t), arguments...), said: &strings.Builder{}}
	r.command.Stderr = r.said
	r.command.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	stdin, err := r.command.StdinPipe()
	require.NoError(t, err)
	r.stdin = stdin
	stdout, err := r.command.StdoutPipe()
	require.NoError(t, err)
	r.stdout = bufio.NewReader(stdout)
	require.NoError(t, r.command.Start())
	line, err := r.stdout.ReadString('\n')
	require.NoError(t, err)
	path, ready := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "ready ")
	require.True(t, ready, line)
	r.kubeconfig = path
	return r
}

// wait waits for the end, which must be a good one that says nothing.
func (r *running) wait(t *testing.T) {
	t.Helper()
	rest, err := io.ReadAll(r.stdout)
	require.NoError(t, err)
	require.Empty(t, rest, "more than one line on the standard output")
	require.NoError(t, r.command.Wait(), "%s", r.said)
	require.NotContains(t, r.said.String(), "Skipping API", "warnings of every start")
}

func (r *running) client(t *testing.T) kubernetes.Interface {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", r.kubeconfig)
	require.NoError(t, err)
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	return client
}

func TestProgramEndsWithItsInput(t *testing.T) {
	server := launch(t)
	require.FileExists(t, server.kubeconfig)
	require.NoError(t, server.stdin.Close())
	server.wait(t)
	require.NoDirExists(t, filepath.Dir(server.kubeconfig), "what the temporary directory held")
}

func TestProgramEndsWhileItStarts(t *testing.T) {
	temporary := t.TempDir()
	command := exec.CommandContext(t.Context(), program(t)) // Its input ends at once.
	command.Env = append(os.Environ(), "TMPDIR="+temporary)
	said, err := command.Output()
	require.NoError(t, err)
	require.Empty(t, said)
	left, err := os.ReadDir(temporary)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestProgramSaysWhyItCannotStart(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "etcd"), nil, 0o600))
	said, err := exec.CommandContext(t.Context(), program(t), "--dir", dir).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(said), "start etcd: in "+filepath.Join(dir, "etcd"))
}

func TestProgramEndsOnASignal(t *testing.T) {
	server := launch(t)
	require.NoError(t, server.command.Process.Signal(syscall.SIGTERM))
	server.wait(t)
	require.NoDirExists(t, filepath.Dir(server.kubeconfig))
}

func TestProgramKeepsItsDirectory(t *testing.T) {
	dir := t.TempDir()
	first := launch(t, "--dir", dir)
	require.Equal(t, filepath.Join(dir, "kubeconfig"), first.kubeconfig)
	kept := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept"}}
	_, err := first.client(t).CoreV1().ConfigMaps("default").Create(t.Context(), kept, metav1.CreateOptions{})
	require.NoError(t, err)
	require.NoError(t, first.stdin.Close())
	first.wait(t)

	second := launch(t, "--dir", dir)
	_, err = second.client(t).CoreV1().ConfigMaps("default").Get(t.Context(), "kept", metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, second.stdin.Close())
	second.wait(t)
}
