import {existsSync, readFileSync} from 'node:fs'
import {basename, dirname, relative, resolve} from 'node:path'
import {mergeValues} from '../../overrides/merge.ts'
import {applySet} from '../../overrides/strvals.ts'
import type {Values} from '../../release.ts'
import {type Helmfile, type HelmfileRelease, lostKeys} from './helmfile.ts'
import {type Imported, type ImportedRelease, type ImportedSource, withOwnNames} from './imported.ts'
import {readMaps} from './read-maps.ts'

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
  const directory = dirname(resolve(file))
  const documents = readMaps(text, file) as readonly Helmfile[]
  const repositories = documents.flatMap((each) => each.repositories ?? [])
  const lost: string[] = []
  const sources: ImportedSource[] = []
  const releases: ImportedRelease[] = []
  for (const {helmDefaults = {}, releases: stated = []} of documents) {
    for (const each of stated) {
      if (each.installed === false) {
        lost.push(`${each.name} is left out: installed is false`)
        continue
      }
      const {source, chart} = chartOf(each, repositories, directory)
      if (source === undefined) lost.push(`where the chart ${each.chart} of ${each.name} comes from`)
      else sources.push(source)
      const values = valuesOf(each, directory, lost)
      const seconds = each.timeout ?? helmDefaults.timeout
      releases.push({
        name: each.name ?? '',
        namespace: each.namespace ?? 'default',
        chart: {name: chart, ...(each.version !== undefined && {version: String(each.version)})},
        values,
        requires: (each.needs ?? []).map((need) =>
          requirement(need, each.namespace ?? 'default', lost, each),
        ),
        ...(seconds !== undefined && {timeout: `${seconds}s`}),
        notes: [],
      })
      for (const key of lostKeys(each))
        lost.push(`${key} of ${each.name}: an environment has no place for it`)
    }
  }
  const own = withOwnNames(releases)
  return {
    name,
    from: `${file}${isBuilt ? ', as helmfile build prints it' : ''}`,
    charts: unique(sources),
    releases: own.releases,
    lost: [...lost, ...own.lost, ...documents.flatMap(lostOfFile)],
  }
}

function lostOfFile(document: Helmfile): readonly string[] {
  return ['hooks', 'bases', 'helmfiles', 'environments', 'templates']
    .filter((key) => document[key] !== undefined)
    .map((key) => `${key}: read it with helmfile on the PATH, or move what it says by hand`)
}

function chartOf(
  {chart = ''}: HelmfileRelease,
  repositories: NonNullable<Helmfile['repositories']>,
  directory: string,
): {readonly source: ImportedSource | undefined; readonly chart: string} {
  const name = basename(chart)
  if (chart.startsWith('oci://'))
    return {source: dirname(chart).replace('oci:/', 'oci://').replace('oci:///', 'oci://'), chart: name}
  if (/^[./]/.test(chart) || existsSync(resolve(directory, chart, 'Chart.yaml'))) {
    const place = relative(directory, dirname(resolve(directory, chart)))
    return {source: place === '' ? '.' : place.startsWith('.') ? place : `./${place}`, chart: name}
  }
  const repository = repositories.find((each) => chart.startsWith(`${each.name}/`))
  if (repository?.url === undefined) return {source: undefined, chart: name}
  return {
    source: repository.oci
      ? `oci://${repository.url.replace(/^oci:\/\//, '')}`
      : {repository: repository.url},
    chart: name,
  }
}

/** Files and maps in their order, then `set`; later ones win. */
function valuesOf({name, values = [], set = []}: HelmfileRelease, directory: string, lost: string[]): Values {
  let merged: Values = {}
  for (const each of values) {
    if (typeof each !== 'string') merged = mergeValues(merged, (each ?? {}) as Values)
    else if (/\.gotmpl$/.test(each)) lost.push(`the values file ${each} of ${name}: it is a template`)
    else if (!existsSync(resolve(directory, each)))
      lost.push(`the values file ${each} of ${name}: it is not there`)
    else
      for (const values of readMaps(readFileSync(resolve(directory, each), 'utf8'), each))
        merged = mergeValues(merged, values as Values)
  }
  for (const {name: key, value} of set)
    if (key !== undefined)
      merged = applySet(`${key}=${escaped(value)}`, merged, {mode: 'typed', source: `set of ${name}`})
  return merged
}

/** As `--set` takes it: a comma would begin another key. */
function escaped(value: unknown): string {
  return String(value ?? '').replaceAll(/[\\,]/g, (character) => `\\${character}`)
}

/** `name`, `namespace/name` or `context/namespace/name`. */
function requirement(need: string, own: string, lost: string[], {name}: HelmfileRelease): string {
  const parts = need.split('/')
  if (parts.length > 2)
    lost.push(`the context of ${need}, which ${name} needs: an environment is of one cluster`)
  const [namespace, release] = parts.length === 1 ? [own, need] : parts.slice(-2)
  return namespace === own ? `${release}` : `${namespace}/${release}`
}

function unique(sources: readonly ImportedSource[]): readonly ImportedSource[] {
  return [...new Map(sources.map((each) => [JSON.stringify(each), each])).values()]
}
