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
import {type Found, valuesOf} from './values-from.ts'
import {KEPT_REVISIONS} from './write.ts'

interface FluxOptions {
  /** For people: where the documents were read. */
  readonly path: string
  readonly documents: readonly FileDocument[]
  readonly name: string
  /** Write what looks secret among the values, and what Secrets hold, too. */
  readonly showSecrets: boolean
}

/**
 * Returns HelmReleases as an environment: `dependsOn` of them, and of the Kustomizations that apply them, becomes stated
 * requirements; values come from their Secrets and ConfigMaps, too, in order. What has no place is listed. Throws
 * `KK_IMPORT` where there is none, and for one whose record Helm does not keep in the namespace of the release.
 */
export function importFlux({path, documents, name, showSecrets}: FluxOptions): Imported {
  refuseOddSettings({name, charts: []})
  const found = documents.flatMap(({file, value}) => foundIn(file, value))
  const releases = found.filter(({key}) => key === 'HelmRelease')
  if (releases.length === 0) throw nothing(path)
  refuseOtherStorage(releases)
  const objects = new Map(found.map((each) => [`${each.key} ${each.namespace}/${each.name}`, each]))
  const kustomizations = found.filter(
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
      'interval: kk changes something when it is told to, or with its operator',
      ...kustomizations.flatMap(({name: of, spec}) =>
        unread(spec, KUSTOMIZATION_READ, `the Kustomization ${of}`),
      ),
      ...found.filter(({key}) => SOURCES.has(key)).flatMap(lostOfSource),
      ...documents.flatMap(lostOfKustomize),
    ],
  })
}

function foundIn(file: string, object: Values): readonly Found[] {
  const {kind, metadata, spec} = object
  if (typeof kind !== 'string' || !isMap(metadata) || typeof metadata.name !== 'string') return []
  const {name, namespace = CONTROL_NAMESPACE} = metadata
  return [{file, key: kind, name, namespace: String(namespace), object, spec: isMap(spec) ? spec : {}}]
}

/** Helm, and so kk, finds a record only where the release is. */
function refuseOtherStorage(releases: readonly Found[]): void {
  const lines = releases.flatMap(({name, object}) => {
    const {storage, namespace} = helmReleaseTarget(object)
    return storage === namespace ? [] : [`  ${name}: ${storage}, but it is installed in ${namespace}`]
  })
  if (lines.length === 0) return
  throw new KkError(
    'KK_IMPORT',
    [
      'the records of these lie in another namespace than the release, where kk does not find them:',
      ...lines,
    ].join('\n'),
    {
      hint: 'give each spec.storageNamespace the namespace of its spec.targetNamespace: Flux installs it anew, so do that before there is data',
    },
  )
}

interface Among {
  readonly releases: readonly Found[]
  readonly objects: ReadonlyMap<string, Found>
  readonly kustomizations: readonly Found[]
  readonly showSecrets: boolean
}

/** Keys that kk has something of its own for: its gate waits, it makes namespaces, and `--on-failure` says what becomes of a failure. */
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

function readRelease(found: Found, among: Among): ReadRelease {
  const {spec, object} = found
  const chartSpec = dig(spec, 'chart', 'spec')
  const {name, namespace} = helmReleaseTarget(object)
  const lost: string[] = []
  const lose = (what: string) => void lost.push(what)
  const chart = chartOf(found, among)
  if (chart.source === undefined) lose(`where the chart ${chart.name} of ${name} comes from`)
  if (chart.unkept !== undefined) lose(`${chart.unkept} of the chart of ${name}: state a version instead`)
  const values = valuesOf(name, found, {...among, lose})
  const kept = among.showSecrets ? {values, lost: []} : withoutSecrets(name, values)
  const seconds = secondsOf(digText(spec, 'timeout'))
  const timeout = timeOf(seconds)
  if (timeout === undefined && seconds > 0) lose(`timeout of ${name}: expected ${TIME_TITLE}`)
  const changes = ['install', 'upgrade'].flatMap((key) => {
    const {[key]: change} = spec
    if (!isMap(change)) return []
    const remediation = isMap(change.remediation) ? change.remediation : {}
    return [
      ...unread(change, CHANGE_READ, `${name}.${key}`),
      ...unread(remediation, REMEDIATION_READ, `${name}.${key}.remediation`, {
        instead: 'kk deploy --on-failure says what becomes of a release that fails',
      }),
    ]
  })
  const prune = dig(object, 'metadata', 'annotations', 'kustomize.toolkit.fluxcd.io/prune')
  return {
    release: {
      name,
      namespace,
      chart: {name: chart.name, ...(chart.version !== undefined && {version: chart.version})},
      values: kept.values,
      requires: [],
      ...(timeout !== undefined && {timeout}),
      ...(prune === 'disabled' && {protected: true}),
      notes: [],
    },
    source: chart.source,
    needs: needsOf(found, among),
    lost: [
      ...lost,
      ...kept.lost,
      ...unread(spec, SPEC_READ, name, {defaults: {maxHistory: KEPT_REVISIONS}}),
      ...notText(spec.timeout, `timeout of ${name}`),
      ...unread(isMap(chartSpec) ? chartSpec : {}, CHART_READ, `the chart of ${name}`, {
        defaults: {reconcileStrategy: 'ChartVersion'},
      }),
      ...notText(dig(chartSpec, 'version'), `version of the chart of ${name}`),
      ...changes,
      ...expressionsOf(found, name),
    ],
  }
}

