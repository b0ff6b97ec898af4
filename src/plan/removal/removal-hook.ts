import type {KubernetesObject} from '../../cluster/cluster.ts'

const EVENTS: readonly string[] = ['pre-delete', 'post-delete']

/**
 * Whether helm uninstall makes the object and leaves it: a hook of the removal whose policy does not delete it when it has
 * succeeded. Helm deletes no definition that a hook made (Helm 4.2: hooks.go deleteHookByPolicy).
 */
export function isLeftByRemoval({kind, metadata}: KubernetesObject): boolean {
  const words = (name: string) =>
    (metadata.annotations?.[name] ?? '').split(',').map((word) => word.trim().toLowerCase())
  if (!words('helm.sh/hook').some((event) => EVENTS.includes(event))) return false
  return (
    kind === 'CustomResourceDefinition' || !words('helm.sh/hook-delete-policy').includes('hook-succeeded')
  )
}
