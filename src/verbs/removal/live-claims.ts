import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {Claim, LiveObjects} from '../../kubernetes/objects/live-objects.ts'

export const CLAIM = 'PersistentVolumeClaim'

/** Returns the namespaces of claims, and of StatefulSets, which create claims. */
export function claimNamespaces(objects: readonly KubernetesObject[], namespace: string): readonly string[] {
  return objects
    .filter(({kind}) => kind === CLAIM || kind === 'StatefulSet')
    .map(({metadata}) => metadata.namespace ?? namespace)
}

/** Returns all live claims of these namespaces. */
export async function claimsIn(live: LiveObjects, namespaces: readonly string[]): Promise<readonly Claim[]> {
  const each = [...new Set(namespaces)]
  return (await Promise.all(each.map((name) => live.claims(name)))).flat()
}

/** Returns the live claims among the objects. */
export function claimsAmong(
  objects: readonly KubernetesObject[],
  live: readonly Claim[],
  namespace: string,
): readonly Claim[] {
  const names = new Set(
    objects
      .filter(({kind}) => kind === CLAIM)
      .map(({metadata}) => `${metadata.namespace ?? namespace}/${metadata.name}`),
  )
  return live.filter((claim) => names.has(`${claim.namespace}/${claim.name}`))
}
