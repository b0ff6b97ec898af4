import {existsSync, readFileSync, statSync} from 'node:fs'
import {basename, dirname, relative, resolve} from 'node:path'
import {dig} from '../../base/dig.ts'
import {TIME_TITLE, timeOf} from '../../base/duration.ts'
import {KkError} from '../../base/errors.ts'
import {isMap, type Values} from '../../base/values.ts'
import {isVersion} from '../../charts/version.ts'
import {mergeValues} from '../../overrides/merge.ts'
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
import {isHelmfile, lostOfFile, lostOfRelease} from './lost.ts'

interface HelmfileOptions {
  readonly file: string
  /** The output of `helmfile build`, or the file's own text. */
  readonly text: string
  /** True if helmfile has worked its templates out. */
  readonly isBuilt: boolean
  /** Write what looks secret among the values, too. */
  readonly showSecrets: boolean
  readonly name: string
  /** The directory of the environment file, where its paths start; by default that of the helmfile. */
  readonly home?: string | undefined
}

/**
 * Returns a helmfile as an environment: `needs` become stated requirements, values files are read and merged. What has no place is
 * listed; so is what looks secret, unless it is asked for. Throws `KK_YAML` for what is no YAML, as a helmfile with templates is where helmfile is not there, `KK_FILE` for
 * what is no helmfile, and `KK_USAGE`.
 */
export function importHelmfile({
  file,
  text,
  isBuilt,
  showSecrets,
  name,
  home = dirname(resolve(file)),
}: HelmfileOptions): Imported {
  refuseOddSettings({name, charts: []})
  const documents = helmfileDocuments(text, file, isBuilt)
  const off = new Map(documents.flatMap(offIn))
  if (documents.length > 0 && !documents.some(({state}) => isHelmfile(state)))
    throw new KkError('KK_IMPORT', `${file} is no helmfile: it has none of its keys`, {
      hint: 'name a helmfile; for other tools, say which: --format flux, argocd or armada',
    })
  const repositories = documents.flatMap(({state}) => state.repositories ?? [])
  const read = documents.flatMap((document) =>
    (document.state.releases ?? [])
      .filter((each) => !off.has(helmfileId(each, document)))
      .map((each) => readRelease(each, document, {isBuilt, showSecrets, home, repositories})),
  )
  const {lost, ...imported} = assemble({
    name,
    from: `${file}${isBuilt ? ', as helmfile build prints it' : ''}`,
    read,
    left: off,
    where: 'the helmfile',
    lost: documents.flatMap(({state}) => lostOfFile(state, isBuilt)),
  })
  return {...imported, lost: showSecrets ? lost : lost.map(withoutCredentials)}
}

/** Returns the releases that are turned off, or have no chart, each with the reason. */
function offIn(document: HelmfileDocument): readonly (readonly [ReleaseId, string])[] {
  return (document.state.releases ?? []).flatMap((release) => {
    const reason = offBecause(release, document.state)
    return reason === undefined
      ? []
      : [[helmfileId(release, document), `${nameOf(release)} is left out: ${reason}`] as const]
  })
}

/** With the namespace, where the helmfile states one: two releases may have one name. */
function nameOf({name, namespace}: HelmfileRelease): string {
  return namespace ? `${namespace}/${name}` : name
}

function offBecause({installed, condition, chart}: HelmfileRelease, state: Helmfile): string | undefined {
  if (installed === false) return 'installed is false'
  const isOn =
    !condition ||
    state.renderedvalues === undefined ||
    dig(state.renderedvalues, ...condition.split('.')) === true
  if (!isOn) return `${condition} is not true`
  return chart ? undefined : 'it has no chart: state chart in the helmfile'
}

interface ReadOptions {
  readonly isBuilt: boolean
  readonly showSecrets: boolean
  /** The directory at which the paths of the environment will start. */
  readonly home: string
  readonly repositories: NonNullable<Helmfile['repositories']>
}

/** Reads one release, with its values files. Throws `KK_YAML` for one that is none, and `KK_VALUES` for a wrong `set`. */
function readRelease(
  stated: HelmfileRelease,
  document: HelmfileDocument,
  {isBuilt, showSecrets, home, repositories}: ReadOptions,
): ReadRelease {
  const {directory, state} = document
  const {name, chart = '', needs = []} = stated
  const lost: string[] = []
  const lose = (what: string) => void lost.push(what)
  const address = withoutCredentials(chart)
  const found = chartSource(address, {directory, home, repositories})
  if (address !== chart) lose(lostCredentials(`the chart of ${name}`))
  if (found.source === undefined)
    lose(`where the chart ${showSecrets ? chart : address} of ${name} comes from`)
  if (found.unkept !== undefined) lose(`${found.unkept} of the chart of ${name}: state a version instead`)
  const all = releaseValues(stated, directory, lose)
  const {values, lost: secrets} = showSecrets ? {values: all, lost: []} : withoutSecrets(name, all)
  lost.push(...secrets, ...lostOfRelease(stated, isBuilt))
  const version = found.version ?? (stated.version || undefined)
  const seconds = stated.timeout ?? state.helmDefaults?.timeout ?? 0
  const timeout = timeOf(seconds)
  if (timeout === undefined && seconds > 0) lose(`timeout of ${name}: expected ${TIME_TITLE}`)
  const release: ImportedRelease = {
    name,
    namespace: namespaceOf(stated, document),
    chart: {name: found.name, ...(version !== undefined && {version})},
    values,
    requires: [],
    ...(timeout !== undefined && {timeout}),
    notes: [],
  }
  return {release, source: found.source, needs: needs.map((need) => neededBy(release, need)), lost}
}

