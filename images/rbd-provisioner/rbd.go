package main

import (
	"context"
	"fmt"
	"os"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/mount-utils"
	"k8s.io/utils/exec"
)

const (
	rbdKind = "rbd"
	// The file system of images.
	fileSystem = "ext4"
	// The path of the kernel's RBD driver, which exists if the module is loaded.
	kernelDriver = "/sys/bus/rbd"
)

// Rbd are images, which the kernel of a node maps to a device.
type rbd struct{ ceph }

func image(volume volume) string { return volume.place + "/" + volume.name }

func (r rbd) create(ctx context.Context, volume volume, bytes int64) error {
	_, err := r.run(ctx, "rbd", "create", "--size", fmt.Sprintf("%dM", bytes/mebibyte), image(volume))
	return err
}

func (r rbd) look(ctx context.Context, volume volume) (int64, map[string]string, error) {
	var answer struct{ Size int64 }
	err := r.ask(ctx, &answer, "rbd", "info", image(volume))
	return answer.Size, nil, err
}

func (r rbd) remove(ctx context.Context, volume volume) error {
	_, err := r.run(ctx, "rbd", "remove", "--no-progress", image(volume))
	return err
}

// Mount maps the image exclusively: a second node fails to map it, whatever Kubernetes assumes about the first.
func (r rbd) mount(ctx context.Context, volume volume, _ map[string]string, directory string) error {
	if err := loadModule(ctx); err != nil {
		return err
	}
	device, err := r.device(ctx, volume)
	if err != nil {
		return err
	}
	if device == "" {
		if _, err := r.run(ctx, "rbd", "device", "map", "--options", "exclusive,noudev", image(volume)); err != nil {
			return err
		}
		if device, err = r.device(ctx, volume); err != nil {
			return err
		}
	}
	// As for a directory of CephFS: for any user of the pod.
	options := []string{"-E", "root_perms=0777"}
	formatter := mount.NewSafeFormatAndMount(mount.New(""), exec.New())
	if err := formatter.FormatAndMountSensitiveWithFormatOptions(device, directory, fileSystem, nil, nil, options); err != nil {
		return status.Errorf(codes.Internal, "%s of %v: %v", device, volume, err)
	}
	return nil
}

func (r rbd) release(ctx context.Context, volume volume) error {
	device, err := r.device(ctx, volume)
	if err != nil || device == "" {
		return err
	}
	_, err = r.run(ctx, "rbd", "device", "unmap", device)
	return err
}

// Device returns the device of the image on this node; empty if it is not mapped.
func (r rbd) device(ctx context.Context, volume volume) (string, error) {
	var mapped []struct{ Pool, Name, Device string }
	if err := r.ask(ctx, &mapped, "rbd", "device", "list"); err != nil {
		return "", err
	}
	for _, each := range mapped {
		if each.Pool == volume.place && each.Name == volume.name {
			return each.Device, nil
		}
	}
	return "", nil
}

func loadModule(ctx context.Context) error {
	if _, err := os.Stat(kernelDriver); err == nil {
		return nil
	}
	if _, err := runProgram(ctx, "modprobe", "rbd"); err != nil {
		return status.Error(codes.FailedPrecondition, "the kernel of this node has no module rbd: take a class of the type cephfs, which needs none")
	}
	return nil
}

func (r rbd) free(ctx context.Context, pool string) (int64, error) { return r.ceph.free(ctx, pool) }
