package main

import (
	"errors"
	"io"
	"log/slog"
	"time"

	"github.com/tidemark-project/tidemark/clients/agent/kubernetes"
)

// kubernetesFlags say which workloads are resized, and how.
type kubernetesFlags struct {
	Enabled    bool   `name:"kubernetes" env:"TIDEMARK_KUBERNETES" help:"Resize StatefulSets and Deployments: in place where that is possible."`
	Kubeconfig string `name:"kubernetes-kubeconfig" type:"path" placeholder:"FILE" help:"File that says where the API server is. Default: as kubectl finds it, or else, in a pod, the pod's own account."`
	Context    string `name:"kubernetes-context" placeholder:"NAME" help:"Context in that file; its current one when not given."`

	Namespace string `name:"kubernetes-namespace" default:"{tenant}" env:"TIDEMARK_KUBERNETES_NAMESPACE" help:"Where the workload of a service is; {tenant} and {name} stand for the parts of the service's key."`
	Workload  string `name:"kubernetes-name" placeholder:"{name}" env:"TIDEMARK_KUBERNETES_NAME" help:"What the workload of a service is called."`
	Selector  string `name:"kubernetes-selector" placeholder:"LABEL={name}" env:"TIDEMARK_KUBERNETES_SELECTOR" help:"Find the workload by labels, and not by its name."`
	Kind      string `name:"kubernetes-kind" enum:"any,statefulset,deployment" default:"any" env:"TIDEMARK_KUBERNETES_KIND" help:"What it is: statefulset, deployment or any."`
	Container string `name:"kubernetes-container" placeholder:"NAME" env:"TIDEMARK_KUBERNETES_CONTAINER" help:"Which container is resized where there are several and no annotation kubectl.kubernetes.io/default-container."`

	Mode           string        `name:"kubernetes-mode" enum:"auto,in-place,template" default:"auto" env:"TIDEMARK_KUBERNETES_MODE" help:"How CPU and memory change: in-place (pods, no rollout), template (a rollout), or auto (in place, or else the template where the policy allows a restart)."`
	Limits         string        `name:"kubernetes-limits" enum:"ratio,keep,request" default:"ratio" env:"TIDEMARK_KUBERNETES_LIMITS" help:"What becomes of limits: ratio (keep that of limit to request), keep (unless the request rises above it) or request (equal to it)."`
	ForceConflicts bool          `name:"kubernetes-force-conflicts" env:"TIDEMARK_KUBERNETES_FORCE_CONFLICTS" help:"Change a template also where its resources were set by another manager, such as helm."`
	Timeout        time.Duration `name:"kubernetes-timeout" default:"5m" env:"TIDEMARK_KUBERNETES_TIMEOUT" help:"How long one attempt may take; the next goes on from there."`
	DryRun         bool          `name:"kubernetes-dry-run" help:"Let the API server check every change, make none, and print them. Nothing is reported."`

	logger *slog.Logger // is told of every change
}

var errKubernetesUnused = errors.New("--kubernetes-dry-run needs --kubernetes: it says what is only tried")

// actuator returns what resizes, with a dry run's lines going to out.
func (f *kubernetesFlags) actuator(out io.Writer) (*kubernetes.Actuator, error) {
	api, err := kubernetes.Connect(f.Kubeconfig, f.Context)
	if err != nil {
		return nil, err
	}

	config := kubernetes.Config{
		API: api, Namespace: f.Namespace, Name: f.Workload, Selector: f.Selector, Container: f.Container,
		Mode: kubernetes.Mode(f.Mode), Limits: kubernetes.LimitPolicy(f.Limits), ForceConflicts: f.ForceConflicts,
		Timeout: f.Timeout, Logger: f.logger,
	}

	if f.Kind != "any" {
		config.Kind = f.Kind
	}

	if f.DryRun {
		config.DryRun = out
	}

	return kubernetes.New(config)
}
