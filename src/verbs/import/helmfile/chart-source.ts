import {existsSync} from 'node:fs'
import {basename, dirname, relative, resolve} from 'node:path'
import {isVersion} from '../../../charts/version.ts'
import type {ImportedSource} from '../imported.ts'
import type {Helmfile} from './helmfile.ts'
import {withoutCredentials} from './lost-keys.ts'

interface ChartPlace {
  /** Where the chart's path starts. */
  readonly directory: string
  /** Where the paths of the environment will start. */
  readonly home: string
  readonly repositories: NonNullable<Helmfile['repositories']>
}

/** A chart as an environment has it. */
export interface ChartOfHelmfile {
  /** What `kk.charts` says of its place; undefined where it has no words for it. */
  readonly source: ImportedSource | undefined
  readonly name: string
  readonly version?: string
  /** A tag or a digest that says which package is meant, and has no place in an environment. */
  readonly unkept?: string
}

/** Where a chart is, by a path, a repository or an address as helmfile takes them. */
export function chartSource(chart: string, {directory, home, repositories}: ChartPlace): ChartOfHelmfile {
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

/** Where only go-getter finds it, or nobody: its name is the last part of the path. */
function elsewhere(chart: string): ChartOfHelmfile {
  return {source: undefined, ...ofFile(basename(chart.replace(/\?.*$/, '')))}
}

/** `thing-1.2.3.tgz` is a package of the chart thing. */
function ofFile(file: string): Omit<ChartOfHelmfile, 'source'> {
  const [, name, version = ''] = /^(.+?)-(v?\d+\.\d+\.\d+.*)\.tgz$/.exec(file) ?? []
  return name !== undefined && isVersion(version) ? {name, version} : {name: basename(file, '.tgz')}
}
