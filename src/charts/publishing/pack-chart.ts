import {createHash} from 'node:crypto'
import {join} from 'node:path'
import {buffer} from 'node:stream/consumers'
import {crc32} from 'node:zlib'
import {KkError} from '../../base/errors.ts'
import {isMap, type Values} from '../../base/values.ts'
import {dumpYaml} from '../../yaml/dump.ts'
import {readYaml} from '../../yaml/yaml.ts'
import type {Chart} from '../chart.ts'
import {valuesFault} from '../default-values.ts'
import {listFeatureFiles} from '../feature-files.ts'
import type {ChartFile} from '../files/chart-files.ts'
import {readPackageFiles} from '../files/package-files.ts'
import {vendoredFiles} from '../vendor-charts.ts'
import {isVersion} from '../version.ts'
import type {PackagePage} from './package-page.ts'

/** A chart as one file that helm installs, with its libraries inside. */
export interface PackedChart {
  readonly name: string
  readonly version: string
  /** `keystone-0.1.0.tgz` */
  readonly file: string
  readonly bytes: Buffer
  /** The SHA-256 (hex) of the bytes. */
  readonly digest: string
  /** The content of its `Chart.yaml`. */
  readonly metadata: Values
  /** Its signature: the content of `keystone-0.1.0.tgz.prov`, as helm verifies it. */
  readonly provenance?: string
}

/**
 * Packs a chart with its libraries and feature files. The bytes depend only on the content, not on times,
 * owners or the machine. Rejects with `KK_CHART` and `KK_YAML`, also for files that helm would not load,
 * because a published version never changes.
 */
export async function packChart(
  chart: Chart,
  {version = chart.version, page}: PackChartOptions = {},
): Promise<PackedChart> {
  const files = vendoredFiles(chart)
  const fault = valuesFault(chart.directory) ?? schemaFault(chart.directory, files)
  if (fault) throw fault
  const metadata = packedMetadata({chart, version, files, annotations: page?.annotations ?? {}})
  const generated = new Map([[MANIFEST, dumpYaml(metadata)]])
  if (page && !files.some(({path}) => path === README)) generated.set(README, page.readme)
  const content = new Map(
    [
      ...files,
      ...listFeatureFiles(chart),
      ...[...generated].map(([path, text]) => ({path, bytes: Buffer.from(text)})),
    ].map((file) => [file.path, file]),
  )
  return packed(stored(await tarball(chart.name, [...content.values()].sort(byPath))), metadata)
}

/**
 * Reads a package of any origin. Rejects with `KK_CHART`, whose message has the name of the file, and with
 * `KK_PROVENANCE` if its signature is for other bytes.
 */
export async function readPacked(
  bytes: Buffer,
  file: string,
  provenance: string | undefined,
): Promise<PackedChart> {
  const manifest = (await readPackageFiles(bytes, file)).find(({path}) => path === MANIFEST)
  const metadata = readYaml(manifest?.bytes.toString() ?? '', {file: `${file}: ${MANIFEST}`})
  // Its file name contains both.
  if (isMap(metadata) && /^[\w.-]+$/.test(String(metadata.name)) && isVersion(String(metadata.version)))
    return withProvenance(packed(bytes, metadata), provenance)
  throw new KkError('KK_CHART', `${file}: expected a ${MANIFEST} with a name and a version`, {
    hint: 'make it again with kk charts package or helm package',
  })
}

function withProvenance(chart: PackedChart, provenance: string | undefined): PackedChart {
  if (provenance === undefined) return chart
  if (provenance.includes(`sha256:${chart.digest}`)) return {...chart, provenance}
  throw new KkError('KK_PROVENANCE', `${chart.file}.prov is of another package than the one next to it`, {
    hint: 'sign the package again with kk charts package --sign, or remove the file',
  })
}

function packed(bytes: Buffer, metadata: Values): PackedChart {
  const [name, version] = [String(metadata.name), String(metadata.version)]
  const digest = createHash('sha256').update(bytes).digest('hex')
  return {name, version, file: `${name}-${version}.tgz`, bytes, digest, metadata}
}

interface PackChartOptions {
  /** Replaces the version in `Chart.yaml`. */
  readonly version?: string | undefined
  /** The page; the chart's own annotations win over it. */
  readonly page?: PackagePage | undefined
}

const MANIFEST = 'Chart.yaml'
const README = 'README.md'
const SCHEMA = 'values.schema.json'

/** Returns the error in the schema of a chart's values, as far as helm reads it when it packs. */
function schemaFault(directory: string, files: readonly ChartFile[]): KkError | undefined {
  try {
    JSON.parse(files.find(({path}) => path === SCHEMA)?.bytes.toString() ?? '{}')
  } catch (error) {
    return new KkError('KK_CHART', `${join(directory, SCHEMA)} is no JSON: ${(error as Error).message}`, {
      cause: error,
      hint: 'correct the chart; helm lint says more',
    })
  }
}

function byPath(a: ChartFile, b: ChartFile): number {
  return a.path < b.path ? -1 : 1
}

interface MetadataOptions {
  readonly chart: Chart
  readonly version: string
  readonly files: readonly ChartFile[]
  readonly annotations: PackagePage['annotations']
}

/**
 * Returns the `Chart.yaml` of the package, without paths to libraries, which are inside; the paths were valid
 * only on this machine.
 */
function packedMetadata({chart: {libraries}, version, files, annotations}: MetadataOptions): Values {
  const {bytes} = files.find(({path}) => path === MANIFEST)!
  const original = readYaml(bytes.toString(), {file: MANIFEST}) as Values
  const inside = new Set(libraries.map(({name}) => name))
  const dependencies = (original.dependencies as readonly Values[] | undefined)?.map((dependency) => {
    const {repository: _, ...rest} = dependency
    return inside.has(String(dependency.name)) ? rest : dependency
  })
  const all = {...annotations, ...(original.annotations as Values | undefined)}
  return {
    ...original,
    version,
    ...(dependencies && {dependencies}),
    ...(Object.keys(all).length > 0 && {annotations: all}),
  }
}

/** One time for all files: the oldest that every program supports. */
const TIME = new Date('1980-01-01T00:00:00Z')

async function tarball(name: string, files: readonly ChartFile[]): Promise<Buffer> {
  const {pack} = await import('tar-stream')
  const archive = pack()
  for (const {path, bytes} of files)
    archive.entry({name: `${name}/${path}`, mode: 0o644, uid: 0, gid: 0, mtime: TIME}, bytes)
  archive.finalize()
  return buffer(archive)
}

const MAX_BLOCK = 0xffff

/**
 * Returns a gzip file (RFC 1952) that contains the bytes uncompressed, because compressed output differs
 * between versions of zlib and between processors, so that a version would seem to have changed.
 */
function stored(bytes: Buffer): Buffer {
  const parts: Buffer[] = [Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])]
  for (let at = 0; at < bytes.length; at += MAX_BLOCK) {
    const block = bytes.subarray(at, at + MAX_BLOCK)
    const head = Buffer.from([at + MAX_BLOCK < bytes.length ? 0 : 1, 0, 0, 0, 0])
    head.writeUInt16LE(block.length, 1)
    head.writeUInt16LE(~block.length & 0xffff, 3)
    parts.push(head, block)
  }
  const tail = Buffer.alloc(8)
  tail.writeUInt32LE(crc32(bytes), 0)
  tail.writeUInt32LE(bytes.length, 4)
  return Buffer.concat([...parts, tail])
}
