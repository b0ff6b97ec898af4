import {mapParallel} from '../base/parallel.ts'
import {readCluster} from '../doctor/charts/place.ts'
import type {ApiServer} from '../kubernetes/api/api-server.ts'
import {definedKinds} from '../kubernetes/inventory/custom-kinds.ts'
import type {KubernetesObject} from '../kubernetes/manifest/kubernetes-object.ts'
import {type RenderedObject, renderedObjects} from '../kubernetes/manifest/manifest.ts'
import type {Records} from '../kubernetes/records/records.ts'
import {mergedValues} from '../overrides/layers.ts'
import {preparedMask} from '../prepare/environment-mask.ts'
import {throwPositioned} from '../prepare/positioned-problems.ts'
import {namedReleases, type Prepared} from '../prepare/prepare.ts'
import {renderByKinds} from '../prepare/rendering/render-by-kinds.ts'
import {manifestOnCluster, type Renderer} from '../prepare/rendering/render-on-cluster.ts'
import {vendor} from '../prepare/rendering/vendored.ts'
import {redactObject} from '../redact/diff.ts'
import {redactObjects} from '../redact/objects.ts'
import type {ReleaseId} from '../release.ts'
import {expectKept} from './export.ts'
import type {Supplied} from './secrets/supply-secrets.ts'

export interface RenderOptions {
  /** All releases of the environment if empty. */
  readonly names: readonly string[]
  readonly helm: Renderer
  /** If set, charts read its version, its kinds and, if they look objects up, its objects. */
  readonly cluster: {readonly apiServer: ApiServer; readonly records: Records} | undefined
  /** `unchecked`: also shows values that are not kept yet, and that a deploy would replace. */
  readonly showSecrets: boolean | 'unchecked'
}

/** The objects that helm would apply for a release, with hooks. */
export interface RenderedRelease {
  readonly release: ReleaseId
  readonly objects: readonly RenderedObject[]
}

/**
 * Renders releases with their values and the secrets that kk keeps, as helm would apply them. Secrets are
 * masked unless `showSecrets`, which rejects with `KK_USAGE` for secrets that are not kept yet.
 */
export async function renderReleases(
  supplied: Supplied,
  {names, helm, cluster, showSecrets}: RenderOptions,
): Promise<readonly RenderedRelease[]> {
  const {final: prepared} = supplied
  const selected = selectedReleases(prepared, names)
  if (showSecrets === true)
    expectKept(
      {supplied},
      selected.map((id) => ({id})),
    )
  await using stack = new AsyncDisposableStack()
  const vendored = await vendor(prepared, prepared.releases.keys(), {ignoreKubernetesVersion: !cluster})
  stack.defer(vendored.remove)
  const place = await readCluster(selected, cluster)
  // A chart that asks for kinds also gets those that other charts define.
  const all = selected.some(vendored.asksKinds) ? [...prepared.releases.keys()] : selected
  const rendered = await renderByKinds<ReleaseId, readonly RenderedObject[]>(all, {
    asks: vendored.asksKinds,
    definedBy: (each) => definedKinds(each.flat().map(({object}) => object)),
    render: async (some, defined = []) =>
      new Map(await mapParallel(some, async (release) => [release, await render(release, defined)] as const)),
  })
  return selected.map((release) => {
    const objects = rendered.get(release)!
    return {release, objects: showSecrets ? objects : masked(objects, prepared, release)}
  })

  async function render(release: ReleaseId, defined: readonly string[]) {
    const deployed = place.deployed.get(release)
    const apiVersions = vendored.asksKinds(release) ? [...new Set([...place.kinds, ...defined])].sort() : []
    const options = {
      kubeVersion: place.kubeVersion,
      isUpgrade: deployed !== undefined,
      apiVersions,
      looksUp:
        cluster !== undefined &&
        vendored.looksUp(release) &&
        apiVersions.every((version) => place.kinds.includes(version)),
      revision: deployed && vendored.asksRevision(release) ? deployed.revision + 1 : undefined,
    }
    const manifest = manifestOnCluster(helm, vendored.call(release), options)
    return renderedObjects(
      await manifest.catch((error: unknown) => throwPositioned(error, prepared.releases)),
    )
  }
}

function selectedReleases(prepared: Prepared, names: readonly string[]): readonly ReleaseId[] {
  if (names.length === 0) return [...prepared.releases.keys()]
  return namedReleases(prepared, names).filter((release) => prepared.releases.has(release))
}

function masked(
  rendered: readonly RenderedObject[],
  prepared: Prepared,
  release: ReleaseId,
): readonly RenderedObject[] {
  const objects = rendered.map(({object}) => object)
  const redact = redactObjects(objects, mergedValues(prepared.releases.get(release)!.layers))
  const mask = preparedMask(prepared)
  const hide = (text: string, isSecret?: boolean) => mask(redact(text, isSecret))
  return rendered.map(({object, file}) => ({
    ...{file, object: redactObject(object, undefined, hide) as KubernetesObject},
  }))
}
