import {dirname, join} from 'node:path'
import {dig, digText} from '../../base/dig.ts'
import {TIME_TITLE, timeOf} from '../../base/duration.ts'
import {KkError} from '../../base/errors.ts'
import {isMap, type Values} from '../../base/values.ts'
import {isVersion} from '../../charts/version.ts'
import {releaseId} from '../../release.ts'
import {assemble, type ReadRelease} from '../assemble.ts'
import {lostCredentials, withoutCredentials} from '../credentials.ts'
import type {FileDocument} from '../documents.ts'
import {type Imported, type ImportedSource, refuseOddSettings, withoutSecrets} from '../imported.ts'
import {notText, unread} from '../unread.ts'
import {CONTROL_NAMESPACE, helmReleaseTarget} from './target.ts'
import {type FluxObject, mergedValues} from './values-from.ts'
import {KEPT_REVISIONS} from './write.ts'

interface FluxOptions {
  /** The path of the documents, for messages. */
  readonly path: string
  readonly documents: readonly FileDocument[]
  readonly name: string
  /** Also write values that look secret, and the contents of Secrets. */
  readonly showSecrets: boolean
}

/**
 * Returns HelmReleases as an environment. `dependsOn` of HelmReleases, and of the Kustomizations that apply
 * them, becomes explicit requirements; values are merged from their Secrets and ConfigMaps in order. What an
 * environment cannot express is listed. Throws `KK_IMPORT` if there is no HelmRelease, or if one stores its
 * Helm record outside the namespace of its release.
 */
export function importFlux({path, documents, name, showSecrets}: FluxOptions): Imported {
  refuseOddSettings({name, charts: []})
  const objectList = documents.flatMap(({file, value}) => parseObject(file, value))
  const releases = objectList.filter(({key}) => key === 'HelmRelease')
  if (releases.length === 0) throw noHelmRelease(path)
  refuseOtherStorage(releases)
  const objects = new Map(objectList.map((each) => [`${each.key} ${each.namespace}/${each.name}`, each]))
  const kustomizations = objectList.filter(
    ({key, object}) => key === 'Kustomization' && String(object.apiVersion).startsWith('kustomize.toolkit'),
  )
  const read = releases.map((release) =>
    readRelease(release, {releases, objects, kustomizations, showSecrets}),
  )
  return assemble({
    name,
    from: `the HelmReleases of ${path}`,
    read,
    where: path,
    lost: [
      'interval: kk reconciles on command, or continuously with its operator',
      ...kustomizations.flatMap(({name: of, spec}) =>
        unread(spec, KUSTOMIZATION_READ, `the Kustomization ${of}`),
      ),
      ...objectList.filter(({key}) => SOURCES.has(key)).flatMap(sourceLosses),
      ...documents.flatMap(kustomizeLosses),
    ],
  })
}

function parseObject(file: string, object: Values): readonly FluxObject[] {
  const {kind, metadata, spec} = object
  if (typeof kind !== 'string' || !isMap(metadata) || typeof metadata.name !== 'string') return []
  const {name, namespace = CONTROL_NAMESPACE} = metadata
  return [{file, key: kind, name, namespace: String(namespace), object, spec: isMap(spec) ? spec : {}}]
}

/** Helm, and therefore kk, finds a record only in the namespace of the release. */
function refuseOtherStorage(releases: readonly FluxObject[]): void {
  const lines = releases.flatMap(({name, object}) => {
    const {storage, namespace} = helmReleaseTarget(object)
    return storage === namespace ? [] : [`  ${name}: ${storage}, but the release is in ${namespace}`]
  })
  if (lines.length === 0) return
  throw new KkError(
    'KK_IMPORT',
    [
      'kk finds Helm records only in the namespace of their release; these HelmReleases store them elsewhere:',
      ...lines,
    ].join('\n'),
    {
      hint: 'set each spec.storageNamespace to its spec.targetNamespace: Flux then reinstalls the release, so do that before it has data',
    },
  )
}

interface ReadContext {
  readonly releases: readonly FluxObject[]
  readonly objects: ReadonlyMap<string, FluxObject>
  readonly kustomizations: readonly FluxObject[]
  readonly showSecrets: boolean
}

