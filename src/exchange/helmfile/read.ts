import {existsSync, readFileSync, statSync} from 'node:fs'
import {basename, dirname, relative, resolve} from 'node:path'
import {dig} from '../../base/dig.ts'
import {TIME_TITLE, timeOf} from '../../base/duration.ts'
import {KkError} from '../../base/errors.ts'
import {mergeValues} from '../../base/merge.ts'
import {isMap, type Values} from '../../base/values.ts'
import {isVersion} from '../../charts/version.ts'
import {applySet} from '../../overrides/strvals.ts'
import {type ReleaseId, releaseId} from '../../release.ts'
import {readYamlDocuments} from '../../yaml/yaml.ts'
import {assemble, type ReadRelease} from '../assemble.ts'
import {lostCredentials, withoutCredentials} from '../credentials.ts'
import {
  type Imported,
  type ImportedRelease,
  type ImportedSource,
  refuseOddSettings,
  withoutSecrets,
} from '../imported.ts'
import {type HelmfileDocument, helmfileDocuments} from './documents.ts'
import type {Helmfile, HelmfileRelease, HelmfileSet} from './helmfile.ts'
import {fileLosses, isHelmfile, releaseLosses} from './lost.ts'

interface HelmfileOptions {
  readonly file: string
  /** The output of `helmfile build`, or the content of the file. */
  readonly text: string
  /** True if helmfile has rendered its templates. */
  readonly isBuilt: boolean
  /** Also write values that look secret. */
  readonly showSecrets: boolean
  readonly name: string
  /**
   * The directory of the environment file, to which its paths are relative; defaults to that of the helmfile.
   */
  readonly baseDirectory?: string | undefined
}

/**
 * Returns a helmfile as an environment: `needs` become explicit requirements, values files are read and
 * merged. What an environment cannot express is listed, and so are values that look secret unless
 * `showSecrets` is set. Throws `KK_YAML` for invalid YAML, such as a helmfile with templates if helmfile is
 * not installed, `KK_FILE` and `KK_IMPORT` for what is not a helmfile, and `KK_USAGE`.
 */
export function importHelmfile({
  file,
  text,
  isBuilt,
  showSecrets,
  name,
  baseDirectory = dirname(resolve(file)),
}: HelmfileOptions): Imported {
  refuseOddSettings({name, charts: []})
  const documents = helmfileDocuments(text, file, isBuilt)
  const disabled = new Map(documents.flatMap(disabledReleases))
  if (documents.length > 0 && !documents.some(({state}) => isHelmfile(state)))
    throw new KkError('KK_IMPORT', `${file} is not a helmfile: it has no key of helmfile`, {
      hint: 'specify a helmfile, or the format of another tool: --format flux, argocd or armada',
    })
  const repositories = documents.flatMap(({state}) => state.repositories ?? [])
  const read = documents.flatMap((document) =>
    (document.state.releases ?? [])
      .filter((each) => !disabled.has(helmfileId(each, document)))
      .map((each) => readRelease(each, document, {isBuilt, showSecrets, baseDirectory, repositories})),
  )
  const {lost, ...imported} = assemble({
    name,
    from: `${file}${isBuilt ? ', as helmfile build prints it' : ''}`,
    read,
    skipped: disabled,
    where: 'the helmfile',
    lost: documents.flatMap(({state}) => fileLosses(state, isBuilt)),
  })
  return {...imported, lost: showSecrets ? lost : lost.map(withoutCredentials)}
}

/** Returns the releases that are disabled or have no chart, each with the reason. */
function disabledReleases(document: HelmfileDocument): readonly (readonly [ReleaseId, string])[] {
  return (document.state.releases ?? []).flatMap((release) => {
    const reason = disabledReason(release, document.state)
    return reason === undefined
      ? []
      : [[helmfileId(release, document), `${qualifiedName(release)} is skipped: ${reason}`] as const]
  })
}

/** With the namespace if the helmfile specifies one, because two releases may have the same name. */
function qualifiedName({name, namespace}: HelmfileRelease): string {
  return namespace ? `${namespace}/${name}` : name
}

