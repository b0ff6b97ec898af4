package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	mebibyte = 1 << 20
	// The default size of a volume.
	defaultSize = 1 << 30
)

// Volume is an RBD image in a pool, or a directory in a CephFS file system. Its string, `rbd/kube/pvc-1`,
// is its id in Kubernetes.
type volume struct{ kind, place, name string }

var name = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$`)

func (v volume) String() string { return strings.Join([]string{v.kind, v.place, v.name}, "/") }

// ParseVolume returns the volume of an id; false if no volume of this driver can have it.
func parseVolume(id string) (volume, bool) {
	parts := strings.Split(id, "/")
	if len(parts) != 3 || (parts[0] != rbdKind && parts[0] != cephfsKind) || !name.MatchString(parts[1]) || !name.MatchString(parts[2]) {
		return volume{}, false
	}
	return volume{parts[0], parts[1], parts[2]}, true
}

// VolumeOf returns the volume of a class with a name: its parameters are `type`, by default rbd, and `pool` or
// `fileSystem`.
func volumeOf(wanted string, parameters map[string]string) (volume, error) {
	given := map[string]string{"type": rbdKind, "pool": "kube", "fileSystem": "cephfs"}
	for key, value := range parameters {
		if _, known := given[key]; !known {
			return volume{}, status.Errorf(codes.InvalidArgument, "a class of this driver has no parameter %q: it has type, pool and fileSystem", key)
		}
		given[key] = value
	}
	place := map[string]string{rbdKind: given["pool"], cephfsKind: given["fileSystem"]}[given["type"]]
	made, valid := parseVolume(volume{given["type"], place, wanted}.String())
	if !valid {
		return volume{}, status.Errorf(codes.InvalidArgument, "a volume %q of the type %q (rbd or cephfs) in %q cannot be made", wanted, given["type"], place)
	}
	return made, nil
}

// SizeOf returns a size within the range, in bytes: the required size, rounded up to MiB.
func sizeOf(asked *csi.CapacityRange) (int64, error) {
	required, limit := asked.GetRequiredBytes(), asked.GetLimitBytes()
	size := (required + mebibyte - 1) / mebibyte * mebibyte
	if required == 0 {
		size = defaultSize
		if limit > 0 {
			size = min(size, limit/mebibyte*mebibyte)
		}
	}
	if size <= 0 || (limit > 0 && size > limit) {
		return 0, status.Errorf(codes.OutOfRange, "no whole number of MiB is at least %d and at most %d bytes", required, limit)
	}
	return size, nil
}

// Unsupported returns why a volume of this kind cannot have a capability; empty if it can have all.
func unsupported(kind string, capabilities []*csi.VolumeCapability) string {
	for _, capability := range capabilities {
		mount := capability.GetMount()
		if mount == nil {
			return "only volumes with a file system are made, no block devices"
		}
		if kind == rbdKind && mount.GetFsType() != "" && mount.GetFsType() != fileSystem {
			return fmt.Sprintf("the file system of an image is %s, not %s", fileSystem, mount.GetFsType())
		}
		switch mode := capability.GetAccessMode().GetMode(); mode {
		case csi.VolumeCapability_AccessMode_SINGLE_NODE_WRITER, csi.VolumeCapability_AccessMode_SINGLE_NODE_READER_ONLY:
		default:
			if kind == rbdKind {
				return fmt.Sprintf("one node alone has an image: %v needs a class of the type cephfs", mode)
			}
		}
	}
	return ""
}
