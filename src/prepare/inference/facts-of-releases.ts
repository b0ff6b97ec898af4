import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {asKkError, type KkError} from '../../base/errors.ts'
import {once, oncePerObject} from '../../base/once.ts'
import {mapParallel} from '../../base/parallel.ts'
import type {Chart} from '../../charts/chart.ts'
import {valuesFault} from '../../charts/default-values.ts'
import {mentioned, mentions} from '../../charts/own-files.ts'
import {vendorCharts} from '../../charts/vendor-charts.ts'
import type {ChartFacts} from '../../graph/inference/facts.ts'
import type {Helm} from '../../helm/helm.ts'
import type {ClusterIdentity} from '../../kubernetes/api/identity.ts'
import {listApiVersions} from '../../kubernetes/inventory/custom-kinds.ts'
import {apiGroup, type RenderedObject, renderedObjects} from '../../kubernetes/manifest/manifest.ts'
import type {Layer} from '../../overrides/layer.ts'
import {mergedValues} from '../../overrides/layers.ts'
import {digest, layerDigests} from '../../plan/digest.ts'
import type {Redact} from '../../redact/redact.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {temporaryDirectory} from '../../state/files/temporary-directory.ts'
import {writeAtomically} from '../../state/files/write-atomically.ts'
import {layersMask} from '../environment-mask.ts'
import {positionedError} from '../positioned-problems.ts'
import {renderByKinds} from '../rendering/render-by-kinds.ts'
import {factsOfObjects} from './manifests/facts-of.ts'

/**
 * The Kubernetes version passed to `helm template` without a cluster, so that it does not depend on helm's
 * build.
 */
export const KUBE_VERSION = 'v1.36.0'

/** The ports of a rendering: helm, a cluster, a cache. */
export interface Rendering {
  /** Opens helm; called only if something must be rendered. */
  readonly helm: () => Promise<Pick<Helm, 'template'>>
  /** The directory in which the facts of rendered charts are kept. */
  readonly cache: string
  /**
   * Returns the custom kinds that the cluster serves, as `group/version/Kind`; without it they are unknown.
   */
  readonly served?: () => Promise<readonly string[]>
  /** Returns the identity of the target cluster; without it, charts are rendered for `KUBE_VERSION`. */
  readonly identity?: () => Promise<ClusterIdentity>
  /** Called for each release that is rendered now, not for cached ones. */
  readonly onRendered?: (release: ReleaseId, objects: readonly RenderedObject[]) => void
}

/** A chart with the layers of values for its render. */
export interface Subject {
  readonly release: ReleaseId
  readonly chart: Chart
  readonly chartDigest: string
  readonly layers: readonly Layer[]
  /** `kk.releases.NAME.timeout`, if it is set. */
  readonly timeoutSeconds?: number | undefined
}

/** The facts of each release, or helm's error if its chart does not render. */
export type FactsOfReleases = ReadonlyMap<ReleaseId, ChartFacts | KkError>

/**
 * Returns what the charts of releases provide and want. Renders only charts that are not cached for the same
 * inputs. A chart that reads `.Capabilities.APIVersions` gets the kinds that the other charts define, and
 * those of the cluster whose API group the chart names; one that reads `.Capabilities.KubeVersion` is
 * rendered for the version of the cluster. `kubeVersion` constraints are ignored: they change no object, and
 * a plan renders for its cluster.
 */
export async function factsOfReleases(
  subjects: readonly Subject[],
  rendering: Rendering,
): Promise<FactsOfReleases> {
  const asking = new Set(subjects.filter(({chart}) => mentions(chart, 'APIVersions')))
  const served = (asking.size > 0 && (await rendering.served?.())) || []
  const mask = once(() => layersMask(subjects))
  const versioned = new Set(subjects.filter(({chart}) => readsVersion(chart)))
  const version = (versioned.size > 0 && (await rendering.identity?.())?.version) || KUBE_VERSION
  const kubeVersionFor = (subject: Subject) => (versioned.has(subject) ? version : KUBE_VERSION)
  return renderByKinds<Subject, ChartFacts | KkError>(subjects, {
    asks: (subject) => asking.has(subject),
    definedBy: (facts) => definedVersions(facts.filter(isKnown)),
    render: (some, defined) => {
      const kindsFor = (subject: Subject) =>
        defined ? [...new Set([...defined, ...namedBy(subject, served)])].sort() : []
      return render(
        some.map((subject) => ({
          ...subject,
          ...{apiVersions: kindsFor(subject), kubeVersion: kubeVersionFor(subject), mask},
        })),
        rendering,
      )
    },
  })
}

/** Returns true if a template of a chart reads the version of Kubernetes. */
export function readsVersion(chart: Chart): boolean {
  return mentions(chart, 'KubeVersion')
}

/**
 * Returns the served kinds of the API groups that a chart names: other kinds do not invalidate its cached
 * render.
 */