function disabledReason({installed, condition, chart}: HelmfileRelease, state: Helmfile): string | undefined {
  if (installed === false) return 'installed is false'
  const isOn =
    !condition ||
    state.renderedvalues === undefined ||
    dig(state.renderedvalues, ...condition.split('.')) === true
  if (!isOn) return `${condition} is not true`
  return chart ? undefined : 'it has no chart: set chart in the helmfile'
}

interface ReadOptions {
  readonly isBuilt: boolean
  readonly showSecrets: boolean
  /** The directory to which paths of the environment are relative. */
  readonly baseDirectory: string
  readonly repositories: NonNullable<Helmfile['repositories']>
}

/**
 * Reads one release with its values files. Throws `KK_YAML` for invalid YAML and `KK_VALUES` for an invalid
 * `set`.
 */
function readRelease(
  spec: HelmfileRelease,
  document: HelmfileDocument,
  {isBuilt, showSecrets, baseDirectory, repositories}: ReadOptions,
): ReadRelease {
  const {directory, state} = document
  const {name, chart = '', needs = []} = spec
  const lost: string[] = []
  const lose = (what: string) => void lost.push(what)
  const address = withoutCredentials(chart)
  const resolvedChart = chartSource(address, {directory, baseDirectory, repositories})
  if (address !== chart) lose(lostCredentials(`the chart of ${name}`))
  if (resolvedChart.source === undefined)
    lose(`the source of the chart ${showSecrets ? chart : address} of ${name}`)
  if (resolvedChart.inexpressible !== undefined)
    lose(`${resolvedChart.inexpressible} of the chart of ${name}: specify a version instead`)
  const all = releaseValues(spec, directory, lose)
  const {values, lost: secrets} = showSecrets ? {values: all, lost: []} : withoutSecrets(name, all)
  lost.push(...secrets, ...releaseLosses(spec, isBuilt))
  const version = resolvedChart.version ?? (spec.version || undefined)
  const seconds = spec.timeout ?? state.helmDefaults?.timeout ?? 0
  const timeout = timeOf(seconds)
  if (timeout === undefined && seconds > 0) lose(`timeout of ${name}: expected ${TIME_TITLE}`)
  const release: ImportedRelease = {
    name,
    namespace: releaseNamespace(spec, document),
    chart: {name: resolvedChart.name, ...(version !== undefined && {version})},
    values,
    requires: [],
    ...(timeout !== undefined && {timeout}),
    notes: [],
  }
  return {release, source: resolvedChart.source, needs: needs.map((need) => parseNeed(release, need)), lost}
}

/** A need is written `name`, `namespace/name` or `context/namespace/name`. */
function parseNeed({name, namespace}: ImportedRelease, need: string): ReadRelease['needs'][number] {
  const parts = need.split('/')
  const [place = '', release = ''] = parts.length === 1 ? [namespace, need] : parts.slice(-2)
  return {
    release: releaseId(place, release),
    text: need,
    ...(parts.length > 2 && {
      lost: `the context of ${need}, which ${name} needs: an environment belongs to one cluster`,
    }),
  }
}

function helmfileId(release: HelmfileRelease, document: HelmfileDocument): ReleaseId {
  return releaseId(releaseNamespace(release, document), release.name)
}

/**
 * Returns the namespace of a release: the one of the file wins, as in helmfile; an empty one counts as unset.
 */
function releaseNamespace({namespace}: HelmfileRelease, {state}: HelmfileDocument): string {
  return state.namespace || namespace || 'default'
}

/**
 * Returns the values of a release: files and maps in order, then `set`; later ones win. Calls `lose` for what
 * cannot be read.
 */
function releaseValues(
  {name, values = [], set = [], setString = []}: HelmfileRelease,
  directory: string,
  lose: (what: string) => void,
): Values {
  let merged: Values = {}
  for (const each of values) {
    const maps = typeof each === 'string' ? readMaps(each, directory) : [(each ?? {}) as Values]
    if (typeof maps === 'string') lose(`the values file ${each} of ${name}: ${maps}`)
    else for (const map of maps) merged = mergeValues(merged, map)
  }
  const source = `set of ${name}`
  for (const each of set) {
    if (each.file !== undefined) lose(`${each.name} of ${name}, which is set from the file ${each.file}`)
    else merged = applySet(expression(each), merged, {mode: 'typed', source})
  }
  for (const each of setString) merged = applySet(expression(each), merged, {mode: 'string', source})
  return merged
}

