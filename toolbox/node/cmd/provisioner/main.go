// Provisioner makes a directory of this machine for each claim of the node's StorageClass, and removes it with its volume.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	core "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v13/controller"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the kubeconfig file")
	name := flag.String("name", "", "the provisioner's name, as StorageClasses give it")
	root := flag.String("directory", "", "where the volumes are")
	flag.Parse()
	if err := run(*kubeconfig, *name, *root); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig, name, root string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	// One node, one provisioner: nobody to elect a leader among.
	controller.NewProvisionController(ctx, client, name, directories{root}, controller.LeaderElection(false)).Run(ctx)
	return nil
}

type directories struct{ root string }

// Provision makes a volume of the kind local, not hostPath: for it the kubelet honours a pod's fsGroup.
func (d directories) Provision(_ context.Context, options controller.ProvisionOptions) (*core.PersistentVolume, controller.ProvisioningState, error) {
	if options.SelectedNodeName == "" {
		return nil, controller.ProvisioningFinished, fmt.Errorf("no node is chosen for %s: its class needs volumeBindingMode WaitForFirstConsumer", options.PVC.Name)
	}
	path := filepath.Join(d.root, strings.Join([]string{options.PVC.Namespace, options.PVC.Name, options.PVName}, "_"))
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	// Whatever user the pod runs as; the directory above is root's alone.
	if err := os.Chmod(path, 0o777); err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	return &core.PersistentVolume{
		ObjectMeta: meta.ObjectMeta{Name: options.PVName},
		Spec: core.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: *options.StorageClass.ReclaimPolicy,
			AccessModes:                   options.PVC.Spec.AccessModes,
			VolumeMode:                    options.PVC.Spec.VolumeMode,
			Capacity:                      core.ResourceList{core.ResourceStorage: options.PVC.Spec.Resources.Requests[core.ResourceStorage]},
			PersistentVolumeSource:        core.PersistentVolumeSource{Local: &core.LocalVolumeSource{Path: path}},
			NodeAffinity:                  onNode(options.SelectedNodeName),
		},
	}, controller.ProvisioningFinished, nil
}

// Delete removes only what lies directly in the directory of volumes.
func (d directories) Delete(_ context.Context, volume *core.PersistentVolume) error {
	if volume.Spec.Local == nil || filepath.Dir(filepath.Clean(volume.Spec.Local.Path)) != filepath.Clean(d.root) {
		return &controller.IgnoredError{Reason: "it is no directory of this provisioner"}
	}
	return os.RemoveAll(volume.Spec.Local.Path)
}

func onNode(name string) *core.VolumeNodeAffinity {
	expression := core.NodeSelectorRequirement{Key: core.LabelHostname, Operator: core.NodeSelectorOpIn, Values: []string{name}}
	term := core.NodeSelectorTerm{MatchExpressions: []core.NodeSelectorRequirement{expression}}
	return &core.VolumeNodeAffinity{Required: &core.NodeSelector{NodeSelectorTerms: []core.NodeSelectorTerm{term}}}
}
