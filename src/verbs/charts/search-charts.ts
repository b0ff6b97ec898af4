import {existsSync} from 'node:fs'
import {readdir, readFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {isMap, type Values} from '../../base/values.ts'
import {readPacked} from '../../charts/publishing/pack-chart.ts'
import {compareVersions, isVersion} from '../../charts/version.ts'
import type {ChartSource} from '../../environment/environment.ts'
import {hostOf, trimSlash, withoutCredentials} from '../../helm/package-url.ts'
import type {Packages} from '../../helm/pull.ts'
import {type Descriptor, verified} from '../../images/registry/content.ts'
import type {Distribution} from '../../images/registry/distribution.ts'
import {readYaml} from '../../yaml/yaml.ts'

/** A chart that a source offers, in one version. */
export interface OfferedChart {
  readonly name: string
  readonly version: string
  readonly appVersion: string
  readonly description: string
  /** The source, for display. */
  readonly from: string
}

export interface SearchOptions {
  /** A part of the name, the description or a keyword, ignoring case; all charts without it. */
  readonly term: string | undefined
  readonly sources: readonly ChartSource[]
  /** All versions; else the newest of each chart of a source. */
  readonly allVersions: boolean
  readonly builtIn: () => Promise<string>
  readonly packages: Pick<Packages, 'index'>
  readonly registry: (host: string) => Distribution
}

/**
 * Returns the charts that the sources offer, except libraries, sorted by name and newest version first.
 * Rejects with `KK_CHART` if a source cannot be read, or is a registry that lists no repositories and there
 * is no term.
 */
export async function searchCharts(options: SearchOptions): Promise<readonly OfferedChart[]> {
  const {term = '', sources, allVersions} = options
  const offers: OfferedChart[] = []
  for (const source of sources) {
    const matching = (await offeredBy(source, options)).filter(({metadata}) => matches(metadata, term))
    const charts = matching.map(({metadata, from}) => offered(metadata, from))
    const versions = [...Map.groupBy(charts, ({name, from}) => `${from}/${name}`).values()].flatMap(
      (same) => {
        const sorted = same.toSorted((a, b) => compareVersions(b.version, a.version))
        return allVersions ? sorted : sorted.slice(0, 1)
      },
    )
    offers.push(...versions)
  }
  return offers.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

function formatSource(source: Exclude<ChartSource, {url: string}>): string {
  return source.kind === 'directory' ? source.path : "kk's own charts"
}

function offered(metadata: Values, from: string): OfferedChart {
  const text = (key: string) => String(metadata[key] ?? '')
  return {
    name: text('name'),
    version: text('version'),
    appVersion: text('appVersion'),
    description: text('description'),
    from,
  }
}

function matches({name, version, type, description, keywords}: Values, term: string): boolean {
  if (type === 'library' || typeof name !== 'string' || !isVersion(String(version))) return false
  const texts = [name, description ?? '', ...(Array.isArray(keywords) ? keywords : [])]
  return texts.some((text) => String(text).toLowerCase().includes(term.toLowerCase()))
}

/** The content of the `Chart.yaml` of a chart, and the location of the chart. */
interface Offer {
  readonly metadata: Values
  readonly from: string
}

async function offeredBy(source: ChartSource, options: SearchOptions): Promise<readonly Offer[]> {
  if (source.kind === 'oci') return inRegistry(source.url, options)
  if ('url' in source)
    return offers(inIndex(await options.packages.index(source)), withoutCredentials(source.url))
  const path = source.kind === 'directory' ? source.path : await options.builtIn()
  return offers(await inDirectory(path), formatSource(source))
}

function offers(charts: readonly Values[], from: string): readonly Offer[] {
  return charts.map((metadata) => ({metadata, from}))
}

function inIndex(index: unknown): readonly Values[] {
  const entries = isMap(index) && isMap(index.entries) ? Object.values(index.entries) : []
  return entries.flatMap((versions) => (Array.isArray(versions) ? versions.filter(isMap) : []))
}

/** Returns the metadata of charts and packages in a directory. */
async function inDirectory(path: string): Promise<readonly Values[]> {
  const entries = await readdir(path)
  const charts = ['.', ...entries].map((entry) => join(path, entry, 'Chart.yaml')).filter(existsSync)
  const packages = entries.filter((entry) => entry.endsWith('.tgz')).map((entry) => join(path, entry))
  const read = [
    ...(await mapParallel(charts, async (file) => readYaml(await readFile(file, 'utf8'), {file}))),
    ...(await mapParallel(
      packages,
      async (file) => (await readPacked(await readFile(file), file, undefined)).metadata,
    )),
  ]
  return read.filter(isMap)
}

/** The media type that distinguishes helm charts from images. */
const CHART_CONFIGURATION = 'application/vnd.cncf.helm.config.v1+json'

/** Returns the charts of a registry: all without a path, else those directly below the path. */
async function inRegistry(
  url: string,
  {term, allVersions, registry}: SearchOptions,
): Promise<readonly Offer[]> {
  const folder = trimSlash(url).replace(/^oci:\/\/[^/]+\/?/, '')
  const store = registry(hostOf(url))
  const prefix = folder && `${folder}/`
  const listed = await store.repositories()
  if (!listed && !term) throw unlisted(url)
  const repositories = (listed ?? [`${prefix}${term}`]).filter(
    (each) => each.startsWith(prefix) && (prefix === '' || !each.slice(prefix.length).includes('/')),
  )
  const charts = await mapParallel(repositories, async (repository) => {
    // Tags cannot contain a plus sign: it is written as an underscore.
    const versions = (await store.tags(repository)).filter((tag) => isVersion(tag.replaceAll('_', '+')))
    const sorted = versions.toSorted((a, b) =>
      compareVersions(b.replaceAll('_', '+'), a.replaceAll('_', '+')),
    )
    const from = `oci://${join(hostOf(url), dirname(repository))}`
    const read: Offer[] = []
    for (const tag of allVersions ? sorted : sorted.slice(0, 1)) {
      const metadata = await chartAt(store, repository, tag)
      if (metadata) read.push({metadata, from})
    }
    return read
  })
  return charts.flat()
}

/** Returns the metadata of a chart; undefined if the artifact is not a chart. */
async function chartAt(store: Distribution, repository: string, tag: string): Promise<Values | undefined> {
  const manifest = await store.manifest(repository, tag)
  const {config} = JSON.parse(manifest?.bytes.toString() ?? '{}') as Configured
  if (config?.mediaType !== CHART_CONFIGURATION) return undefined
  const parts: Uint8Array[] = []
  const bytes = await store.readBlob(repository, config)
  for await (const part of verified(bytes, config, store.name)) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString()) as Values
}

interface Configured {
  readonly config?: Descriptor
}

function unlisted(url: string): KkError {
  return new KkError('KK_CHART', `the registry of ${withoutCredentials(url)} does not list what it has`, {
    hint: `name the chart, because the registry lists its versions; or log in with helm registry login ${hostOf(url)}`,
  })
}
