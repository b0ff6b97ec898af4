package main

import (
	"context"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Controller creates and deletes volumes; its calls are idempotent.
type controller struct {
	csi.UnimplementedControllerServer
	stores map[string]store
}

func (c controller) CreateVolume(ctx context.Context, request *csi.CreateVolumeRequest) (*csi.CreateVolumeResponse, error) {
	if request.GetName() == "" || len(request.GetVolumeCapabilities()) == 0 {
		return nil, status.Error(codes.InvalidArgument, "a volume needs a name and capabilities")
	}
	if request.GetVolumeContentSource() != nil {
		return nil, status.Error(codes.InvalidArgument, "volumes are made empty, of no snapshot and of no other volume")
	}
	volume, err := volumeOf(request.GetName(), request.GetParameters())
	if err != nil {
		return nil, err
	}
	if reason := unsupported(volume.kind, request.GetVolumeCapabilities()); reason != "" {
		return nil, status.Error(codes.InvalidArgument, reason)
	}
	size, err := sizeOf(request.GetCapacityRange())
	if err != nil {
		return nil, err
	}
	store := c.stores[volume.kind]
	if err := store.create(ctx, volume, size); err != nil && status.Code(err) != codes.AlreadyExists {
		return nil, err
	}
	has, known, err := store.look(ctx, volume)
	if err != nil {
		return nil, err
	}
	if has != size {
		return nil, status.Errorf(codes.AlreadyExists, "%v is there with %d bytes, and not with %d", volume, has, size)
	}
	made := csi.Volume{VolumeId: volume.String(), CapacityBytes: size, VolumeContext: known}
	return &csi.CreateVolumeResponse{Volume: &made}, nil
}

// DeleteVolume succeeds if there is nothing to delete.
func (c controller) DeleteVolume(ctx context.Context, request *csi.DeleteVolumeRequest) (*csi.DeleteVolumeResponse, error) {
	if request.GetVolumeId() == "" {
		return nil, status.Error(codes.InvalidArgument, "whose id is missing")
	}
	if volume, ours := parseVolume(request.GetVolumeId()); ours {
		if err := c.stores[volume.kind].remove(ctx, volume); err != nil && status.Code(err) != codes.NotFound {
			return nil, err
		}
	}
	return &csi.DeleteVolumeResponse{}, nil
}

func (c controller) ValidateVolumeCapabilities(ctx context.Context, request *csi.ValidateVolumeCapabilitiesRequest) (*csi.ValidateVolumeCapabilitiesResponse, error) {
	if request.GetVolumeId() == "" || len(request.GetVolumeCapabilities()) == 0 {
		return nil, status.Error(codes.InvalidArgument, "the id of a volume and capabilities are needed")
	}
	volume, err := existing(request.GetVolumeId())
	if err != nil {
		return nil, err
	}
	if _, _, err := c.stores[volume.kind].look(ctx, volume); err != nil {
		return nil, err
	}
	if reason := unsupported(volume.kind, request.GetVolumeCapabilities()); reason != "" {
		return &csi.ValidateVolumeCapabilitiesResponse{Message: reason}, nil
	}
	return &csi.ValidateVolumeCapabilitiesResponse{
		Confirmed: &csi.ValidateVolumeCapabilitiesResponse_Confirmed{
			VolumeCapabilities: request.GetVolumeCapabilities(),
			VolumeContext:      request.GetVolumeContext(),
			Parameters:         request.GetParameters(),
		},
	}, nil
}

func (c controller) GetCapacity(ctx context.Context, request *csi.GetCapacityRequest) (*csi.GetCapacityResponse, error) {
	volume, err := volumeOf("any", request.GetParameters())
	if err != nil {
		return nil, err
	}
	if unsupported(volume.kind, request.GetVolumeCapabilities()) != "" {
		return &csi.GetCapacityResponse{}, nil
	}
	free, err := c.stores[volume.kind].free(ctx, volume.place)
	return &csi.GetCapacityResponse{AvailableCapacity: free}, err
}

func (c controller) ControllerGetCapabilities(context.Context, *csi.ControllerGetCapabilitiesRequest) (*csi.ControllerGetCapabilitiesResponse, error) {
	var all []*csi.ControllerServiceCapability
	for _, each := range []csi.ControllerServiceCapability_RPC_Type{
		csi.ControllerServiceCapability_RPC_CREATE_DELETE_VOLUME,
		csi.ControllerServiceCapability_RPC_GET_CAPACITY,
	} {
		rpc := csi.ControllerServiceCapability_RPC{Type: each}
		all = append(all, &csi.ControllerServiceCapability{Type: &csi.ControllerServiceCapability_Rpc{Rpc: &rpc}})
	}
	return &csi.ControllerGetCapabilitiesResponse{Capabilities: all}, nil
}

// Existing returns the volume of an id; NotFound if no volume of this driver can have it.
func existing(id string) (volume, error) {
	volume, ours := parseVolume(id)
	if !ours {
		return volume, status.Errorf(codes.NotFound, "%q is no volume of this driver", id)
	}
	return volume, nil
}
