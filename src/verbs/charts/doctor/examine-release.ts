import {basename} from 'node:path'
import {waiterOf} from '../../../charts/manifests/waiter-of.ts'
import {definedKinds} from '../../../cluster/custom-kinds.ts'
import {type RenderedObject, renderedObjects} from '../../../cluster/manifest.ts'
import type {ReleaseCall} from '../../../helm/helm.ts'
import type {ReleaseId} from '../../../release.ts'
import {KUBE_VERSION} from '../../preparation/inference/facts-of-releases.ts'
import {
  type ClusterRender,
  manifestOnCluster,
  type Renderer,
} from '../../preparation/rendering/render-on-cluster.ts'
import type {Vendored} from '../../preparation/rendering/vendored.ts'
import {isUntouchedDefinition} from './checks/untouched-definitions.ts'
import type {ExaminedRelease} from './examined-release.ts'
import {nextObjects, withOtherImages} from './next-version.ts'
import type {ExaminedCluster} from './place.ts'
import type {Templates} from './templates.ts'

/** How the charts of an environment are rendered for an examination. */
export interface Renderers {
  /** As they are. */
  readonly now: Vendored
  /** Each as its next version, where what that renders is not known without. */
  readonly next: Vendored
  /** With those templates alone that may be random. */
  readonly again: Vendored
  readonly templates: (release: ReleaseId) => Templates
  /** What was rendered before, if the layers are those. */
  readonly foreknown: (release: ReleaseId) => readonly RenderedObject[] | undefined
  readonly place: ExaminedCluster
  readonly helm: Renderer
}

/** Actions of templates whose result is another each time. */
export const RANDOM =
  /\b(?:rand(?:AlphaNum|Alpha|Ascii|Numeric|Bytes|Int)|uuidv4|gen(?:PrivateKey|CA|SelfSignedCert|SignedCert)\w*|htpasswd|bcrypt|now|ago|shuffle|encryptAES)\b/

/** What a release renders where these kinds are known, without what only tests, deletion and rollback make. */
export async function renderNow(
  release: ReleaseId,
  kinds: readonly string[],
  {now, place, helm, ...known}: Renderers,
): Promise<readonly RenderedObject[]> {
  const options = optionsOf(release, kinds, {now, place})
  const before = known.foreknown(release)
  const isSame =
    options.apiVersions.length === 0 &&
    !options.looksUp &&
    (place.kubeVersion === KUBE_VERSION || known.templates(release).reaching(/Capabilities/).size === 0)
  if (isSame && before) return withoutLater(before)
  return render(now.call(release), options, helm)
}

/** `objects` is what it renders; what it renders again, and as its next version with other images, is added. */
export async function examineRelease(
  release: ReleaseId,
  objects: readonly RenderedObject[],
  kinds: readonly string[],
  {now, next, again, templates: templatesOf, place, helm}: Renderers,
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
    again: templates.reaching(RANDOM).size === 0 ? objects : await renderAgain(),
    lookingUp: options.looksUp ? new Set() : filesOf(chart, templates.reaching(/\blookup\b/)),
    // Other images may be refused by a schema: then nothing is known of the next version.
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

  /** A template may need what was left out. */
  async function renderAgain(): Promise<readonly RenderedObject[]> {
    return render(again.call(release), options, helm).catch(() => render(now.call(release), options, helm))
  }

  async function renderNext(): Promise<readonly RenderedObject[]> {
    const later = next.call(release)
    return render({...later, values: withOtherImages(later.chart, later.values)}, options, helm)
  }
}

/** As helm names them: with the chart in front. */
function filesOf(chart: string, paths: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...paths].map((path) => `${basename(chart)}/${path}`))
}

/** What is known before a release is installed: what the cluster serves, what others define, and its own `crds/`. */
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
    // What is not deployed yet has nothing that it could find.
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