function namedBy({chart}: Subject, served: readonly string[]): readonly string[] {
  const groups = mentioned(chart, [...new Set(served.map(apiGroup))])
  return served.filter((kind) => groups.has(apiGroup(kind)))
}

function isKnown(facts: ChartFacts | KkError): facts is ChartFacts {
  return 'provided' in facts
}

/** Returns the custom kinds that these charts define, in the form of `definedKinds`. */
export function definedVersions(charts: readonly ChartFacts[]): readonly string[] {
  const kinds = charts.flatMap(({provided}) => provided.kinds)
  return listApiVersions(
    kinds.flatMap(({group, kind, versions}) =>
      versions.map((version) => ({apiVersion: `${group}/${version}`, kind})),
    ),
  )
}

interface Render extends Subject {
  readonly apiVersions: readonly string[]
  readonly kubeVersion: string
  /** Masks the secrets of all subjects. */
  readonly mask: () => Redact
}

async function render(renders: readonly Render[], rendering: Rendering): Promise<FactsOfReleases> {
  const {helm: open, onRendered} = rendering
  const cache = openFactsCache(rendering)
  const keyed = renders.map((each) => ({...each, key: renderKey(each)}))
  const cached = await Promise.all(
    keyed.map(async ({release, key}) => [release, await cache.read(key)] as const),
  )
  const cachedFacts = new Map(
    cached.filter((entry): entry is [ReleaseId, ChartFacts] => entry[1] !== undefined),
  )
  const missing = keyed.filter(({release}) => !cachedFacts.has(release))
  if (missing.length === 0) return cachedFacts

  const helm = await open()
  const copies = await temporaryDirectory('kk-facts-')
  try {
    const charts = missing.map(({chart}) => chart)
    const places = await copies.fill(() => vendorCharts(charts, copies.path, {ignoreKubernetesVersion: true}))
    const rendered = await mapParallel(missing, async (each) => {
      const {release, chart, layers, timeoutSeconds, apiVersions, kubeVersion, mask, key} = each
      const namespace = releaseNamespace(release)
      const call = {
        name: releaseName(release),
        namespace,
        chart: places.get(chart.directory)!,
        values: mergedValues(layers),
        timeoutSeconds,
        mask: mask(),
      }
      try {
        const manifest = await helm.template(call, {kubeVersion, apiVersions})
        const rendered = renderedObjects(manifest)
        onRendered?.(release, rendered)
        const facts = {...factsOfObjects(rendered, namespace), kubeVersion}
        await cache.keep(key, facts)
        return [release, facts] as const
      } catch (error) {
        return [release, await expected(error, each)] as const
      }
    })
    return new Map<ReleaseId, ChartFacts | KkError>([...cachedFacts, ...rendered])
  } finally {
    await copies.remove()
  }
}

/** Returns the error of a chart that does not render. Throws `KK_BUG`. */
async function expected(error: unknown, subject: Subject): Promise<KkError> {
  const failure = asKkError(await positionedError(error, {get: () => subject}))
  if (failure.code === 'KK_BUG') throw error
  // Helm's error for an unreadable values.yaml contains neither the file nor the position.
  return (failure.code === 'KK_CHART' && valuesFault(subject.chart.directory)) || failure
}

function renderKey({release, chartDigest, layers, apiVersions, kubeVersion}: Render): string {
  return digest({release, chart: chartDigest, layers: layerDigests(layers), apiVersions, kubeVersion})
}

/** The version of the cached facts; raise it when the rules for reading manifests change. */
const CACHE_FORMAT = 5

/** A cache of the facts of rendered charts, by the digest of all inputs of the render. */
interface FactsCache {
  read(digest: string): Promise<ChartFacts | undefined>
  /** Stores facts. A chart whose facts cannot be stored is rendered again next time. */
  keep(digest: string, facts: CachedFacts): Promise<void>
}

/** Cached facts, with the Kubernetes version that the chart was rendered for. */
interface CachedFacts extends ChartFacts {
  readonly kubeVersion: string
}

/**
 * Opens the cache below kk's cache directory, once for all rounds of an inference. It contains names and
 * digests, but no values and no words of strings.
 */
const openFactsCache = oncePerObject(({cache}: Rendering): FactsCache => {
  const cacheFile = (digest: string) => join(cache, 'facts', String(CACHE_FORMAT), `${digest}.json`)
  const seen = new Map<string, ChartFacts>()
  return {
    async read(digest) {
      try {
        const facts =
          seen.get(digest) ?? (JSON.parse(await readFile(cacheFile(digest), 'utf8')) as ChartFacts)
        seen.set(digest, facts)
        return facts
      } catch {
        return undefined
      }
    },
    async keep(digest, facts) {
      seen.set(digest, facts)
      await writeAtomically(cacheFile(digest), JSON.stringify(facts), {mode: 0o600}).catch(() => undefined)
    },
  }
})
