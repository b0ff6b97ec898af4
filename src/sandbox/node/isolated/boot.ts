/**
 * The first program of a node with namespaces of its own, in sh: mounts what a machine has for itself over
 * the machine's, and reaps orphans from then on. The arguments are the node's name, its directory, the file
 * for the process id as the machine has it, and pairs of what is mounted where.
 */
export const BOOT = `set -e
name=$1 home=$2 file=$3
shift 3
# /proc is still the machine's.
read -r pid _ </proc/self/stat
mount --make-rshared /
while [ $# -gt 0 ]; do mount --bind "$1" "$2"; shift 2; done

mkdir -p "$home/dev"
mount -t tmpfs -o mode=755 dev "$home/dev"
mkdir "$home/dev/pts" "$home/dev/shm" "$home/dev/mqueue" "$home/dev/net"
mount -t devpts -o newinstance,ptmxmode=666,gid=5 devpts "$home/dev/pts"
mount -t tmpfs shm "$home/dev/shm"
mount -t mqueue mqueue "$home/dev/mqueue"
for device in null zero full random urandom tty kmsg fuse kvm net/tun vhost-net loop-control loop0 loop1 loop2 loop3; do
  [ ! -c "/dev/$device" ] && [ ! -b "/dev/$device" ] || cp -a "/dev/$device" "$home/dev/$device"
done
# For the post-copy of a QEMU that is not root's; the kernel chooses the minor number.
minor=$(awk '$2 == "userfaultfd" { print $1 }' /proc/misc)
[ -z "$minor" ] || mknod -m 666 "$home/dev/userfaultfd" c 10 "$minor"
for link in ptmx:pts/ptmx fd:/proc/self/fd stdin:fd/0 stdout:fd/1 stderr:fd/2; do ln -s "\${link#*:}" "$home/dev/\${link%%:*}"; done
mount --rbind "$home/dev" /dev

# What shows the cgroups and interfaces of these namespaces alone.
hierarchies=$(awk '$3 == "cgroup" || $3 == "cgroup2" { print $2, $3, $4 }' /proc/self/mounts)
mount -t sysfs sysfs /sys
mount -t tmpfs -o mode=755 cgroup /sys/fs/cgroup
echo "$hierarchies" | while read -r path type options; do
  mkdir -p "$path"
  if [ "$type" = cgroup2 ]; then
    mount -t cgroup2 cgroup2 "$path"
    for each in $(cat "$path/cgroup.controllers"); do echo "+$each" >"$path/cgroup.subtree_control"; done
  else
    mount -t cgroup -o "$(echo "$options" | sed -E 's/\\b(rw|ro|relatime|noatime|nosuid|nodev|noexec|xattr)\\b,?//g; s/,$//')" cgroup "$path"
  fi
done
mount -t tmpfs -o mode=755 run /run
mkdir -p /run/lock /run/containerd /run/libvirt /run/netns /run/openvswitch
mount -t proc proc /proc
hostname "$name"
ip link set lo up
echo "$pid" >"$file.part"
mv "$file.part" "$file"
trap '' HUP INT TERM
while :; do
  sleep 3600 &
  wait $!
done`
