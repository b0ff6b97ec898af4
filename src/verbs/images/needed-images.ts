import {digMaps, digText} from '../../base/dig.ts'
import {mapParallel} from '../../base/parallel.ts'
import type {Helm} from '../../helm/helm.ts'
import {definedKinds} from '../../kubernetes/inventory/custom-kinds.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {parseManifest} from '../../kubernetes/manifest/manifest.ts'
import {containersOf, podTemplate} from '../../kubernetes/manifest/pods.ts'
import {KUBE_VERSION} from '../../prepare/inference/facts-of-releases.ts'
import {throwPositioned} from '../../prepare/positioned-problems.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {renderByKinds} from '../../prepare/rendering/render-by-kinds.ts'
import {vendor} from '../../prepare/rendering/vendored.ts'
import type {ReleaseId} from '../../release.ts'

/** An image, and the releases whose pods use it. */
export interface NeededImage {
  /** The reference in charts: `quay.io/ns/keystone:2025.1`. */
  readonly image: string
  readonly releases: readonly ReleaseId[]
}

/**
 * Returns the images of the pods of an environment, including hooks and tests, sorted by name. Images of pods
 * that operators create for custom resources are unknown. Rejects with the error of a chart that does not
 * render.
 */
export async function neededImages(
  prepared: Prepared,
  helm: Pick<Helm, 'template'>,
): Promise<readonly NeededImage[]> {
  const vendored = await vendor(prepared, prepared.releases.keys(), {ignoreKubernetesVersion: true})
  const rendered = await renderByKinds<ReleaseId, readonly KubernetesObject[]>(
    [...prepared.releases.keys()],
    {
      asks: vendored.asksKinds,
      definedBy: (objects) => definedKinds(objects.flat()),
      render: async (releases, apiVersions = []) => {
        const options = {kubeVersion: KUBE_VERSION, apiVersions, withTests: true}
        const render = async (release: ReleaseId) =>
          [release, parseManifest(await helm.template(vendored.call(release), options))] as const
        return new Map(await mapParallel(releases, render))
      },
    },
  )
    .catch((error: unknown) => throwPositioned(error, prepared.releases))
    .finally(vendored.remove)
  const named = [...rendered].flatMap(([release, objects]) =>
    objects.flatMap(podImages).map((image) => ({release, image})),
  )
  return [...Map.groupBy(named, ({image}) => image)]
    .map(([image, uses]) => ({image, releases: [...new Set(uses.map(({release}) => release))].sort()}))
    .sort((a, b) => (a.image < b.image ? -1 : 1))
}

function podImages(object: KubernetesObject): readonly string[] {
  const template = podTemplate(object)
  if (!template) return []
  const containers = containersOf(template).map(({container}) => digText(container, 'image'))
  const volumes = digMaps(template.spec, 'volumes').map((volume) => digText(volume, 'image', 'reference'))
  return [...containers, ...volumes].filter((image) => image !== undefined)
}
