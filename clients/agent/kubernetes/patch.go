package kubernetes

import "k8s.io/apimachinery/pkg/types"

// The fields that are written, and no others.

// podPatch is of a pod, or of the pods of a template.
type podPatch struct {
	Metadata patchMetadata `json:"metadata"`
	Spec     struct {
		Containers []patchContainer `json:"containers"`
	} `json:"spec"`
}

// workloadPatch is of a workload, in the form of server-side apply.
type workloadPatch struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Metadata   patchMetadata `json:"metadata"`
	Spec       *patchSpec    `json:"spec,omitempty"`
}

type patchSpec struct {
	Template podPatch `json:"template"`
}

type patchMetadata struct {
	Name string `json:"name,omitempty"`
	// UID makes the API server refuse the patch when the thing has been replaced by another of its name.
	UID         types.UID         `json:"uid,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type patchContainer struct {
	Name      string    `json:"name"`
	Resources resources `json:"resources"`
}

// patch returns a patch of the workload that changes nothing yet.
func (w *workload) patch() workloadPatch {
	return workloadPatch{
		APIVersion: apps, Kind: w.kind.name, Metadata: patchMetadata{Name: w.Metadata.Name, UID: w.Metadata.UID},
	}
}
