// Package kubernetes holds an example Job, and checks it against the API's own
// types. It is a module of its own: lane does not depend on Kubernetes.
package kubernetes

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

func job(t *testing.T) batch.Job {
	t.Helper()
	b, err := os.ReadFile("job.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var j batch.Job
	if err := yaml.UnmarshalStrict(b, &j); err != nil { // an unknown or misspelt field fails
		t.Fatal(err)
	}
	return j
}

// A field that the API does not know is dropped by a cluster without a word.
func TestStrictDecodingRefusesUnknownFields(t *testing.T) {
	var j batch.Job
	if err := yaml.UnmarshalStrict([]byte("kind: Job\nspec: {completionsMode: Indexed}\n"), &j); err == nil {
		t.Fatal("the check cannot fail")
	}
}

func TestJobRunsOneLanePerModel(t *testing.T) {
	j := job(t)
	if j.APIVersion != "batch/v1" || j.Kind != "Job" || j.Spec.CompletionMode == nil || *j.Spec.CompletionMode != batch.IndexedCompletion {
		t.Fatalf("%s %s %v", j.APIVersion, j.Kind, j.Spec.CompletionMode)
	}
	script := j.Spec.Template.Spec.Containers[0].Args[0]
	_, rest, _ := strings.Cut(script, "models=(")
	list, _, ok := strings.Cut(rest, ")")
	if models := strings.Fields(list); !ok || len(models) != int(*j.Spec.Completions) || len(models) != int(*j.Spec.Parallelism) {
		t.Errorf("%d completions for the models %q", *j.Spec.Completions, list)
	}
	if out, err := exec.Command("bash", "-n", "-c", script).CombinedOutput(); err != nil {
		t.Errorf("the script: %v: %s", err, out)
	}
	if p := j.Spec.Template.Spec.RestartPolicy; p != core.RestartPolicyNever {
		t.Errorf("restart policy %s: an agent's run is not repeated unasked", p)
	}
}

// The pod has no privilege: what is opened is what the comment above the Job
// says, and nothing else.
func TestPodIsUnprivileged(t *testing.T) {
	pod := job(t).Spec.Template.Spec
	if pod.HostNetwork || pod.HostPID || pod.HostIPC || pod.HostUsers == nil || *pod.HostUsers {
		t.Error("it shares a namespace with the node")
	}
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		t.Error("the agent could read a token of the cluster's")
	}
	if s := pod.SecurityContext; s.RunAsNonRoot == nil || !*s.RunAsNonRoot || *s.RunAsUser == 0 {
		t.Error("it runs as root")
	}
	for _, c := range append(pod.InitContainers, pod.Containers...) {
		s := c.SecurityContext
		if s == nil || s.Privileged == nil || *s.Privileged || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation ||
			len(s.Capabilities.Add) > 0 || len(s.Capabilities.Drop) != 1 || s.Capabilities.Drop[0] != "ALL" {
			t.Errorf("%s has privileges: %+v", c.Name, s)
		}
		unmasked := s.ProcMount != nil && *s.ProcMount == core.UnmaskedProcMount
		if unmasked != (c.Name == "lane") {
			t.Errorf("%s: proc unmasked: %v", c.Name, unmasked)
		}
	}
	for _, v := range pod.Volumes {
		if v.HostPath != nil {
			t.Errorf("volume %s is the node's", v.Name)
		}
	}
}
