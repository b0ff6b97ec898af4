import type {KubernetesObject} from '../../cluster/cluster.ts'

/**
 * The claims that helm would delete with their data on the way from one manifest to another, because the other has them
 * no more. `namespace` is that of the release.
 */
export function droppedClaims(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  namespace: string,
): readonly KubernetesObject[] {
  const key = ({metadata}: KubernetesObject) => `${metadata.namespace ?? namespace}/${metadata.name}`
  const isClaim = ({kind}: KubernetesObject) => kind === 'PersistentVolumeClaim'
  const staying = new Set(after.filter(isClaim).map(key))
  const dropped = before.filter((object) => isClaim(object) && !staying.has(key(object)))
  return [...new Map(dropped.map((object) => [key(object), object])).values()]
}