/** Keys that kk imports or has an equivalent for: its gate, namespace creation, and `--on-failure`. */
const SPEC_READ = new Set(
  'chart chartRef interval releaseName targetNamespace storageNamespace dependsOn timeout values valuesFrom install upgrade'.split(
    ' ',
  ),
)
const CHANGE_READ = new Set([
  'createNamespace',
  'disableWait',
  'disableWaitForJobs',
  'remediation',
  'timeout',
])
const REMEDIATION_READ = new Set<string>()
const KUSTOMIZATION_READ = new Set(
  'interval path prune sourceRef wait dependsOn timeout decryption retryInterval'.split(' '),
)
const SOURCES = new Set(['HelmRepository', 'OCIRepository'])
const SOURCE_READ = new Set('interval url type ref layerSelector timeout'.split(' '))
const CHART_READ = new Set('chart version sourceRef interval'.split(' '))
const KUSTOMIZE_READ = new Set(['apiVersion', 'kind', 'resources', 'metadata'])

function readRelease(helmRelease: FluxObject, among: ReadContext): ReadRelease {
  const {spec, object} = helmRelease
  const chartSpec = dig(spec, 'chart', 'spec')
  const {name, namespace} = helmReleaseTarget(object)
  const lost: string[] = []
  const lose = (what: string) => void lost.push(what)
  const chart = parseChart(helmRelease, among)
  if (chart.source === undefined) lose(`the source of the chart ${chart.name} of ${name}`)
  if (chart.inexpressible !== undefined)
    lose(`${chart.inexpressible} of the chart of ${name}: specify a version instead`)
  const values = mergedValues(name, helmRelease, {...among, lose})
  const redacted = among.showSecrets ? {values, lost: []} : withoutSecrets(name, values)
  const seconds = parseSeconds(digText(spec, 'timeout'))
  const timeout = timeOf(seconds)
  if (timeout === undefined && seconds > 0) lose(`timeout of ${name}: expected ${TIME_TITLE}`)
  const changes = ['install', 'upgrade'].flatMap((key) => {
    const {[key]: change} = spec
    if (!isMap(change)) return []
    const remediation = isMap(change.remediation) ? change.remediation : {}
    return [
      ...unread(change, CHANGE_READ, `${name}.${key}`),
      ...unread(remediation, REMEDIATION_READ, `${name}.${key}.remediation`, {
        instead: 'kk deploy --on-failure sets how a failed release is handled',
      }),
    ]
  })
  const prune = dig(object, 'metadata', 'annotations', 'kustomize.toolkit.fluxcd.io/prune')
  return {
    release: {
      name,
      namespace,
      chart: {name: chart.name, ...(chart.version !== undefined && {version: chart.version})},
      values: redacted.values,
      requires: [],
      ...(timeout !== undefined && {timeout}),
      ...(prune === 'disabled' && {protected: true}),
      notes: [],
    },
    source: chart.source,
    needs: releaseNeeds(helmRelease, among),
    lost: [
      ...lost,
      ...redacted.lost,
      ...unread(spec, SPEC_READ, name, {defaults: {maxHistory: KEPT_REVISIONS}}),
      ...notText(spec.timeout, `timeout of ${name}`),
      ...unread(isMap(chartSpec) ? chartSpec : {}, CHART_READ, `the chart of ${name}`, {
        defaults: {reconcileStrategy: 'ChartVersion'},
      }),
      ...notText(dig(chartSpec, 'version'), `version of the chart of ${name}`),
      ...changes,
      ...lostExpressions(helmRelease, name),
    ],
  }
}

interface FluxChart {
  readonly source: ImportedSource | undefined
  readonly name: string
  readonly version?: string
  /** A tag, digest or other reference that selects the package but cannot be written in an environment. */
  readonly inexpressible?: string
}

function parseChart({namespace, spec}: FluxObject, {objects}: ReadContext): FluxChart {
  const chartSpec = dig(spec, 'chart', 'spec')
  const ref = isMap(spec.chartRef) ? spec.chartRef : dig(chartSpec, 'sourceRef')
  const source = isMap(ref)
    ? objects.get(`${ref.kind} ${digText(ref, 'namespace') ?? namespace}/${ref.name}`)
    : undefined
  const url = withoutCredentials(digText(source, 'spec', 'url') ?? '')
  if (source?.key === 'OCIRepository' && url !== '') return inRegistry(url, source.spec.ref)
  const path = digText(chartSpec, 'chart') ?? digText(ref, 'name') ?? ''
  const name = path.slice(path.lastIndexOf('/') + 1)
  const version = digText(chartSpec, 'version')
  const pinned = version === undefined || version === '*' ? {} : {version}
  if (source?.key !== 'HelmRepository' || url === '') return {source: undefined, name, ...pinned}
  return {
    source: url.startsWith('oci://') ? {oci: url.replace(/\/+$/, '')} : {repository: url},
    name,
    ...pinned,
  }
}