/** Returns the maps of a values file, or the reason why they cannot be read. */
function readMaps(file: string, directory: string): readonly Values[] | string {
  if (/\.gotmpl$/.test(file)) return 'it is a template'
  const path = resolve(directory, file)
  if (!statSync(path, {throwIfNoEntry: false})?.isFile()) return 'it does not exist'
  const documents = readYamlDocuments(readFileSync(path, 'utf8'), {file}).filter((each) => each !== null)
  return documents.every(isMap) ? documents : 'it is not a map'
}

/** Returns an expression for `--set`; commas are escaped because they separate keys. */
function expression({name, value, values}: HelmfileSet): string {
  const text = values === undefined ? escaped(value) : `{${values.map(escaped).join(',')}}`
  return `${name}=${text}`
}

function escaped(value: unknown): string {
  return String(value ?? '').replaceAll(/[\\,]/g, (character) => `\\${character}`)
}

interface ChartPlace {
  /** The directory to which the chart's path is relative. */
  readonly directory: string
  /** The directory to which paths of the environment are relative. */
  readonly baseDirectory: string
  readonly repositories: NonNullable<Helmfile['repositories']>
}

/** A chart as an environment refers to it. */
interface HelmfileChart {
  /** The source as written in `kk.charts`; undefined if it cannot be expressed there. */
  readonly source: ImportedSource | undefined
  readonly name: string
  readonly version?: string
  /** A tag or digest that selects the package but cannot be written in an environment. */
  readonly inexpressible?: string
}

/** Returns the source of a chart, which helmfile specifies as a path, through a repository, or as a URL. */
function chartSource(chart: string, {directory, baseDirectory, repositories}: ChartPlace): HelmfileChart {
  if (chart.startsWith('oci://')) return inRegistry(chart)
  const path = resolve(directory, chart)
  if (/^[./]/.test(chart) || (chart !== '' && existsSync(path))) return inDirectory(path, baseDirectory)
  const repository = repositories.find(({name}) => name !== undefined && chart.startsWith(`${name}/`))
  if (repository?.url === undefined) return withoutSource(chart)
  const {name = '', oci} = repository
  const url = withoutCredentials(repository.url)
  const place = url.replace(/\/+$/, '')
  if (oci) return inRegistry(`oci://${place.replace(/^oci:\/\//, '')}${chart.slice(name.length)}`)
  return {source: /^https?:/.test(url) ? {repository: url} : undefined, name: basename(chart)}
}

/** `oci://registry/path/name:version@digest`; helm writes the `+` of a version as `_`. */
function inRegistry(address: string): HelmfileChart {
  const [, source, name = '', tag, digest] =
    /^(oci:\/\/.+)\/([^/:@]*)(?::([^/@]+))?(?:@(.+))?$/.exec(address) ?? []
  if (source === undefined) return withoutSource(address)
  const version = tag?.replaceAll('_', '+')
  const isVersionTag = version !== undefined && isVersion(version)
  const inexpressible = digest ?? (isVersionTag ? undefined : tag)
  return {source, name, ...(isVersionTag && {version}), ...(inexpressible !== undefined && {inexpressible})}
}

/** A chart, or its package. */
function inDirectory(path: string, baseDirectory: string): HelmfileChart {
  const place = relative(baseDirectory, dirname(path))
  const source = place === '' ? '.' : place.startsWith('.') ? place : `./${place}`
  const chart = chartFromFile(basename(path))
  // kk identifies a package by its version.
  const isNameless = chart.version === undefined && path.endsWith('.tgz')
  return {...chart, source: isNameless ? undefined : source}
}

/** Returns a chart without a source, which only go-getter may find; its name is the last part of the path. */
function withoutSource(chart: string): HelmfileChart {
  return {source: undefined, ...chartFromFile(basename(chart.replace(/\?.*$/, '')))}
}

/** `thing-1.2.3.tgz` is a package of the chart thing. */
function chartFromFile(file: string): Omit<HelmfileChart, 'source'> {
  const [, name, version = ''] = /^(.+?)-(v?\d+\.\d+\.\d+.*)\.tgz$/.exec(file) ?? []
  return name !== undefined && isVersion(version) ? {name, version} : {name: basename(file, '.tgz')}
}
