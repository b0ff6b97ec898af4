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
	// The group of subvolumes, a directory: the account of nodes has no access outside of it.
	group = "kubernetes"
	// What a node needs to know about a volume: its directory.
	pathKey = "path"
	// Its default is five minutes, but Kubernetes waits only for two.
	mountSeconds = "60"
)

// Cephfs are directories with a quota, subvolumes of a file system, which a ceph-fuse on each node mounts.
type cephfs struct{ ceph }

func subvolume(verb string, volume volume, more ...string) []string {
	return append([]string{"fs", "subvolume", verb, volume.place, volume.name, "--group_name", group}, more...)
}

// Create checks first, because creating an existing one again would change its quota.
func (c cephfs) create(ctx context.Context, volume volume, bytes int64) error {
	_, _, err := c.look(ctx, volume)
	if err == nil {
		return status.Errorf(codes.AlreadyExists, "%v is there", volume)
	}
	if status.Code(err) != codes.NotFound {
		return err
	}
	// For any user of the pod; only root can access the parent directory.
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

// Remove moves the directory to the trash of the file system, which Ceph empties asynchronously.
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

// Mount starts a ceph-fuse, which outlives the driver and its pod, because pods on this node use its mount.
func (c cephfs) mount(ctx context.Context, volume volume, known map[string]string, directory string) error {
	self, err := os.Executable()
	if err != nil {
		return status.Error(codes.Internal, err.Error())
	}
	// A file, because ceph-fuse keeps its standard error open: closing a pipe would end the mount.
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

// BecomeFuse makes this process a ceph-fuse outside of the pod's cgroups, in which the kubelet kills all processes.
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

// As much of the processors as all pods together, which could starve it otherwise; for cgroup v1 and v2.
var shares = map[string]string{"cpu.shares": "102400", "cpu.weight": "10000"}

// Enter moves this process to a cgroup of the node, in a cgroup hierarchy.
func enter(hierarchy string) error {
	own := filepath.Join(hierarchy, "kk-volumes")
	if err := os.Mkdir(own, 0o755); err != nil && !os.IsExist(err) {
		return err
	}
	settings := maps.Clone(shares)
	for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
		// In cgroup v1 a new cpuset is empty, and accepts no process.
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
	// 0 is this process, in any PID namespace.
	return os.WriteFile(filepath.Join(own, "cgroup.procs"), []byte("0"), 0o644)
}
