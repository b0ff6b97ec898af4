import {join} from 'node:path'
import type {NodePaths} from '../paths.ts'

/** The kubelet's directory, which holds pods and their volumes; CSI drivers expect it at this path. */
export const KUBELET = '/var/lib/kubelet'

/**
 * The directories that programs write to regardless of their configuration, and those in which kk's charts
 * keep data that outlives pods. The node mounts its own directories over them in a separate mount namespace,
 * so that none of its files and mounts affect the machine, however it ends.
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

// The arguments are pairs of directories up to "--", then the program. Later mounts of the machine propagate
// into the namespace, not the reverse.
const ENTER = `set -e
mount --make-rshared /
while [ "$1" != -- ]; do mount --bind "$1" "$2"; shift 2; done
shift
exec "$@"`

/** Returns the directory that replaces one of the machine's directories. */
export function replacement(paths: NodePaths, directory: string): string {
  return join(paths.machine, directory.slice(1).replaceAll('/', '-'))
}

/** Returns the command that runs a program in a new mount namespace; the program keeps its process id. */
export function inNewNamespace(paths: NodePaths, argv: readonly string[]): readonly string[] {
  const pairs = REPLACED.flatMap((directory) => [replacement(paths, directory), directory])
  return ['unshare', '--mount', '--propagation', 'slave', 'sh', '-c', ENTER, 'enter', ...pairs, '--', ...argv]
}

/** Returns the command that runs the program in the mount namespace of a process. */
export function inProcessNamespace(pid: number, argv: readonly string[]): readonly string[] {
  return ['nsenter', `--mount=/proc/${pid}/ns/mnt`, ...argv]
}
