package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
)

const workers = 4

// A holder sets the condition PodReadyToStartContainers of simulated pods, which the stages of kwok wait for: kwok sees
// the pod alone, and cannot know whether the ConfigMaps and Secrets that it refers to exist. A pod that lacks one has
// the status and the events that a kubelet gives it.
type holder struct {
	client   clientset.Interface
	caches   informers.SharedInformerFactory
	recorder record.EventRecorder
	queue    workqueue.TypedRateLimitingInterface[cache.ObjectName]
}

// startHolder starts the holder for the cluster of the --kubeconfig among the arguments, if there is one.
func startHolder(ctx context.Context) error {
	kubeconfig := ""
	for _, argument := range os.Args {
		if path, ok := strings.CutPrefix(argument, "--kubeconfig="); ok {
			kubeconfig = path
		}
	}
	if kubeconfig == "" {
		return nil
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	client, err := clientset.NewForConfig(config)
	if err != nil {
		return err
	}
	events := record.NewBroadcaster(record.WithContext(ctx))
	events.StartRecordingToSink(&typed.EventSinkImpl{Interface: client.CoreV1().Events("")})
	h := &holder{
		client:   client,
		caches:   informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTransform(withoutContent)),
		recorder: events.NewRecorder(scheme.Scheme, core.EventSource{Component: "kubelet"}),
		queue:    workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()),
	}
	if err := h.watch(); err != nil {
		return err
	}
	h.caches.StartWithContext(ctx)
	go h.run(ctx)
	return nil
}

// withoutContent keeps the keys of ConfigMaps and Secrets, and drops what they hold.
func withoutContent(object any) (any, error) {
	switch it := object.(type) {
	case *core.ConfigMap:
		for key := range it.Data {
			it.Data[key] = ""
		}
		for key := range it.BinaryData {
			it.BinaryData[key] = nil
		}
	case *core.Secret:
		for key := range it.Data {
			it.Data[key] = nil
		}
	}
	return object, nil
}

func (h *holder) watch() error {
	core := h.caches.Core().V1()
	pods := cache.ResourceEventHandlerFuncs{
		AddFunc:    h.enqueue,
		UpdateFunc: func(_, pod any) { h.enqueue(pod) },
	}
	references := cache.ResourceEventHandlerFuncs{
		AddFunc:    h.enqueueWaiting,
		UpdateFunc: func(_, object any) { h.enqueueWaiting(object) },
	}
	if _, err := core.Pods().Informer().AddEventHandler(pods); err != nil {
		return err
	}
	if _, err := core.ConfigMaps().Informer().AddEventHandler(references); err != nil {
		return err
	}
	_, err := core.Secrets().Informer().AddEventHandler(references)
	return err
}

func (h *holder) enqueue(object any) {
	if pod := object.(*core.Pod); isWaiting(pod) {
		h.queue.Add(cache.MetaObjectToName(pod))
	}
}

// enqueueWaiting enqueues the pods of the namespace in which a ConfigMap or Secret appeared or changed.
func (h *holder) enqueueWaiting(object any) {
	pods, _ := h.caches.Core().V1().Pods().Lister().Pods(object.(meta.Object).GetNamespace()).List(labels.Everything())
	for _, pod := range pods {
		h.enqueue(pod)
	}
}

// isWaiting tells whether a node has taken the pod, and nothing has let it start.
func isWaiting(pod *core.Pod) bool {
	if pod.DeletionTimestamp != nil || pod.Spec.NodeName == "" || (pod.Status.Phase != core.PodPending && pod.Status.Phase != "") {
		return false
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == core.PodReadyToStartContainers {
			return condition.Status != core.ConditionTrue
		}
	}
	return true
}

func (h *holder) run(ctx context.Context) {
	h.caches.WaitForCacheSync(ctx.Done())
	for range workers {
		go func() {
			for {
				name, stopped := h.queue.Get()
				if stopped {
					return
				}
				if err := h.sync(ctx, name); err == nil || errors.IsNotFound(err) {
					h.queue.Forget(name)
				} else {
					h.queue.AddRateLimited(name)
				}
				h.queue.Done(name)
			}
		}()
	}
	<-ctx.Done()
	h.queue.ShutDown()
}

