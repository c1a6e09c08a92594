package kubernetes

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
)

const examples = "../../../examples/kubernetes/"

// documents decodes each document of an example, of which none may have a field that is not known, into what is made for
// its kind.
func documents(t *testing.T, file string, of func(kind string) any) (all []any) {
	t.Helper()

	content, err := os.ReadFile(examples + file)
	require.NoError(t, err)

	reader := yaml.NewDocumentDecoder(io.NopCloser(bytes.NewReader(content)))
	defer func() { require.NoError(t, reader.Close()) }()

	buffer := bytes.Repeat([]byte{0}, len(content)+1)

	for {
		length, err := reader.Read(buffer)
		if errors.Is(err, io.EOF) {
			return all
		}

		require.NoError(t, err)

		var about metav1.TypeMeta

		require.NoError(t, yaml.Unmarshal(buffer[:length], &about))

		made := of(about.Kind)
		require.NotNil(t, made, about.Kind)
		require.NoError(t, yaml.UnmarshalStrict(buffer[:length], made))

		all = append(all, made)
	}
}

// granted applies the example's rights to the lab's namespace, and returns how the account that has them connects.
func (l *lab) granted(t *testing.T) (*rest.Config, *rbacv1.ClusterRole) {
	t.Helper()

	all := documents(t, "rbac.yaml", func(kind string) any {
		return map[string]any{
			"ServiceAccount": new(corev1.ServiceAccount), "ClusterRole": new(rbacv1.ClusterRole), "RoleBinding": new(rbacv1.RoleBinding),
		}[kind]
	})
	require.Len(t, all, 3)

	account, role, binding := all[0].(*corev1.ServiceAccount), all[1].(*rbacv1.ClusterRole), all[2].(*rbacv1.RoleBinding)
	require.Equal(t, []rbacv1.Subject{{Kind: "ServiceAccount", Name: account.Name, Namespace: account.Namespace}}, binding.Subjects)
	require.Equal(t, role.Name, binding.RoleRef.Name)

	_, err := l.Client.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		require.NoError(t, err)
	}

	binding.Namespace = l.namespace
	_, err = l.Client.RbacV1().RoleBindings(l.namespace).Create(t.Context(), binding, metav1.CreateOptions{})
	require.NoError(t, err)

	as := l.as(account)
	l.eventually("the API server knows of the rights", func() bool {
		review, err := l.Client.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{User: as.Impersonate.UserName, ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: l.namespace, Verb: "get", Group: "apps", Resource: "statefulsets",
			}},
		}, metav1.CreateOptions{})

		return err == nil && review.Status.Allowed
	})

	return as, role
}

// as returns how an account of pods connects.
func (l *lab) as(account *corev1.ServiceAccount) *rest.Config {
	config := rest.CopyConfig(l.Config)
	config.Impersonate = rest.ImpersonationConfig{
		UserName: "system:serviceaccount:" + account.Namespace + ":" + account.Name,
		Groups:   []string{"system:serviceaccounts", "system:authenticated"},
	}

	return config
}

// The rights of the example are enough for all that the agent does, and it makes use of each.
func TestTheRightsOfTheExample(t *testing.T) {
	var used requests

	rules := make(map[string]bool)

	for _, kind := range []string{"StatefulSet", "Deployment"} {
		lab := newLab(t)

		if kind == "StatefulSet" {
			lab.statefulSet(2, nil)
		} else {
			lab.deployment(2, nil)
		}

		lab.Automate(t, lab.namespace)

		config, role := lab.granted(t)
		config.Wrap(used.count)

		act := func(change func(*Config), revision, millis int64, replicas int32) {
			actuator := lab.actuator(func(c *Config) {
				c.API, c.ForceConflicts = config, true
				if change != nil {
					change(c)
				}
			})

			size, err := lab.resize(actuator, lab.advice(revision, millis, 2*gib, replicas, rolling))
			require.NoError(t, err)
			require.Equal(t, millis, size.GetCpuMillis())
		}

		act(nil, 7, 1500, 3)
		act(func(c *Config) { c.Mode = ModeTemplate }, 8, 1200, 2)
		act(func(c *Config) { c.Selector = "app={name}" }, 9, 1300, 2)

		for _, rule := range role.Rules {
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					for _, verb := range rule.Verbs {
						rules[verb+" "+group+"/"+resource] = true
					}
				}
			}
		}
	}

	require.Equal(t, rules, used.rights)
}

func TestWithoutARight(t *testing.T) {
	lab := newLab(t)
	lab.statefulSet(2, nil)

	nobody := lab.as(&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: lab.namespace, Name: "nobody"}})
	_, err := lab.actuator(func(c *Config) { c.API = nobody }).Resize(t.Context(), lab.advice(7, 1500, 4*gib, 2, none))
	require.ErrorContains(t, err,
		"give the agent's account the verb get on statefulsets of the group apps in the namespace "+lab.namespace)
	require.True(t, permanent(err))
}

// The agent of the example can be created.
func TestTheAgentOfTheExample(t *testing.T) {
	lab := newLab(t)

	for _, each := range documents(t, "agent.yaml", func(string) any { return new(appsv1.Deployment) }) {
		agent := each.(*appsv1.Deployment)
		agent.Namespace = lab.namespace

		_, err := lab.Client.AppsV1().Deployments(lab.namespace).Create(t.Context(), agent, metav1.CreateOptions{})
		require.NoError(t, err)
	}
}
