package kubernetes_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// objects decodes the manifest as the API server does with strict validation: an unknown field, a field that is given twice and
// a value of the wrong type are errors.
func objects(t *testing.T) (all []runtime.Object) {
	t.Helper()
	text, err := os.ReadFile("codecell.yaml")
	require.NoError(t, err)
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		object, _, err := decoder.Decode(document, nil, nil)
		require.NoError(t, err, "%s", document)
		all = append(all, object)
	}
}

// only returns the one object of its type.
func only[T runtime.Object](t *testing.T) T {
	t.Helper()
	var found []T
	for _, o := range objects(t) {
		if o, ok := o.(T); ok {
			found = append(found, o)
		}
	}
	require.Len(t, found, 1)
	return found[0]
}

func TestManifests(t *testing.T) {
	deployment := only[*appsv1.Deployment](t)
	pod := deployment.Spec.Template
	container := pod.Spec.Containers[0]
	t.Run("all that selects the pods selects these", func(t *testing.T) {
		budget, network := only[*policyv1.PodDisruptionBudget](t), only[*networkingv1.NetworkPolicy](t)
		for _, selector := range []*metav1.LabelSelector{deployment.Spec.Selector, budget.Spec.Selector, &network.Spec.PodSelector} {
			s, err := metav1.LabelSelectorAsSelector(selector)
			require.NoError(t, err)
			require.False(t, s.Empty())
			require.True(t, s.Matches(labels.Set(pod.Labels)))
		}
		require.Equal(t, pod.Labels, only[*corev1.Service](t).Spec.Selector)
		require.ElementsMatch(t, []networkingv1.PolicyType{"Ingress", "Egress"}, network.Spec.PolicyTypes)
	})
	t.Run("the pod is within the restricted standard, which its namespace enforces", func(t *testing.T) {
		require.Equal(t, "restricted", only[*corev1.Namespace](t).Labels[api.EnforceLevelLabel])
		checks, err := policy.NewEvaluator(policy.DefaultChecks())
		require.NoError(t, err)
		latest := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
		for _, r := range checks.EvaluatePod(latest, &pod.ObjectMeta, &pod.Spec) {
			require.True(t, r.Allowed, "%s: %s", r.ForbiddenReason, r.ForbiddenDetail)
		}
		require.True(t, *container.SecurityContext.ReadOnlyRootFilesystem)
	})
	t.Run("probes ask routes that there are, at a port that there is", func(t *testing.T) {
		ports := map[string]bool{}
		for _, p := range container.Ports {
			ports[p.Name] = true
		}
		for route, probe := range map[string]*corev1.Probe{
			"/readyz": container.ReadinessProbe, "/healthz": container.LivenessProbe,
		} {
			require.Equal(t, route, probe.HTTPGet.Path)
			require.True(t, ports[probe.HTTPGet.Port.StrVal])
		}
		require.NotNil(t, container.StartupProbe)
		require.True(t, ports[only[*corev1.Service](t).Spec.Ports[0].TargetPort.StrVal])
	})
	t.Run("the grace of cells is within the pod's", func(t *testing.T) {
		config := only[*corev1.Secret](t).StringData["config.json5"]
		require.Contains(t, config, "graceSeconds: 40,")
		require.Greater(t, *pod.Spec.TerminationGracePeriodSeconds, int64(40))
	})
	t.Run("volumes that are mounted are there", func(t *testing.T) {
		volumes := map[string]bool{}
		for _, v := range pod.Spec.Volumes {
			volumes[v.Name] = true
		}
		for _, m := range container.VolumeMounts {
			require.True(t, volumes[m.Name], m.Name)
		}
	})
}
