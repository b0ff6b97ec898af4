import {join} from 'node:path'
import type {NodePaths} from '../paths.ts'

/** The kubelet's directory, which holds pods and their volumes; where drivers of storage (CSI) expect it. */
export const KUBELET = '/var/lib/kubelet'

/**
 * The directories that programs write to whatever their configuration says, and those of the node in which kk's charts
 * keep what outlives pods. The node has others in their place, in a mount namespace of its own, so that none of its
 * files and mounts are the machine's, however it ends.
 */
export const REPLACED = [
  '/etc/libvirt',
  '/run/containerd',
  '/run/libvirt',
  '/run/netns',
  '/run/openvswitch',
  '/var/lib/cni',
  '/var/lib/kk-tempest',
  KUBELET,
  '/var/lib/libvirt',
  '/var/lib/nova',
  '/var/lib/openvswitch',
  '/var/log/containers',
  '/var/log/libvirt',
] as const

// The arguments are pairs of directories up to "--", then the program. What the machine mounts later is seen inside,
// not the reverse.
const ENTER = `set -e
mount --make-rshared /
while [ "$1" != -- ]; do mount --bind "$1" "$2"; shift 2; done
shift
exec "$@"`

/** Returns the directory that replaces one of the machine's. */
export function replacement(paths: NodePaths, directory: string): string {
  return join(paths.machine, directory.slice(1).replaceAll('/', '-'))
}

/** Returns the command that runs the program in a new mount namespace. Its process id becomes that of the program. */
export function inNewNamespace(paths: NodePaths, argv: readonly string[]): readonly string[] {
  const pairs = REPLACED.flatMap((directory) => [replacement(paths, directory), directory])
  return ['unshare', '--mount', '--propagation', 'slave', 'sh', '-c', ENTER, 'enter', ...pairs, '--', ...argv]
}

/** Returns the command that runs the program in the mount namespace of a process. */
export function inNamespaceOf(pid: number, argv: readonly string[]): readonly string[] {
  return ['nsenter', `--mount=/proc/${pid}/ns/mnt`, ...argv]
}
