package main

import (
	"context"
	"os"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/mount-utils"
)

// Node mounts volumes on this node: once where they are staged, and from there into each pod.
type node struct {
	csi.UnimplementedNodeServer
	name    string
	stores  map[string]store
	mounter mount.Interface
}

func newNode(name string, stores map[string]store) node {
	return node{name: name, stores: stores, mounter: mount.New("")}
}

func (n node) NodeStageVolume(ctx context.Context, request *csi.NodeStageVolumeRequest) (*csi.NodeStageVolumeResponse, error) {
	volume, err := mountable(request.GetVolumeId(), request.GetStagingTargetPath(), request.GetVolumeCapability())
	if err != nil {
		return nil, err
	}
	return &csi.NodeStageVolumeResponse{}, n.stage(ctx, volume, request.GetVolumeContext(), request.GetStagingTargetPath())
}

// Stage mounts a volume that is not mounted, or whose ceph-fuse has ended: such a mount exists, but fails.
func (n node) stage(ctx context.Context, volume volume, known map[string]string, directory string) error {
	mounted, err := n.prepare(directory)
	if err != nil || mounted {
		return err
	}
	return n.stores[volume.kind].mount(ctx, volume, known, directory)
}

// Prepare creates a directory and returns whether something is mounted on it; it unmounts a failing mount.
func (n node) prepare(directory string) (bool, error) {
	if _, err := os.Stat(directory); err != nil && mount.IsCorruptedMnt(err) {
		if err := n.mounter.Unmount(directory); err != nil {
			return false, status.Error(codes.Internal, err.Error())
		}
	}
	if err := os.MkdirAll(directory, 0o750); err != nil {
		return false, status.Error(codes.Internal, err.Error())
	}
	mounted, err := n.mounter.IsMountPoint(directory)
	if err != nil {
		return false, status.Error(codes.Internal, err.Error())
	}
	return mounted, nil
}

func (n node) NodeUnstageVolume(ctx context.Context, request *csi.NodeUnstageVolumeRequest) (*csi.NodeUnstageVolumeResponse, error) {
	volume, err := n.unmount(request.GetVolumeId(), request.GetStagingTargetPath())
	if err != nil {
		return nil, err
	}
	return &csi.NodeUnstageVolumeResponse{}, n.stores[volume.kind].release(ctx, volume)
}

func (n node) NodePublishVolume(ctx context.Context, request *csi.NodePublishVolumeRequest) (*csi.NodePublishVolumeResponse, error) {
	volume, err := mountable(request.GetVolumeId(), request.GetTargetPath(), request.GetVolumeCapability())
	if err != nil {
		return nil, err
	}
	staged := request.GetStagingTargetPath()
	if staged == "" {
		return nil, status.Error(codes.FailedPrecondition, "a volume is staged first")
	}
	if err := n.stage(ctx, volume, request.GetVolumeContext(), staged); err != nil {
		return nil, err
	}
	mounted, err := n.prepare(request.GetTargetPath())
	if err != nil || mounted {
		return &csi.NodePublishVolumeResponse{}, err
	}
	options := append([]string{"bind"}, request.GetVolumeCapability().GetMount().GetMountFlags()...)
	if request.GetReadonly() {
		options = append(options, "ro")
	}
	if err := n.mounter.Mount(staged, request.GetTargetPath(), "", options); err != nil {
		return nil, status.Error(codes.Internal, err.Error())
	}
	return &csi.NodePublishVolumeResponse{}, nil
}

func (n node) NodeUnpublishVolume(_ context.Context, request *csi.NodeUnpublishVolumeRequest) (*csi.NodeUnpublishVolumeResponse, error) {
	_, err := n.unmount(request.GetVolumeId(), request.GetTargetPath())
	return &csi.NodeUnpublishVolumeResponse{}, err
}

// Unmount removes a mount of a volume, also a failing one, with its directory.
func (n node) unmount(id, directory string) (volume, error) {
	if id == "" || directory == "" {
		return volume{}, status.Error(codes.InvalidArgument, "the id of a volume and its directory are needed")
	}
	volume, err := existing(id)
	if err != nil {
		return volume, err
	}
	if err := mount.CleanupMountPoint(directory, n.mounter, true); err != nil {
		return volume, status.Error(codes.Internal, err.Error())
	}
	return volume, nil
}

func (n node) NodeGetCapabilities(context.Context, *csi.NodeGetCapabilitiesRequest) (*csi.NodeGetCapabilitiesResponse, error) {
	rpc := csi.NodeServiceCapability_RPC{Type: csi.NodeServiceCapability_RPC_STAGE_UNSTAGE_VOLUME}
	capability := csi.NodeServiceCapability{Type: &csi.NodeServiceCapability_Rpc{Rpc: &rpc}}
	return &csi.NodeGetCapabilitiesResponse{Capabilities: []*csi.NodeServiceCapability{&capability}}, nil
}

func (n node) NodeGetInfo(context.Context, *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	return &csi.NodeGetInfoResponse{NodeId: n.name}, nil
}

func mountable(id, directory string, capability *csi.VolumeCapability) (volume, error) {
	if id == "" || directory == "" || capability == nil {
		return volume{}, status.Error(codes.InvalidArgument, "the id of a volume, a directory and a capability are needed")
	}
	volume, err := existing(id)
	if err != nil {
		return volume, err
	}
	if reason := unsupported(volume.kind, []*csi.VolumeCapability{capability}); reason != "" {
		return volume, status.Error(codes.InvalidArgument, reason)
	}
	return volume, nil
}