/** An OCIRepository holds one chart; helm writes the `+` of a version as `_` in the tag. */
function inRegistry(url: string, ref: unknown): FluxChart {
  const end = url.lastIndexOf('/')
  const place = {source: {oci: url.slice(0, end)}, name: url.slice(end + 1)}
  const digest = digText(ref, 'digest')
  const range = digText(ref, 'semver')
  const version = range ?? digText(ref, 'tag')?.replaceAll('_', '+')
  if (digest !== undefined) return {...place, inexpressible: digest}
  if (version === undefined || (range === undefined && !isVersion(version)))
    return {...place, ...(version !== undefined && {inexpressible: version})}
  return {...place, version}
}

/**
 * A HelmRelease waits for the HelmReleases in its `dependsOn`, and for all releases of the Kustomizations
 * that its own Kustomization depends on.
 */
function releaseNeeds(
  helmRelease: FluxObject,
  {releases, kustomizations}: ReadContext,
): ReadRelease['needs'] {
  const byName = dependencies(helmRelease).map(({name, namespace}) => {
    const needed = releases.find((each) => each.name === name && each.namespace === namespace)
    return needed ? needOn(needed) : {release: releaseId(namespace, name), text: name}
  })
  const own = kustomizations.filter((each) => isApplied(helmRelease, each))
  const before = own.flatMap(dependencies).flatMap(({name, namespace}) => {
    const kustomization = kustomizations.find((each) => each.name === name && each.namespace === namespace)
    return kustomization ? releases.filter((each) => isApplied(each, kustomization)) : []
  })
  return [...byName, ...before.map(needOn)]
}

function needOn(helmRelease: FluxObject) {
  const {name, namespace} = helmReleaseTarget(helmRelease.object)
  return {release: releaseId(namespace, name), text: helmRelease.name}
}

function dependencies({
  namespace,
  spec,
}: FluxObject): readonly {readonly name: string; readonly namespace: string}[] {
  const {dependsOn} = spec
  if (!Array.isArray(dependsOn)) return []
  return dependsOn
    .filter(isMap)
    .map((each) => ({name: String(each.name), namespace: digText(each, 'namespace') ?? namespace}))
}

/**
 * The path of a Kustomization is relative to its source; the directory that was read is assumed to be that
 * source.
 */
function isApplied({file}: FluxObject, {spec}: FluxObject): boolean {
  const path = join('.', digText(spec, 'path') ?? '.')
  return path === '.' ? false : join(dirname(file), '/').startsWith(join(path, '/'))
}

function lostExpressions({spec: {dependsOn}}: FluxObject, of: string): readonly string[] {
  const has =
    Array.isArray(dependsOn) && dependsOn.some((each) => isMap(each) && each.readyExpr !== undefined)
  return has ? [`readyExpr in dependsOn of ${of}: kk's gate decides readiness`] : []
}

function sourceLosses({key, name, spec}: FluxObject): readonly string[] {
  const url = digText(spec, 'url') ?? ''
  const of = `the ${key} ${name}`
  return [
    ...unread(spec, SOURCE_READ, of, {defaults: {provider: 'generic'}}),
    ...['tag', 'semver', 'digest'].flatMap((key) => notText(dig(spec, 'ref', key), `${key} of ${of}`)),
    ...(withoutCredentials(url) === url ? [] : [lostCredentials(of)]),
  ]
}

/** Lists what kustomize would do to the objects before Flux sees them. */
function kustomizeLosses({file, value}: FileDocument): readonly string[] {
  if (!String(value.apiVersion).startsWith('kustomize.config.k8s.io')) return []
  return unread(value, KUSTOMIZE_READ, file, {instead: 'build it first: kustomize build'})
}

/** Returns the seconds of a Go duration, rounded up; 0 for none. */
function parseSeconds(duration: string | undefined): number {
  const parts = [...(duration ?? '').matchAll(/([\d.]+)(ns|us|µs|ms|s|m|h)/g)]
  return Math.ceil(parts.reduce((sum, [, count, unit]) => sum + Number(count) * SECONDS[unit!]!, 0))
}

const SECONDS: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
}

function noHelmRelease(path: string): KkError {
  return new KkError('KK_IMPORT', `${path} has no HelmRelease`, {
    hint: 'specify a file or a directory with HelmReleases, their sources, and the Secrets and ConfigMaps of their values',
  })
}
