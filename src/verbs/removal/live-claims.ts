import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {Claim, LiveObjects} from '../../kubernetes/objects/live-objects.ts'

export const CLAIM = 'PersistentVolumeClaim'

/** Returns the namespaces of claims, and of StatefulSets, which make claims. */
export function homesOf(objects: readonly KubernetesObject[], namespace: string): readonly string[] {
  return objects
    .filter(({kind}) => kind === CLAIM || kind === 'StatefulSet')
    .map(({metadata}) => metadata.namespace ?? namespace)
}

/** Returns all claims of these namespaces, as they are now. */
export async function claimsIn(live: LiveObjects, namespaces: readonly string[]): Promise<readonly Claim[]> {
  const each = [...new Set(namespaces)]
  return (await Promise.all(each.map((name) => live.claims(name)))).flat()
}

/** Returns the claims among the objects, as they are now. */
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
