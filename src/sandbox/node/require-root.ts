import {KkError} from '../../base/errors.ts'

/**
 * Throws `KK_AIO` unless the user is root, who may create and remove cgroups, mounts and network interfaces.
 */
export function requireRoot(): void {
  if (process.getuid?.() === 0) return
  throw new KkError('KK_AIO', 'the node needs root: it creates cgroups, mounts and network interfaces', {
    hint: 'run kk with sudo, or use "kk sandbox up", whose pods are simulated',
  })
}
