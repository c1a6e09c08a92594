// Package kubetest gives tests a Kubernetes API server, the real one, and plays what runs around it.
//
// [Start] returns the server of this process of tests: the program that TIDEMARK_KUBE_APISERVER names, see
// internal/kubedev, which `make test-kube` builds. If the variable is not set, or there is no such program, the test
// is skipped, or fails if TIDEMARK_REQUIRE_KUBE=1. A test works in a namespace of its own, see [Cluster.Namespace].
//
// A process of tests starts one server and keeps it for all its tests. A package that uses this one must have
//
//	func TestMain(m *testing.M) { kubetest.Main(m) }
//
// which stops the server when the tests have run and then looks for leaked goroutines, in place of
// goleak.VerifyTestMain.
//
// Neither controllers nor kubelets run. A test plays their parts, one step at a time, so that it can stop between any
// two of them: [Cluster.PlayStatefulSet] and [Cluster.PlayDeployment] make the pods of a workload, [Cluster.Actuate],
// [Cluster.BeginResize], [Cluster.PendResize] and [Cluster.SetReady] say what became of a pod. [Cluster.Automate] plays
// all of them in the background, for a test that only wants a cluster that works.
package kubetest
