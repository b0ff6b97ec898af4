import {dirname, resolve} from 'node:path'
import {dig} from '../../charts/manifests/dig.ts'
import {chartSource} from './helmfile/chart-source.ts'
import {type HelmfileDocument, helmfileDocuments} from './helmfile/documents.ts'
import type {Helmfile, HelmfileRelease} from './helmfile/helmfile.ts'
import {lostKeys, lostOfFile} from './helmfile/lost-keys.ts'
import {releaseValues} from './helmfile/release-values.ts'
import {type Imported, type ImportedRelease, type ImportedSource, withOwnNames} from './imported.ts'

interface HelmfileOptions {
  readonly file: string
  /** What it says: the output of `helmfile build`, or its own text. */
  readonly text: string
  /** Whether helmfile has worked its templates out. */
  readonly isBuilt: boolean
  readonly name: string
}

/**
 * A helmfile as an environment: `needs` become stated requirements, values files are read and merged. What has no place is
 * listed. Throws `KK_YAML` for what is no YAML, as a helmfile with templates is where helmfile is not there.
 */
export function importHelmfile({file, text, isBuilt, name}: HelmfileOptions): Imported {
  const documents = helmfileDocuments(text, file)
  const world: World = {
    isBuilt,
    home: dirname(resolve(file)),
    repositories: documents.flatMap(({state}) => state.repositories ?? []),
    off: new Map(documents.flatMap((each) => offIn(each))),
  }
  const read = documents.flatMap((document) =>
    (document.state.releases ?? [])
      .filter((each) => !world.off.has(idOf(each, document)))
      .map((each) => importRelease(each, document, world)),
  )
  const own = withOwnNames(read.map(({release}) => release))
  return {
    name,
    from: `${file}${isBuilt ? ', as helmfile build prints it' : ''}`,
    charts: unique(read.flatMap(({source}) => source ?? [])),
    releases: own.releases,
    lost: [
      ...world.off.values(),
      ...read.flatMap(({lost}) => lost),
      ...own.lost,
      ...documents.flatMap(({state}) => lostOfFile(state, isBuilt)),
    ],
  }
}

interface World {
  readonly isBuilt: boolean
  readonly home: string
  readonly repositories: NonNullable<Helmfile['repositories']>
  /** Releases that are turned off, with what says so. */
  readonly off: ReadonlyMap<string, string>
}

function offIn(document: HelmfileDocument): readonly (readonly [string, string])[] {
  return (document.state.releases ?? []).flatMap((release) => {
    const reason = offBecause(release, document.state)
    return reason === undefined
      ? []
      : [[idOf(release, document), `${release.name} is left out: ${reason}`] as const]
  })
}

function offBecause({installed, condition}: HelmfileRelease, state: Helmfile): string | undefined {
  if (installed === false) return 'installed is false'
  if (condition === undefined || state.renderedvalues === undefined) return undefined
  return dig(state.renderedvalues, ...condition.split('.')) === true ? undefined : `${condition} is not true`
}

interface ReadRelease {
  readonly release: ImportedRelease
  readonly source: ImportedSource | undefined
  readonly lost: readonly string[]
}

function importRelease(stated: HelmfileRelease, document: HelmfileDocument, world: World): ReadRelease {
  const {directory, state} = document
  const {source, chart} = chartSource(stated.chart ?? '', {directory, ...world})
  const lost: string[] = []
  const lose = (what: string) => void lost.push(what)
  if (source === undefined) lose(`where the chart ${stated.chart} of ${stated.name} comes from`)
  const namespace = namespaceOf(stated, document)
  const values = releaseValues(stated, directory, lose)
  const requires = requirementsOf(stated, namespace, {lose, off: world.off})
  for (const key of lostKeys(stated, world.isBuilt))
    lose(`${key} of ${stated.name}: an environment has no place for it`)
  const seconds = stated.timeout ?? state.helmDefaults?.timeout ?? 0
  const release: ImportedRelease = {
    name: stated.name ?? '',
    namespace,
    chart: {name: chart, ...(stated.version !== undefined && {version: String(stated.version)})},
    values,
    requires,
    ...(seconds > 0 && {timeout: `${seconds}s`}),
    notes: [],
  }
  return {release, source, lost}
}

interface Losing {
  readonly lose: (what: string) => void
  readonly off: World['off']
}

/** Each is written `name`, `namespace/name` or `context/namespace/name`. */
function requirementsOf(
  {name, needs = []}: HelmfileRelease,
  own: string,
  {lose, off}: Losing,
): readonly string[] {
  const requires = needs.flatMap((need) => {
    const parts = need.split('/')
    const [namespace, release] = parts.length === 1 ? [own, need] : parts.slice(-2)
    if (off.has(`${namespace}/${release}`)) {
      lose(`the need of ${name} for ${need}, which is left out`)
      return []
    }
    if (parts.length > 2)
      lose(`the context of ${need}, which ${name} needs: an environment is of one cluster`)
    return [namespace === own ? `${release}` : `${namespace}/${release}`]
  })
  return [...new Set(requires)]
}

function idOf(release: HelmfileRelease, document: HelmfileDocument): string {
  return `${namespaceOf(release, document)}/${release.name}`
}

/** What the file says for all of them wins, as in helmfile. */
function namespaceOf({namespace}: HelmfileRelease, {state}: HelmfileDocument): string {
  return state.namespace ?? namespace ?? 'default'
}

function unique(sources: readonly ImportedSource[]): readonly ImportedSource[] {
  return [...new Map(sources.map((each) => [JSON.stringify(each), each])).values()]
}
