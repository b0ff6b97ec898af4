import {isBuiltIn} from '../../../cluster/built-in-kind.ts'
import type {Cluster, KubernetesObject} from '../../../cluster/cluster.ts'
import {objectName} from '../../../cluster/manifest.ts'
import type {ChartFacts} from '../../../graph/inference/facts.ts'
import type {ReleaseId} from '../../../release.ts'

/** An object of a kind that the API server has not of itself. */
export interface CustomResource {
  /** As the API server serves it: `group/version/Kind`. */
  readonly kind: string
  /** For people: `Cache/one`. */
  readonly object: string
}

export function customResources(objects: readonly KubernetesObject[]): readonly CustomResource[] {
  return objects
    .filter(({apiVersion}) => !isBuiltIn(apiVersion))
    .map((object) => ({kind: `${object.apiVersion}/${object.kind}`, object: objectName(object)}))
}

/** The same of a chart that was rendered before. */
export function customResourcesOf({provided}: ChartFacts): readonly CustomResource[] {
  return provided.objects.flatMap(({apiVersion, kind, name}) =>
    apiVersion === undefined ? [] : [{kind: `${apiVersion}/${kind}`, object: `${kind}/${name}`}],
  )
}

/** A custom resource that the API server can only be asked about when its kind is there. */
export interface KnownAfterApply {
  readonly release: ReleaseId
  readonly object: string
}

interface Kinds {
  readonly cluster: Pick<Cluster, 'customKinds'>
  /** Those that the plan brings. */
  readonly brought: ReadonlySet<string>
}

/** Those whose kind the cluster does not serve and the plan brings; the cluster is asked only where there are custom resources. */
export async function knownAfterApply(
  resources: ReadonlyMap<ReleaseId, readonly CustomResource[]>,
  {cluster, brought}: Kinds,
): Promise<readonly KnownAfterApply[]> {
  const all = [...resources].flatMap(([release, each]) => each.map((resource) => ({release, ...resource})))
  const coming = all.filter(({kind}) => brought.has(kind))
  if (coming.length === 0) return []
  const served = new Set(await cluster.customKinds())
  return coming.filter(({kind}) => !served.has(kind)).map(({release, object}) => ({release, object}))
}
