import type {ChartFacts} from '../../graph/inference/facts.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import {isBuiltIn} from '../../kubernetes/inventory/custom-kinds.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectName} from '../../kubernetes/manifest/manifest.ts'
import type {ReleaseId} from '../../release.ts'

/** An object of a kind that is not built into the API server. */
export interface CustomResource {
  /** The kind as the API server serves it: `group/version/Kind`. */
  readonly kind: string
  /** The object, for display: `Cache/one`. */
  readonly object: string
}

export function customResources(objects: readonly KubernetesObject[]): readonly CustomResource[] {
  return objects
    .filter(({apiVersion}) => !isBuiltIn(apiVersion))
    .map((object) => ({kind: `${object.apiVersion}/${object.kind}`, object: objectName(object)}))
}

/** Returns the custom resources of a chart that was rendered before, from its facts. */
export function customResourcesInFacts({provided}: ChartFacts): readonly CustomResource[] {
  return provided.objects.flatMap(({apiVersion, kind, name}) =>
    apiVersion === undefined ? [] : [{kind: `${apiVersion}/${kind}`, object: `${kind}/${name}`}],
  )
}

/** A custom resource that the API server can validate only once its kind exists. */
export interface KnownAfterApply {
  readonly release: ReleaseId
  readonly object: string
}

interface Kinds {
  readonly cluster: {readonly apiServer: ApiServer}
  /** The kinds that the plan adds. */
  readonly brought: ReadonlySet<string>
}

/** Returns the custom resources whose kind the plan adds. Asks the cluster only if there are any. */
export async function knownAfterApply(
  resources: ReadonlyMap<ReleaseId, readonly CustomResource[]>,
  {cluster, brought}: Kinds,
): Promise<readonly KnownAfterApply[]> {
  const all = [...resources].flatMap(([release, each]) => each.map((resource) => ({release, ...resource})))
  const candidates = all.filter(({kind}) => brought.has(kind))
  if (candidates.length === 0) return []
  const served = new Set(await cluster.apiServer.customKinds())
  return candidates.filter(({kind}) => !served.has(kind)).map(({release, object}) => ({release, object}))
}