interface FluxChart {
  readonly source: ImportedSource | undefined
  readonly name: string
  readonly version?: string
  /** What says which package is meant, and has no place in an environment. */
  readonly unkept?: string
}

function chartOf({namespace, spec}: Found, {objects}: Among): FluxChart {
  const stated = dig(spec, 'chart', 'spec')
  const ref = isMap(spec.chartRef) ? spec.chartRef : dig(stated, 'sourceRef')
  const source = isMap(ref)
    ? objects.get(`${ref.kind} ${digText(ref, 'namespace') ?? namespace}/${ref.name}`)
    : undefined
  const url = withoutCredentials(digText(source, 'spec', 'url') ?? '')
  if (source?.key === 'OCIRepository' && url !== '') return inRegistry(url, source.spec.ref)
  const path = digText(stated, 'chart') ?? digText(ref, 'name') ?? ''
  const name = path.slice(path.lastIndexOf('/') + 1)
  const version = digText(stated, 'version')
  const kept = version === undefined || version === '*' ? {} : {version}
  if (source?.key !== 'HelmRepository' || url === '') return {source: undefined, name, ...kept}
  return {
    source: url.startsWith('oci://') ? {oci: url.replace(/\/+$/, '')} : {repository: url},
    name,
    ...kept,
  }
}

/** An OCIRepository is one chart; helm writes the `+` of a version as `_` in a tag. */
function inRegistry(url: string, ref: unknown): FluxChart {
  const end = url.lastIndexOf('/')
  const place = {source: {oci: url.slice(0, end)}, name: url.slice(end + 1)}
  const digest = digText(ref, 'digest')
  const range = digText(ref, 'semver')
  const version = range ?? digText(ref, 'tag')?.replaceAll('_', '+')
  if (digest !== undefined) return {...place, unkept: digest}
  if (version === undefined || (range === undefined && !isVersion(version)))
    return {...place, ...(version !== undefined && {unkept: version})}
  return {...place, version}
}

/** A HelmRelease waits for those that it names, and for all that is in a Kustomization for which its own waits. */
function needsOf(found: Found, {releases, kustomizations}: Among): ReadRelease['needs'] {
  const byName = dependencies(found).map(({name, namespace}) => {
    const needed = releases.find((each) => each.name === name && each.namespace === namespace)
    return needed ? idAndText(needed) : {release: releaseId(namespace, name), text: name}
  })
  const own = kustomizations.filter((each) => isApplied(found, each))
  const before = own.flatMap(dependencies).flatMap(({name, namespace}) => {
    const kustomization = kustomizations.find((each) => each.name === name && each.namespace === namespace)
    return kustomization ? releases.filter((each) => isApplied(each, kustomization)) : []
  })
  return [...byName, ...before.map(idAndText)]
}

function idAndText(found: Found) {
  const {name, namespace} = helmReleaseTarget(found.object)
  return {release: releaseId(namespace, name), text: found.name}
}

function dependencies({
  namespace,
  spec,
}: Found): readonly {readonly name: string; readonly namespace: string}[] {
  const {dependsOn} = spec
  if (!Array.isArray(dependsOn)) return []
  return dependsOn
    .filter(isMap)
    .map((each) => ({name: String(each.name), namespace: digText(each, 'namespace') ?? namespace}))
}

/** The path of a Kustomization starts where its source does, which is taken to be what was read. */
function isApplied({file}: Found, {spec}: Found): boolean {
  const path = join('.', digText(spec, 'path') ?? '.')
  return path === '.' ? false : join(dirname(file), '/').startsWith(join(path, '/'))
}

function expressionsOf({spec: {dependsOn}}: Found, of: string): readonly string[] {
  const has =
    Array.isArray(dependsOn) && dependsOn.some((each) => isMap(each) && each.readyExpr !== undefined)
  return has ? [`readyExpr in dependsOn of ${of}: kk's gate says what is ready`] : []
}

function lostOfSource({key, name, spec}: Found): readonly string[] {
  const url = digText(spec, 'url') ?? ''
  const of = `the ${key} ${name}`
  return [
    ...unread(spec, SOURCE_READ, of, {defaults: {provider: 'generic'}}),
    ...['tag', 'semver', 'digest'].flatMap((key) => notText(dig(spec, 'ref', key), `${key} of ${of}`)),
    ...(withoutCredentials(url) === url ? [] : [lostCredentials(of)]),
  ]
}

/** What kustomize would do to the objects before Flux sees them. */
function lostOfKustomize({file, value}: FileDocument): readonly string[] {
  if (!String(value.apiVersion).startsWith('kustomize.config.k8s.io')) return []
  return unread(value, KUSTOMIZE_READ, file, {instead: 'build it first: kustomize build'})
}

/** The seconds of a duration as Go writes it, rounded up; 0 for none. */
function secondsOf(duration: string | undefined): number {
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

function nothing(path: string): KkError {
  return new KkError('KK_IMPORT', `${path} has no HelmRelease`, {
    hint: 'name a file or a directory with HelmReleases, their sources, and the Secrets and ConfigMaps of their values',
  })
}
