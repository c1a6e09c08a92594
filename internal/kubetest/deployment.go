package kubetest

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// RevisionAnnotation is where a Deployment and its ReplicaSets carry the number of their revision.
const RevisionAnnotation = "deployment.kubernetes.io/revision"

// PlayDeployment does all that the controllers of a Deployment and of its ReplicaSets would do in the end: it makes
// the ReplicaSet of the template that the Deployment has, with its pods, which it starts; it empties the older ones;
// it writes the status of them all. A Deployment that is paused is left alone. It returns the pods of the
// ReplicaSet in the order of their names.
func (c *Cluster) PlayDeployment(tb testing.TB, namespace, name string) []corev1.Pod {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), requestTimeout)
	defer cancel()
	pods, err := c.playDeployment(ctx, namespace, name)
	if err != nil {
		tb.Fatalf("play the controller of the Deployment %s/%s: %v", namespace, name, err)
	}
	return pods
}

func (c *Cluster) playDeployment(ctx context.Context, namespace, name string) ([]corev1.Pod, error) {
	deployment, err := c.Client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get it: %w", err)
	}
	if deployment.Spec.Paused {
		return nil, nil
	}
	sets, current, err := c.replicaSets(ctx, deployment)
	if err != nil {
		return nil, err
	}
	for _, set := range sets {
		if _, err := c.playReplicaSet(ctx, set, 0); err != nil {
			return nil, fmt.Errorf("the older ReplicaSet %s: %w", set.Name, err)
		}
	}
	pods, err := c.playReplicaSet(ctx, current, *deployment.Spec.Replicas)
	if err != nil {
		return nil, fmt.Errorf("the ReplicaSet %s: %w", current.Name, err)
	}
	return pods, c.writeDeploymentStatus(ctx, deployment, pods)
}

// replicaSets returns the older ReplicaSets of a Deployment and that of its template, which is made if there is none.
// As the controller does, it numbers the revisions in annotations; the current one has the highest number.
func (c *Cluster) replicaSets(ctx context.Context, deployment *appsv1.Deployment) (older []*appsv1.ReplicaSet, current *appsv1.ReplicaSet, err error) {
	list, err := c.Client.AppsV1().ReplicaSets(deployment.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil, fmt.Errorf("list ReplicaSets: %w", err)
	}
	sum, err := hash(&deployment.Spec.Template)
	if err != nil {
		return nil, nil, err
	}
	highest := 0
	for i := range list.Items {
		set := &list.Items[i]
		if !metav1.IsControlledBy(set, deployment) {
			continue
		}
		if set.Labels[appsv1.DefaultDeploymentUniqueLabelKey] == sum {
			current = set
			continue
		}
		older = append(older, set)
		if number, err := strconv.Atoi(set.Annotations[RevisionAnnotation]); err == nil {
			highest = max(highest, number)
		}
	}
	if current == nil {
		if current, err = c.makeReplicaSet(ctx, deployment, sum); err != nil {
			return nil, nil, err
		}
	}
	if number, err := strconv.Atoi(current.Annotations[RevisionAnnotation]); err != nil || number <= highest {
		metav1.SetMetaDataAnnotation(&current.ObjectMeta, RevisionAnnotation, strconv.Itoa(highest+1))
	}
	return older, current, c.annotateDeployment(ctx, deployment, current.Annotations[RevisionAnnotation])
}

func (c *Cluster) makeReplicaSet(ctx context.Context, deployment *appsv1.Deployment, sum string) (*appsv1.ReplicaSet, error) {
	template := deployment.Spec.Template.DeepCopy()
	metav1.SetMetaDataLabel(&template.ObjectMeta, appsv1.DefaultDeploymentUniqueLabelKey, sum)
	owner := *metav1.NewControllerRef(deployment, appsv1.SchemeGroupVersion.WithKind("Deployment"))
	made, err := c.Client.AppsV1().ReplicaSets(deployment.Namespace).Create(ctx, &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       deployment.Namespace,
			Name:            deployment.Name + "-" + sum,
			Labels:          template.Labels,
			OwnerReferences: []metav1.OwnerReference{owner},
		},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: new(int32),
			Selector: metav1.AddLabelToSelector(deployment.Spec.Selector.DeepCopy(), appsv1.DefaultDeploymentUniqueLabelKey, sum),
			Template: *template,
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("make a ReplicaSet: %w", err)
	}
	return made, nil
}

// annotateDeployment writes the number of the current revision, by a patch, as the test may write the rest of it.
func (c *Cluster) annotateDeployment(ctx context.Context, deployment *appsv1.Deployment, revision string) error {
	if deployment.Annotations[RevisionAnnotation] == revision {
		return nil
	}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, RevisionAnnotation, revision)
	patched, err := c.Client.AppsV1().Deployments(deployment.Namespace).Patch(ctx, deployment.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("write its revision: %w", err)
	}
	patched.DeepCopyInto(deployment)
	return nil
}

// playReplicaSet gives a ReplicaSet the number of pods that it is to have.
func (c *Cluster) playReplicaSet(ctx context.Context, set *appsv1.ReplicaSet, replicas int32) ([]corev1.Pod, error) {
	set.Spec.Replicas = &replicas
	set, err := c.Client.AppsV1().ReplicaSets(set.Namespace).Update(ctx, set, metav1.UpdateOptions{})
	if err != nil {
		return nil, fmt.Errorf("set its replicas: %w", err)
	}
	pods, err := c.owned(ctx, set.Namespace, set)
	if err != nil {
		return nil, err
	}
	if surplus := len(pods) - int(replicas); surplus > 0 {
		if err := c.remove(ctx, pods[int(replicas):]); err != nil {
			return nil, err
		}
	}
	owner := *metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))
	for range int(replicas) - len(pods) {
		if err := c.create(ctx, podOf(&set.Spec.Template, owner, set.Namespace, "")); err != nil {
			return nil, err
		}
	}
	if pods, err = c.owned(ctx, set.Namespace, set); err != nil {
		return nil, err
	}
	ready := countReady(pods)
	set.Status = appsv1.ReplicaSetStatus{
		ObservedGeneration:   set.Generation,
		Replicas:             int32(len(pods)), //nolint:gosec // A few.
		FullyLabeledReplicas: int32(len(pods)), //nolint:gosec // A few.
		ReadyReplicas:        ready,
		AvailableReplicas:    ready,
	}
	if _, err := c.Client.AppsV1().ReplicaSets(set.Namespace).UpdateStatus(ctx, set, metav1.UpdateOptions{}); err != nil {
		return nil, fmt.Errorf("write its status: %w", err)
	}
	return pods, nil
}

func (c *Cluster) writeDeploymentStatus(ctx context.Context, deployment *appsv1.Deployment, pods []corev1.Pod) error {
	ready := countReady(pods)
	deployment.Status = appsv1.DeploymentStatus{
		ObservedGeneration:  deployment.Generation,
		Replicas:            int32(len(pods)), //nolint:gosec // A few.
		UpdatedReplicas:     int32(len(pods)), //nolint:gosec // A few.
		ReadyReplicas:       ready,
		AvailableReplicas:   ready,
		UnavailableReplicas: int32(len(pods)) - ready, //nolint:gosec // A few.
		Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable"},
		},
	}
	deployments := c.Client.AppsV1().Deployments(deployment.Namespace)
	if _, err := deployments.UpdateStatus(ctx, deployment, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("write its status: %w", err)
	}
	return nil
}
