//go:build sanity

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"github.com/kubernetes-csi/csi-test/v5/pkg/sanity"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// The sockets of a running driver, with a running Ceph, and the file with the process of its node service, which restarts
// when it ends.
var (
	controllerSocket = os.Getenv("CONTROLLER_SOCKET")
	nodeSocket       = os.Getenv("NODE_SOCKET")
	nodeProcess      = os.Getenv("NODE_PROCESS")
	parameters       = map[string]string{"type": os.Getenv("TYPE")}
)

// The conformance tests of CSI.
func TestSanity(t *testing.T) {
	config := sanity.NewTestConfig()
	config.Address, config.ControllerAddress = nodeSocket, controllerSocket
	config.TestVolumeParameters = parameters
	config.TestVolumeSize = 64 * mebibyte
	config.TargetPath = filepath.Join(t.TempDir(), "target")
	config.StagingPath = filepath.Join(t.TempDir(), "staging")
	sanity.Test(t, config)
}

func connect(t *testing.T, socket string) *grpc.ClientConn {
	connection, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(t, err)
	t.Cleanup(func() { connection.Close() })
	return connection
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A volume with a unique name, as on a node that stages it in one directory and publishes it in others.
type user struct {
	t       *testing.T
	node    csi.NodeClient
	volume  *csi.Volume
	staging string
}

func capability() *csi.VolumeCapability {
	return &csi.VolumeCapability{
		AccessType: &csi.VolumeCapability_Mount{Mount: &csi.VolumeCapability_MountVolume{}},
		AccessMode: &csi.VolumeCapability_AccessMode{Mode: csi.VolumeCapability_AccessMode_SINGLE_NODE_WRITER},
	}
}

func (u user) stage() error {
	_, err := u.node.NodeStageVolume(context.Background(), &csi.NodeStageVolumeRequest{
		VolumeId: u.volume.VolumeId, VolumeContext: u.volume.VolumeContext, StagingTargetPath: u.staging, VolumeCapability: capability(),
	})
	return err
}

func (u user) publish(pod string, readonly bool) string {
	u.t.Helper()
	target := filepath.Join(filepath.Dir(u.staging), pod)
	_, err := u.node.NodePublishVolume(context.Background(), &csi.NodePublishVolumeRequest{
		VolumeId: u.volume.VolumeId, VolumeContext: u.volume.VolumeContext, StagingTargetPath: u.staging, TargetPath: target,
		VolumeCapability: capability(), Readonly: readonly,
	})
	must(u.t, err)
	return target
}

func (u user) leave(pods ...string) {
	u.t.Helper()
	for _, target := range pods {
		_, err := u.node.NodeUnpublishVolume(context.Background(), &csi.NodeUnpublishVolumeRequest{VolumeId: u.volume.VolumeId, TargetPath: target})
		must(u.t, err)
	}
	_, err := u.node.NodeUnstageVolume(context.Background(), &csi.NodeUnstageVolumeRequest{VolumeId: u.volume.VolumeId, StagingTargetPath: u.staging})
	must(u.t, err)
}

func has(t *testing.T, directory string, data []byte) {
	t.Helper()
	found, err := os.ReadFile(filepath.Join(directory, "data"))
	must(t, err)
	if !bytes.Equal(found, data) {
		t.Fatalf("%s holds other data", directory)
	}
}

// Written data survives the end of a pod, of the driver, and of the mount process.
func TestData(t *testing.T) {
	ctx := context.Background()
	controller := csi.NewControllerClient(connect(t, controllerSocket))
	ordered := &csi.CreateVolumeRequest{
		Name: "data-" + parameters["type"], Parameters: parameters,
		CapacityRange:      &csi.CapacityRange{RequiredBytes: 64 * mebibyte},
		VolumeCapabilities: []*csi.VolumeCapability{capability()},
	}
	made, err := controller.CreateVolume(ctx, ordered)
	must(t, err)
	volume := user{t, csi.NewNodeClient(connect(t, nodeSocket)), made.Volume, filepath.Join(t.TempDir(), "staging")}
	data := bytes.Repeat([]byte("kk"), mebibyte)

	must(t, volume.stage())
	first := volume.publish("first", false)
	must(t, os.WriteFile(filepath.Join(first, "data"), data, 0o644))
	volume.leave(first)
	must(t, volume.stage())
	second := volume.publish("second", false)
	has(t, second, data)

	killDriver(t)
	has(t, second, data)
	third := volume.publish("third", true)
	has(t, third, data)
	if err := os.WriteFile(filepath.Join(third, "more"), data, 0o644); err == nil {
		t.Fatal("a pod writes to what it has to read only")
	}

	if parameters["type"] == cephfsKind {
		kill(t, fuseOf(t, volume.staging))
		fourth := volume.publish("fourth", false)
		has(t, fourth, data)
		volume.leave(fourth)
	}
	volume.leave(second, third)
	for range 2 {
		_, err = controller.DeleteVolume(ctx, &csi.DeleteVolumeRequest{VolumeId: volume.volume.VolumeId})
		must(t, err)
	}
	_, err = controller.ValidateVolumeCapabilities(ctx, &csi.ValidateVolumeCapabilitiesRequest{
		VolumeId: volume.volume.VolumeId, VolumeCapabilities: []*csi.VolumeCapability{capability()},
	})
	if status.Code(err) != codes.NotFound {
		t.Fatalf("it is there after it was deleted: %v", err)
	}
}

func kill(t *testing.T, process int) {
	t.Helper()
	must(t, syscall.Kill(process, syscall.SIGKILL))
	for syscall.Kill(process, 0) == nil {
		time.Sleep(10 * time.Millisecond)
	}
}

// KillDriver kills the driver's node service, and waits for the next one.
func killDriver(t *testing.T) {
	var process int
	text, err := os.ReadFile(nodeProcess)
	must(t, err)
	_, err = fmt.Sscan(string(text), &process)
	must(t, err)
	kill(t, process)
	for probe(nodeSocket) != nil {
		time.Sleep(100 * time.Millisecond)
	}
}

// FuseOf returns the process of a directory's mount.
func fuseOf(t *testing.T, directory string) int {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	must(t, err)
	for _, file := range files {
		line, _ := os.ReadFile(file)
		words := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
		if words[0] == "ceph-fuse" && words[len(words)-1] == directory {
			var process int
			_, err := fmt.Sscanf(file, "/proc/%d/cmdline", &process)
			must(t, err)
			return process
		}
	}
	t.Fatalf("no ceph-fuse mounts %s", directory)
	return 0
}
