import {basename} from 'node:path'
import type {ReleaseCall} from '../../helm/helm.ts'
import {definedKinds} from '../../kubernetes/inventory/custom-kinds.ts'
import {type RenderedObject, renderedObjects} from '../../kubernetes/manifest/manifest.ts'
import {waiterOf} from '../../prepare/inference/manifests/waiter-of.ts'
import {
  type ClusterRender,
  manifestOnCluster,
  type Renderer,
} from '../../prepare/rendering/render-on-cluster.ts'
import type {Vendored} from '../../prepare/rendering/vendored.ts'
import type {ReleaseId} from '../../release.ts'
import {isUntouchedDefinition} from './checks/untouched-definitions.ts'
import type {ExaminedRelease} from './examined-release.ts'
import {nextObjects, withOtherImages} from './next-version.ts'
import type {ExaminedCluster} from './place.ts'
import type {Templates} from './templates.ts'

/** The copies and lookups with which the charts of an environment are rendered for an examination. */
export interface Renderers {
  /** The charts as they are. */
  readonly now: Vendored
  /** Each chart as its next version, if its result is not known without rendering it. */
  readonly next: Vendored
  /** The charts with only those templates whose result may be random. */
  readonly randomCharts: Vendored
  readonly templates: (release: ReleaseId) => Templates
  /** Returns the cached render, if its layers are the same. */
  readonly cachedObjects: (release: ReleaseId) => readonly RenderedObject[] | undefined
  readonly place: ExaminedCluster
  readonly helm: Renderer
}

/** Actions of templates whose result differs each time. */
export const RANDOM =
  /\b(?:rand(?:AlphaNum|Alpha|Ascii|Numeric|Bytes|Int)|uuidv4|gen(?:PrivateKey|CA|SelfSignedCert|SignedCert)\w*|htpasswd|bcrypt|now|ago|shuffle|encryptAES)\b/

/**
 * Renders a release with these kinds as API versions, without objects that helm creates only in tests,
 * deletions and rollbacks.
 */
export async function renderNow(
  release: ReleaseId,
  kinds: readonly string[],
  {now, place, helm, cachedObjects}: Renderers,
): Promise<readonly RenderedObject[]> {
  const options = optionsOf(release, kinds, {now, place})
  const before = cachedObjects(release)
  const isSame = options.apiVersions.length === 0 && !options.looksUp
  if (isSame && before) return withoutLater(before)
  return render(now.call(release), options, helm)
}

/**
 * Examines a release: renders it again, with the next version and images, and as an upgrade of the deployed
 * revision.
 */
export async function examineRelease(
  release: ReleaseId,
  objects: readonly RenderedObject[],
  kinds: readonly string[],
  {now, next, randomCharts, templates: templatesOf, place, helm}: Renderers,
): Promise<ExaminedRelease> {
  const options = optionsOf(release, kinds, {now, place})
  const deployed = place.deployed.get(release)
  const templates = templatesOf(release)
  const {chart, values} = now.call(release)
  const foreign = withoutOwn(kinds, objects, place)
  const asksForOwn = now.asksKinds(release) && foreign.length < kinds.length
  return {
    release,
    objects,
    atFirst: asksForOwn ? await render(now.call(release), {...options, apiVersions: foreign}, helm) : objects,
    secondRender: templates.reaching(RANDOM).size === 0 ? objects : await renderAgain(),
    lookingUp: options.looksUp ? new Set() : filesOf(chart, templates.reaching(/\blookup\b/)),
    // A schema may refuse other images; then the next version is unknown.
    next: nextObjects(chart, values, {objects, templates}) ?? (await renderNext().catch(() => [])),
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

  /**
   * Renders the random templates again; falls back to the whole chart, because a template may need an omitted
   * one.
   */
  async function renderAgain(): Promise<readonly RenderedObject[]> {
    return render(randomCharts.call(release), options, helm).catch(() =>
      render(now.call(release), options, helm),
    )
  }

  async function renderNext(): Promise<readonly RenderedObject[]> {
    const later = next.call(release)
    return render({...later, values: withOtherImages(later.chart, later.values)}, options, helm)
  }
}

/** Returns the paths as in the output of helm, prefixed with the chart. */
function filesOf(chart: string, paths: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...paths].map((path) => `${basename(chart)}/${path}`))
}

/**
 * Returns the kinds that exist before a release is installed: those of the cluster, of other releases, and
 * its own in `crds/`.
 */
function withoutOwn(
  kinds: readonly string[],
  objects: readonly RenderedObject[],
  place: ExaminedCluster,
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
) {
  const apiVersions = now.asksKinds(release) ? kinds : []
  const canAsk = place.deployed.has(release) && apiVersions.every((version) => place.kinds.includes(version))
  return {
    kubeVersion: place.kubeVersion,
    apiVersions,
    // A release that is not deployed has nothing to look up.
    looksUp: canAsk && now.looksUp(release),
  } satisfies ClusterRender
}

async function render(
  call: ReleaseCall,
  options: ClusterRender,
  helm: Renderer,
): Promise<readonly RenderedObject[]> {
  return withoutLater(renderedObjects(await manifestOnCluster(helm, call, options)))
}

function withoutLater(rendered: readonly RenderedObject[]): readonly RenderedObject[] {
  return rendered.filter(({object}) => waiterOf(object) !== undefined)
}