func (h *holder) sync(ctx context.Context, name cache.ObjectName) error {
	pod, err := h.caches.Core().V1().Pods().Lister().Pods(name.Namespace).Get(name.Name)
	if err != nil || !isWaiting(pod) {
		return err
	}
	status, missing := h.held(pod)
	if equality.Semantic.DeepEqual(status, pod.Status) {
		return nil
	}
	next := pod.DeepCopy()
	next.Status = status
	if _, err := h.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, next, meta.UpdateOptions{}); err != nil {
		return err
	}
	for _, each := range missing {
		h.recorder.Event(pod, core.EventTypeWarning, each.reason, each.message)
	}
	return nil
}

type warning struct{ reason, message string }

// held returns the status of a pod that may start, or that waits for what it lacks, with the events that say so.
func (h *holder) held(pod *core.Pod) (core.PodStatus, []warning) {
	status := *pod.Status.DeepCopy()
	status.InitContainerStatuses, status.ContainerStatuses = nil, nil
	if missing := h.missingInVolumes(pod); len(missing) > 0 {
		waiting := "ContainerCreating"
		if len(pod.Spec.InitContainers) > 0 {
			waiting = "PodInitializing"
		}
		status.InitContainerStatuses = statuses(pod.Spec.InitContainers, wait(waiting, ""))
		status.ContainerStatuses = statuses(pod.Spec.Containers, wait(waiting, ""))
		setReadyToStart(&status, core.ConditionFalse)
		return status, missing
	}
	var missing []warning
	lacks := map[string]string{}
	for _, container := range append(append([]core.Container{}, pod.Spec.InitContainers...), pod.Spec.Containers...) {
		if lack := h.missingInVariables(pod.Namespace, container); lack != "" {
			lacks[container.Name] = lack
			missing = append(missing, warning{"Failed", "Error: " + lack})
		}
	}
	if len(missing) == 0 {
		setReadyToStart(&status, core.ConditionTrue)
		return status, nil
	}
	// The condition of a kubelet would be true here; the stages must still wait.
	setReadyToStart(&status, core.ConditionFalse)
	initialized := true
	for _, container := range pod.Spec.InitContainers {
		state := finished
		if lack := lacks[container.Name]; lack != "" && initialized {
			initialized = false
			state = wait("CreateContainerConfigError", lack)
		} else if !initialized {
			state = wait("PodInitializing", "")
		}
		status.InitContainerStatuses = append(status.InitContainerStatuses, statuses([]core.Container{container}, state)...)
	}
	for _, container := range pod.Spec.Containers {
		state := wait("ContainerCreating", "")
		if !initialized {
			state = wait("PodInitializing", "")
		} else if lack := lacks[container.Name]; lack != "" {
			state = wait("CreateContainerConfigError", lack)
		}
		status.ContainerStatuses = append(status.ContainerStatuses, statuses([]core.Container{container}, state)...)
	}
	return status, missing
}

var finished = core.ContainerState{Terminated: &core.ContainerStateTerminated{Reason: "Completed"}}

func wait(reason, message string) core.ContainerState {
	return core.ContainerState{Waiting: &core.ContainerStateWaiting{Reason: reason, Message: message}}
}

func statuses(containers []core.Container, state core.ContainerState) []core.ContainerStatus {
	var all []core.ContainerStatus
	for _, container := range containers {
		all = append(all, core.ContainerStatus{Name: container.Name, Image: container.Image, State: state})
	}
	return all
}

func setReadyToStart(status *core.PodStatus, value core.ConditionStatus) {
	for i := range status.Conditions {
		if condition := &status.Conditions[i]; condition.Type == core.PodReadyToStartContainers {
			if condition.Status != value {
				condition.Status, condition.LastTransitionTime = value, meta.NewTime(time.Now())
			}
			return
		}
	}
	status.Conditions = append(status.Conditions, core.PodCondition{
		Type: core.PodReadyToStartContainers, Status: value, LastTransitionTime: meta.NewTime(time.Now()),
	})
}

