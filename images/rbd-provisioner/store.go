package main

import "context"

// Store is a kind of storage in Ceph. Its errors are gRPC errors; a missing volume is NotFound.
type store interface {
	// Create creates a missing volume; an existing one is AlreadyExists, and stays as it is.
	create(ctx context.Context, volume volume, bytes int64) error
	// Look returns the size of a volume in bytes, and what a node needs to know about it.
	look(ctx context.Context, volume volume) (int64, map[string]string, error)
	remove(ctx context.Context, volume volume) error
	// Free returns the free capacity of a pool or file system, in bytes.
	free(ctx context.Context, place string) (int64, error)
	// Mount mounts the volume on a directory, with the result of look.
	mount(ctx context.Context, volume volume, known map[string]string, directory string) error
	// Release frees the resources of a volume on this node, except its mount.
	release(ctx context.Context, volume volume) error
}

func storesOf(ceph ceph) map[string]store {
	return map[string]store{rbdKind: rbd{ceph}, cephfsKind: cephfs{ceph}}
}
