// Package kubernetes is the actuator that gives StatefulSets and Deployments the size that is recommended, in one container
// of each pod.
//
// CPU and memory are changed in place, pod after pod, where the API server can do that. The template, from which pods are
// made later, is changed as well if that restarts nothing (a StatefulSet that is updated on delete). Otherwise it would
// restart every pod: then it stays, and the annotation tidemark.dev/size of the workload says what its pods were given. Pods
// that are made again from it have the old size until the next evaluation has seen that. Where a change in place is not
// possible the template is changed by server-side apply, and the workload's controller rolls it out, if the policy allows a
// restart. The number of replicas is changed through the subresource scale.
//
// What a policy allows is kept for each pod that has to restart, be it that its container wants a restart for a resize, be
// it by a rollout: "none" never, "rolling" while another replica is ready and no PodDisruptionBudget is used up, "restart"
// also when there is no other. A resize in place without a restart interrupts nothing and is allowed to all.
//
// The capacity never falls below both what was and what will be: replicas are removed after the others have their size,
// and are added before the others are made smaller. Nothing is ever scaled to zero, and what was scaled to zero is not
// touched. A number that the recommendation does not change is left to others. An attempt that ends half-way is continued by
// the next one, as all it needs is read from the API server.
package kubernetes