// missingInVolumes returns what the volumes lack, in the words of a kubelet.
func (h *holder) missingInVolumes(pod *core.Pod) []warning {
	var missing []warning
	for _, volume := range pod.Spec.Volumes {
		for _, reference := range referencesOf(volume) {
			if lack := h.lack(pod.Namespace, reference); lack != "" {
				message := fmt.Sprintf("MountVolume.SetUp failed for volume %q : %s", volume.Name, lack)
				missing = append(missing, warning{"FailedMount", message})
			}
		}
	}
	return missing
}

// missingInVariables returns the first thing that the variables of the container lack, or nothing.
func (h *holder) missingInVariables(namespace string, container core.Container) string {
	for _, from := range container.EnvFrom {
		if it := from.ConfigMapRef; it != nil && !isTrue(it.Optional) {
			if lack := h.lack(namespace, reference{kind: "configmap", name: it.Name}); lack != "" {
				return lack
			}
		}
		if it := from.SecretRef; it != nil && !isTrue(it.Optional) {
			if lack := h.lack(namespace, reference{kind: "secret", name: it.Name}); lack != "" {
				return lack
			}
		}
	}
	for _, variable := range container.Env {
		if variable.ValueFrom == nil {
			continue
		}
		if it := variable.ValueFrom.ConfigMapKeyRef; it != nil && !isTrue(it.Optional) {
			if lack := h.lack(namespace, reference{"configmap", it.Name, []string{it.Key}}); lack != "" {
				return lack
			}
		}
		if it := variable.ValueFrom.SecretKeyRef; it != nil && !isTrue(it.Optional) {
			if lack := h.lack(namespace, reference{"secret", it.Name, []string{it.Key}}); lack != "" {
				return lack
			}
		}
	}
	return ""
}

// A reference is a ConfigMap or Secret that a pod needs, with the keys that it needs of it.
type reference struct {
	kind string
	name string
	keys []string
}

func referencesOf(volume core.Volume) []reference {
	var all []reference
	add := func(kind, name string, items []core.KeyToPath, optional *bool) {
		if isTrue(optional) {
			return
		}
		it := reference{kind: kind, name: name}
		for _, item := range items {
			it.keys = append(it.keys, item.Key)
		}
		all = append(all, it)
	}
	if it := volume.ConfigMap; it != nil {
		add("configmap", it.Name, it.Items, it.Optional)
	}
	if it := volume.Secret; it != nil {
		add("secret", it.SecretName, it.Items, it.Optional)
	}
	if volume.Projected != nil {
		for _, source := range volume.Projected.Sources {
			if it := source.ConfigMap; it != nil {
				add("configmap", it.Name, it.Items, it.Optional)
			}
			if it := source.Secret; it != nil {
				add("secret", it.Name, it.Items, it.Optional)
			}
		}
	}
	return all
}

// lack returns what is missing of the reference, or nothing.
func (h *holder) lack(namespace string, it reference) string {
	keys := map[string]bool{}
	var err error
	if it.kind == "configmap" {
		var found *core.ConfigMap
		if found, err = h.caches.Core().V1().ConfigMaps().Lister().ConfigMaps(namespace).Get(it.name); err == nil {
			for key := range found.Data {
				keys[key] = true
			}
			for key := range found.BinaryData {
				keys[key] = true
			}
		}
	} else {
		var found *core.Secret
		if found, err = h.caches.Core().V1().Secrets().Lister().Secrets(namespace).Get(it.name); err == nil {
			for key := range found.Data {
				keys[key] = true
			}
		}
	}
	if err != nil {
		return fmt.Sprintf("%s %q not found", it.kind, it.name)
	}
	for _, key := range it.keys {
		if !keys[key] {
			return fmt.Sprintf("couldn't find key %s in %s %s/%s", key, kinds[it.kind], namespace, it.name)
		}
	}
	return ""
}

var kinds = map[string]string{"configmap": "ConfigMap", "secret": "Secret"}

func isTrue(value *bool) bool { return value != nil && *value }
