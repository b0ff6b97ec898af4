import {type RenderedObject, renderedObjects} from '../../../charts/manifests/rendered-objects.ts'
import {waiterOf} from '../../../charts/manifests/waiter-of.ts'
import {definedKinds} from '../../../cluster/custom-kinds.ts'
import type {ReleaseCall} from '../../../helm/helm.ts'
import type {ReleaseId} from '../../../release.ts'
import {
  type ClusterRender,
  manifestOnCluster,
  type Renderer,
} from '../../preparation/rendering/render-on-cluster.ts'
import type {Vendored} from '../../preparation/rendering/vendored.ts'
import {isUntouchedDefinition} from './checks/untouched-definitions.ts'
import type {ExaminedRelease} from './examined-release.ts'
import {withOtherImages} from './next-version.ts'
import type {Place} from './place.ts'

/** How the charts of an environment are rendered for an examination. */
export interface Renderers {
  /** As they are. */
  readonly now: Vendored
  /** Each as its next version. */
  readonly next: Vendored
  readonly place: Place
  readonly helm: Renderer
}

/** What a release renders where these kinds are known, without what only tests, deletion and rollback make. */
export async function renderNow(
  release: ReleaseId,
  kinds: readonly string[],
  {now, place, helm}: Renderers,
): Promise<readonly RenderedObject[]> {
  return render(now.call(release), optionsOf(release, kinds, {now, place}), helm)
}

/** `objects` is what it renders; what it renders again, and as its next version with other images, is added. */
export async function examineRelease(
  release: ReleaseId,
  objects: readonly RenderedObject[],
  kinds: readonly string[],
  {now, next, place, helm}: Renderers,
): Promise<ExaminedRelease> {
  const options = optionsOf(release, kinds, {now, place})
  const deployed = place.deployed.get(release)
  const again = await render(now.call(release), options, helm)
  const foreign = withoutOwn(kinds, objects, place)
  const asksForOwn = now.asksKinds(release) && foreign.length < kinds.length
  const later = next.call(release)
  const values = withOtherImages(later.chart, later.values)
  return {
    release,
    objects,
    atFirst: asksForOwn ? await render(now.call(release), {...options, apiVersions: foreign}, helm) : objects,
    again,
    // Other images may be refused by a schema: then nothing is known of the next version.
    next: await render({...later, values}, options, helm).catch(() => []),
    deployed: deployed && {
      ...deployed,
      upgrade: await render(
        now.call(release),
        {
          ...options,
          isUpgrade: true,
          revision: now.asksRevision(release) ? deployed.revision + 1 : undefined,
        },
        helm,
      ),
    },
  }
}

/** What is known before a release is installed: what the cluster serves, what others define, and its own `crds/`. */
function withoutOwn(
  kinds: readonly string[],
  objects: readonly RenderedObject[],
  place: Place,
): readonly string[] {
  const templates = objects.filter((each) => !isUntouchedDefinition(each))
  const own = new Set(definedKinds(templates.map(({object}) => object)))
  const served = new Set(place.kinds)
  return kinds.filter((kind) => served.has(kind) || !own.has(kind))
}

function optionsOf(
  release: ReleaseId,
  kinds: readonly string[],
  {now, place}: Pick<Renderers, 'now' | 'place'>,
): ClusterRender {
  const apiVersions = now.asksKinds(release) ? kinds : []
  const canAsk = place.deployed.has(release) && apiVersions.every((version) => place.kinds.includes(version))
  return {
    kubeVersion: place.kubeVersion,
    apiVersions,
    // What is not deployed yet has nothing that it could find.
    looksUp: canAsk && now.looksUp(release),
  }
}

async function render(
  call: ReleaseCall,
  options: ClusterRender,
  helm: Renderer,
): Promise<readonly RenderedObject[]> {
  const rendered = renderedObjects(await manifestOnCluster(helm, call, options))
  return rendered.filter(({object}) => waiterOf(object) !== undefined)
}
