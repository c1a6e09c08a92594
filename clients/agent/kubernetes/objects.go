package kubernetes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The objects of the API, of each as much as is read here. The full types would add more to the binary than the rest of
// the actuator.

// kind is a kind of workload.
type kind struct{ name, plural string }

var (
	statefulSet = kind{name: "StatefulSet", plural: "statefulsets"}
	deployment  = kind{name: "Deployment", plural: "deployments"}
	kinds       = []kind{statefulSet, deployment}
)

// kindNamed finds a kind by its name, in which case does not matter.
func kindNamed(name string) (kind, error) {
	for _, known := range kinds {
		if strings.EqualFold(known.name, name) {
			return known, nil
		}
	}

	return kind{}, fmt.Errorf("there is no kind of workload %q: use %q or %q", name, statefulSet.name, deployment.name)
}

// workload is a StatefulSet or a Deployment.
type workload struct {
	kind kind

	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     workloadSpec      `json:"spec"`
	Status   workloadStatus    `json:"status"`
}

type workloadSpec struct {
	Replicas *int32                `json:"replicas"`
	Paused   bool                  `json:"paused"`
	Selector *metav1.LabelSelector `json:"selector"`
	Template struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
		Spec     podSpec           `json:"spec"`
	} `json:"template"`
	// Strategy is a Deployment's.
	Strategy updateStrategy `json:"strategy"`
	// UpdateStrategy is a StatefulSet's.
	UpdateStrategy updateStrategy `json:"updateStrategy"`
}

type updateStrategy struct {
	Type          string `json:"type"`
	RollingUpdate struct {
		Partition      int32               `json:"partition"`
		MaxUnavailable *intstr.IntOrString `json:"maxUnavailable"`
	} `json:"rollingUpdate"`
}

type workloadStatus struct {
	ObservedGeneration int64       `json:"observedGeneration"`
	Replicas           int32       `json:"replicas"`
	ReadyReplicas      int32       `json:"readyReplicas"`
	UpdatedReplicas    int32       `json:"updatedReplicas"`
	CurrentRevision    string      `json:"currentRevision"`
	UpdateRevision     string      `json:"updateRevision"`
	Conditions         []condition `json:"conditions"`
}

// condition is one of a workload or a pod.
type condition struct {
	Type               string `json:"type"`
	Status             string `json:"status"`
	Reason             string `json:"reason"`
	Message            string `json:"message"`
	ObservedGeneration int64  `json:"observedGeneration"`
}

// replicas is how many it is to have; one when it does not say.
func (w *workload) replicas() int32 {
	if w.Spec.Replicas == nil {
		return 1
	}

	return *w.Spec.Replicas
}

func (w *workload) onDelete() bool { return w.Spec.UpdateStrategy.Type == "OnDelete" }

// atOnce reports that a rollout may take away all replicas before it has made new ones.
func (w *workload) atOnce() bool {
	strategy := w.Spec.UpdateStrategy
	if w.kind == deployment {
		strategy = w.Spec.Strategy
	}

	if strategy.RollingUpdate.MaxUnavailable == nil {
		return strategy.Type == "Recreate"
	}

	most, err := intstr.GetScaledValueFromIntOrPercent(strategy.RollingUpdate.MaxUnavailable, int(w.replicas()), w.kind == statefulSet)

	return err != nil || most >= int(w.replicas())
}

// String names it for a person.
func (w *workload) String() string {
	return fmt.Sprintf("%s %s/%s", w.kind.name, w.Metadata.Namespace, w.Metadata.Name)
}

type podSpec struct {
	Containers     []container `json:"containers"`
	InitContainers []container `json:"initContainers"`
	// Resources are those of the pod as a whole.
	Resources *resources `json:"resources"`
}

type container struct {
	Name         string         `json:"name"`
	Resources    resources      `json:"resources"`
	ResizePolicy []resizePolicy `json:"resizePolicy"`
}

// UnmarshalJSON implements json.Unmarshaler. A container asks for what it is limited to, if it does not say: a template
// shows that only by the pods that are made from it.
func (c *container) UnmarshalJSON(text []byte) error {
	type plain container

	if err := json.Unmarshal(text, (*plain)(c)); err != nil {
		return err //nolint:wrapcheck // said by whoever decodes the whole
	}

	for name, limit := range c.Resources.Limits {
		if _, asks := c.Resources.Requests[name]; asks {
			continue
		}

		if c.Resources.Requests == nil {
			c.Resources.Requests = make(map[string]quantity)
		}

		c.Resources.Requests[name] = limit
	}

	return nil
}

type resizePolicy struct {
	ResourceName  string `json:"resourceName"`
	RestartPolicy string `json:"restartPolicy"`
}

type quantity = resource.Quantity

// resources are what a container asks for, and how much it may have.
type resources struct {
	Requests map[string]quantity `json:"requests,omitempty"`
	Limits   map[string]quantity `json:"limits,omitempty"`
}

// container returns the container of that name; nil when there is none.
func (s *podSpec) container(name string) *container {
	at := slices.IndexFunc(s.Containers, func(c container) bool { return c.Name == name })
	if at < 0 {
		return nil
	}

	return &s.Containers[at]
}

type pod struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     podSpec           `json:"spec"`
	Status   podStatus         `json:"status"`
}

type podStatus struct {
	Phase              string            `json:"phase"`
	ObservedGeneration int64             `json:"observedGeneration"`
	Conditions         []condition       `json:"conditions"`
	ContainerStatuses  []containerStatus `json:"containerStatuses"`
}

type containerStatus struct {
	Name  string `json:"name"`
	Ready bool   `json:"ready"`
	State struct {
		Running *struct{} `json:"running"`
	} `json:"state"`
	// Resources are what the container has; nil when it does not run, or its node cannot change them.
	Resources *resources `json:"resources"`
}

// condition returns the condition of that type if it is true; nil when it is not.
func (s *podStatus) condition(name string) *condition {
	for i := range s.Conditions {
		if s.Conditions[i].Type == name && s.Conditions[i].Status == "True" {
			return &s.Conditions[i]
		}
	}

	return nil
}

// container returns what is known of a container; nil when nothing is.
func (s *podStatus) container(name string) *containerStatus {
	for i := range s.ContainerStatuses {
		if s.ContainerStatuses[i].Name == name {
			return &s.ContainerStatuses[i]
		}
	}

	return nil
}

func (p *pod) ready() bool { return p.Status.condition("Ready") != nil }

// live reports that the pod is not about to go, or gone.
func (p *pod) live() bool {
	return p.Metadata.DeletionTimestamp == nil && p.Status.Phase != "Succeeded" && p.Status.Phase != "Failed"
}
