package main

import "context"

// Store is a kind of storage in Ceph. Its errors are of gRPC; a volume that is not there is NotFound.
type store interface {
	// Create makes a volume that is not there; one that is there is AlreadyExists, and stays as it is.
	create(ctx context.Context, volume volume, bytes int64) error
	// Look returns the size of a volume in bytes, and what a node has to know of it.
	look(ctx context.Context, volume volume) (int64, map[string]string, error)
	remove(ctx context.Context, volume volume) error
	// Free returns how much more a pool or file system may hold, in bytes.
	free(ctx context.Context, place string) (int64, error)
	// Mount mounts the volume on a directory, with what look has returned of it.
	mount(ctx context.Context, volume volume, known map[string]string, directory string) error
	// Release gives back what a volume had of this node beside its mount.
	release(ctx context.Context, volume volume) error
}

func storesOf(ceph ceph) map[string]store {
	return map[string]store{rbdKind: rbd{ceph}, cephfsKind: cephfs{ceph}}
}
