import type {KubernetesObject} from '../../cluster/cluster.ts'

/** The objects of one manifest that another does not have, each once. `namespace` is that of the release. */
export function droppedObjects(
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
  namespace: string,
): readonly KubernetesObject[] {
  const key = ({kind, metadata}: KubernetesObject) =>
    `${kind}/${metadata.namespace ?? namespace}/${metadata.name}`
  const staying = new Set(after.map(key))
  const dropped = before.filter((object) => !staying.has(key(object)))
  return [...new Map(dropped.map((object) => [key(object), object])).values()]
}

/** Those of them that are claims: helm would delete them with their data on the way from one to the other. */
export function droppedClaims(...manifests: Parameters<typeof droppedObjects>): readonly KubernetesObject[] {
  return droppedObjects(...manifests).filter(({kind}) => kind === 'PersistentVolumeClaim')
}
