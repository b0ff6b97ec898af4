import {type RenderedObject, renderedObjects} from '../../../charts/manifests/rendered-objects.ts'
import {waiterOf} from '../../../charts/manifests/waiter-of.ts'
import type {Helm, ReleaseCall, TemplateOptions} from '../../../helm/helm.ts'
import type {ReleaseId} from '../../../release.ts'
import type {Vendored} from '../../preparation/vendored.ts'
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
  readonly helm: Pick<Helm, 'template'>
}

/** What a release renders where these kinds are known, without what only tests, deletion and rollback make. */
export async function renderNow(
  release: ReleaseId,
  kinds: readonly string[],
  {now, place, helm}: Renderers,
): Promise<readonly RenderedObject[]> {
  return render(now.call(release), optionsOf(release, kinds, {now, place}), helm)
}

/** `first` is what it renders; what it renders again, and as its next version with other images, is added. */
export async function examineRelease(
  release: ReleaseId,
  first: readonly RenderedObject[],
  kinds: readonly string[],
  {now, next, place, helm}: Renderers,
): Promise<ExaminedRelease> {
  const options = optionsOf(release, kinds, {now, place})
  const deployed = place.deployed.get(release)
  const objects = now.asksKinds(release) ? await render(now.call(release), options, helm) : first
  const again = await render(now.call(release), options, helm)
  const later = next.call(release)
  const values = withOtherImages(later.chart, later.values)
  return {
    release,
    objects,
    again,
    // Other images may be refused by a schema: then nothing is known of the next version.
    next: await render({...later, values}, options, helm).catch(() => []),
    deployed: deployed && {
      ...deployed,
      upgrade: await render(now.call(release), {...options, isUpgrade: true}, helm),
    },
  }
}

function optionsOf(
  release: ReleaseId,
  kinds: readonly string[],
  {now, place}: Pick<Renderers, 'now' | 'place'>,
): TemplateOptions {
  return {
    kubeVersion: place.kubeVersion,
    apiVersions: now.asksKinds(release) ? kinds : [],
  }
}

async function render(
  call: ReleaseCall,
  options: TemplateOptions,
  helm: Renderers['helm'],
): Promise<readonly RenderedObject[]> {
  const rendered = renderedObjects(await helm.template(call, options))
  return rendered.filter(({object}) => waiterOf(object) !== undefined)
}
