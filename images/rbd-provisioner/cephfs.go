package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	cephfsKind = "cephfs"
	// The group of subvolumes, which is a directory: the account of nodes sees nothing outside of it.
	group = "kubernetes"
	// What a node has to know of a volume: its directory.
	pathKey = "path"
	// By itself it would wait for five minutes, and Kubernetes waits for two.
	mountSeconds = "60"
)

// Cephfs are directories with a quota, subvolumes of a file system, which a program of each node mounts.
type cephfs struct{ ceph }

func subvolume(verb string, volume volume, more ...string) []string {
	return append([]string{"fs", "subvolume", verb, volume.place, volume.name, "--group_name", group}, more...)
}

// Create looks first: to order what is there again would change its quota.
func (c cephfs) create(ctx context.Context, volume volume, bytes int64) error {
	_, _, err := c.look(ctx, volume)
	if err == nil {
		return status.Errorf(codes.AlreadyExists, "%v is there", volume)
	}
	if status.Code(err) != codes.NotFound {
		return err
	}
	// Whatever user the pod runs as; the directory above is root's alone.
	order := subvolume("create", volume, "--size", fmt.Sprint(bytes), "--mode", "777")
	_, err = c.run(ctx, "ceph", order...)
	if status.Code(err) != codes.NotFound {
		return err
	}
	if _, err := c.run(ctx, "ceph", "fs", "subvolumegroup", "create", volume.place, group); err != nil {
		return err
	}
	_, err = c.run(ctx, "ceph", order...)
	return err
}

func (c cephfs) look(ctx context.Context, volume volume) (int64, map[string]string, error) {
	var answer struct {
		Path  string
		Quota int64 `json:"bytes_quota"`
	}
	err := c.ask(ctx, &answer, "ceph", subvolume("info", volume)...)
	return answer.Quota, map[string]string{pathKey: answer.Path}, err
}

// Remove moves the directory to the trash of the file system, which is emptied at once, but not waited for.
func (c cephfs) remove(ctx context.Context, volume volume) error {
	_, err := c.run(ctx, "ceph", subvolume("rm", volume)...)
	return err
}

func (c cephfs) free(ctx context.Context, place string) (int64, error) {
	var systems []struct {
		Name string
		Data []string `json:"data_pools"`
	}
	if err := c.ask(ctx, &systems, "ceph", "fs", "ls"); err != nil {
		return 0, err
	}
	for _, each := range systems {
		if each.Name == place && len(each.Data) > 0 {
			return c.ceph.free(ctx, each.Data[0])
		}
	}
	return 0, status.Errorf(codes.NotFound, "there is no file system %s", place)
}

// Mount starts a ceph-fuse, which goes on when the driver and its pod have ended: pods on this node read and write by it.
func (c cephfs) mount(ctx context.Context, volume volume, known map[string]string, directory string) error {
	self, err := os.Executable()
	if err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	// A file: it keeps what it writes to, and the end of a pipe would be that of the mount.
	complaint, err := os.CreateTemp("", "ceph-fuse-")
	if err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	defer os.Remove(complaint.Name())
	defer complaint.Close()
	command := exec.CommandContext(ctx, self, "fuse", "--id", c.user, "--client_fs", volume.place,
		"--client_mountpoint", known[pathKey], "--client_mount_timeout", mountSeconds, directory)
	command.Stderr = complaint
	if err := command.Run(); err != nil {
		said, _ := os.ReadFile(complaint.Name())
		return status.Errorf(codes.Internal, "ceph-fuse of %v: %v: %s", volume, err, lastLine(string(said)))
	}
	return nil
}

// A ceph-fuse ends with its mount.
func (c cephfs) release(context.Context, volume) error { return nil }

// BecomeFuse makes this process a ceph-fuse that is in no cgroup of its pod: the kubelet ends whatever is left there.
func becomeFuse(arguments []string) error {
	mounts, err := os.ReadFile("/proc/mounts")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if fields[2] == "cgroup" || fields[2] == "cgroup2" {
			if err := enter(fields[1]); err != nil {
				return fmt.Errorf("ceph-fuse would end with its pod: %w", err)
			}
		}
	}
	return syscall.Exec("/usr/bin/ceph-fuse", append([]string{"ceph-fuse"}, arguments...), os.Environ())
}

// As much of the processors as Kubernetes' pods have together, who would starve it otherwise; in each version of cgroups.
var shares = map[string]string{"cpu.shares": "102400", "cpu.weight": "10000"}

// Enter puts this process into a cgroup of the node's own, in a hierarchy of cgroups.
func enter(hierarchy string) error {
	own := filepath.Join(hierarchy, "kk-volumes")
	if err := os.Mkdir(own, 0o755); err != nil && !os.IsExist(err) {
		return err
	}
	settings := maps.Clone(shares)
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		// In version 1 a new cpuset is empty, and takes nobody.
		if _, err := os.Stat(filepath.Join(own, "tasks")); err == nil {
			all, _ := os.ReadFile(filepath.Join(hierarchy, file))
			settings[file] = string(all)
		}
	}
	for file, value := range settings {
		if _, err := os.Stat(filepath.Join(own, file)); err != nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(own, file), []byte(value), 0o644); err != nil {
			return err
		}
	}
	// This process, whatever its number is there.
	return os.WriteFile(filepath.Join(own, "cgroup.procs"), []byte("0"), 0o644)
}