/** A need is written `name`, `namespace/name` or `context/namespace/name`. */
function neededBy({name, namespace}: ImportedRelease, need: string): ReadRelease['needs'][number] {
  const parts = need.split('/')
  const [place = '', release = ''] = parts.length === 1 ? [namespace, need] : parts.slice(-2)
  return {
    release: releaseId(place, release),
    text: need,
    ...(parts.length > 2 && {
      lost: `the context of ${need}, which ${name} needs: an environment is of one cluster`,
    }),
  }
}

function helmfileId(release: HelmfileRelease, document: HelmfileDocument): ReleaseId {
  return releaseId(namespaceOf(release, document), release.name)
}

/** Returns the namespace of a release: the one that the file states for all wins, as in helmfile; an empty one states nothing. */
function namespaceOf({namespace}: HelmfileRelease, {state}: HelmfileDocument): string {
  return state.namespace || namespace || 'default'
}

/** Returns the values of a release: files and maps in their order, then `set`; later ones win. Calls `lose` with what cannot be read. */
function releaseValues(
  {name, values = [], set = [], setString = []}: HelmfileRelease,
  directory: string,
  lose: (what: string) => void,
): Values {
  let merged: Values = {}
  for (const each of values) {
    const maps = typeof each === 'string' ? mapsOf(each, directory) : [(each ?? {}) as Values]
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

/** Returns the maps of a values file, or why there are none. */
function mapsOf(file: string, directory: string): readonly Values[] | string {
  if (/\.gotmpl$/.test(file)) return 'it is a template'
  const path = resolve(directory, file)
  if (!statSync(path, {throwIfNoEntry: false})?.isFile()) return 'it is not there'
  const documents = readYamlDocuments(readFileSync(path, 'utf8'), {file}).filter((each) => each !== null)
  return documents.every(isMap) ? documents : 'it is no map'
}

/** As `--set` takes it: a comma would begin another key. */
function expression({name, value, values}: HelmfileSet): string {
  const text = values === undefined ? escaped(value) : `{${values.map(escaped).join(',')}}`
  return `${name}=${text}`
}

function escaped(value: unknown): string {
  return String(value ?? '').replaceAll(/[\\,]/g, (character) => `\\${character}`)
}

interface ChartPlace {
  /** The directory at which the chart's path starts. */
  readonly directory: string
  /** The directory at which the paths of the environment will start. */
  readonly home: string
  readonly repositories: NonNullable<Helmfile['repositories']>
}

/** A chart as an environment has it. */
interface ChartOfHelmfile {
  /** The source as `kk.charts` states it; undefined where it has no words for it. */
  readonly source: ImportedSource | undefined
  readonly name: string
  readonly version?: string
  /** A tag or a digest that says which package is meant, and has no place in an environment. */
  readonly unkept?: string
}

/** Returns the source of a chart, which helmfile takes as a path, through a repository, or as an address. */
function chartSource(chart: string, {directory, home, repositories}: ChartPlace): ChartOfHelmfile {
  if (chart.startsWith('oci://')) return inRegistry(chart)
  const path = resolve(directory, chart)
  if (/^[./]/.test(chart) || (chart !== '' && existsSync(path))) return inDirectory(path, home)
  const repository = repositories.find(({name}) => name !== undefined && chart.startsWith(`${name}/`))
  if (repository?.url === undefined) return elsewhere(chart)
  const {name = '', oci} = repository
  const url = withoutCredentials(repository.url)
  const place = url.replace(/\/+$/, '')
  if (oci) return inRegistry(`oci://${place.replace(/^oci:\/\//, '')}${chart.slice(name.length)}`)
  return {source: /^https?:/.test(url) ? {repository: url} : undefined, name: basename(chart)}
}

/** `oci://registry/path/name:version@digest`; helm writes the `+` of a version as `_`. */
function inRegistry(address: string): ChartOfHelmfile {
  const [, source, name = '', tag, digest] =
    /^(oci:\/\/.+)\/([^/:@]*)(?::([^/@]+))?(?:@(.+))?$/.exec(address) ?? []
  if (source === undefined) return elsewhere(address)
  const version = tag?.replaceAll('_', '+')
  const isKept = version !== undefined && isVersion(version)
  const unkept = digest ?? (isKept ? undefined : tag)
  return {source, name, ...(isKept && {version}), ...(unkept !== undefined && {unkept})}
}

/** A chart, or its package. */
function inDirectory(path: string, home: string): ChartOfHelmfile {
  const place = relative(home, dirname(path))
  const source = place === '' ? '.' : place.startsWith('.') ? place : `./${place}`
  const found = ofFile(basename(path))
  // kk knows a package by its version.
  const isNameless = found.version === undefined && path.endsWith('.tgz')
  return {...found, source: isNameless ? undefined : source}
}

/** Returns a chart without a source, which only go-getter finds, or nobody: its name is the last part of the path. */
function elsewhere(chart: string): ChartOfHelmfile {
  return {source: undefined, ...ofFile(basename(chart.replace(/\?.*$/, '')))}
}

/** `thing-1.2.3.tgz` is a package of the chart thing. */
function ofFile(file: string): Omit<ChartOfHelmfile, 'source'> {
  const [, name, version = ''] = /^(.+?)-(v?\d+\.\d+\.\d+.*)\.tgz$/.exec(file) ?? []
  return name !== undefined && isVersion(version) ? {name, version} : {name: basename(file, '.tgz')}
}
