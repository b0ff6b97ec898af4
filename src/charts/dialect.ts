import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {gunzipSync} from 'node:zlib'
import {readYaml} from '../helm/yaml.ts'
import {isMap, type Values} from '../release.ts'
import {once} from '../state/once.ts'
import type {Dialect, Library} from './chart.ts'
import {defaultValues} from './default-values.ts'
import {isPackageOf} from './dependencies.ts'
import {readChartFiles} from './files/chart-files.ts'
import {readOwnFiles} from './own-files.ts'

/** A chart as far as what is written for it depends on what it reads. */
export interface SpokenChart {
  readonly name: string
  /** Undefined for a chart of neither; nothing is known of what it reads. */
  readonly dialect: Dialect | undefined
  /** Its defaults, read when they are asked for; those of a chart of neither are not. */
  readonly values: Values
  /** `endpoints` of the defaults. */
  readonly endpoints: Values
  /** The text of its own templates; undefined where no files are at hand. */
  readonly templates: string | undefined
}

/**
 * Which dialect a chart speaks, with what that is told by. Throws `KK_CHART`, `KK_YAML`. `isWhole` tells whether the library in a
 * directory makes whole charts; who asks for many charts of one library may know it.
 */
export function spokenChart(
  chart: Library,
  isWhole: (library: string) => boolean = definesChart,
): SpokenChart {
  const {name, directory, known} = chart
  if (known) {
    const {dialect, values, templates} = known
    return {name, dialect, values, endpoints: mapOf(values.endpoints), templates}
  }
  const templates = readOwnFiles(chart)
    .filter(({path}) => path.startsWith('templates/'))
    .map(({bytes}) => bytes.toString())
    .join('\n')
  const dialect = dialectOf(chart, templates, isWhole)
  const values = once(() => (dialect === undefined ? {} : defaultValues(directory)))
  const endpoints = once(() => (dialect === 'openstack-helm' ? endpointsIn(directory) : undefined))
  return {
    name,
    dialect,
    get values() {
      return values()
    },
    get endpoints() {
      return endpoints() ?? mapOf(values().endpoints)
    },
    templates,
  }
}

/**
 * `endpoints` of a values file that has it as a block of its own; undefined where all must be read for it. Charts of
 * openstack-helm have thousands of lines beside it, and each command asks all charts.
 */
function endpointsIn(directory: string): Values | undefined {
  const file = join(directory, 'values.yaml')
  const blocks = existsSync(file)
    ? [...readFileSync(file, 'utf8').matchAll(/^endpoints:[ \t]*\n(?:(?:[ \t#].*)?\n)*/gm)]
    : []
  if (blocks.length !== 1) return undefined
  try {
    return mapOf(mapOf(readYaml(blocks[0]![0], {file})).endpoints)
  } catch {
    // An alias of what stands elsewhere, or a fault: the whole file tells, with the line.
    return undefined
  }
}

function mapOf(value: unknown): Values {
  return isMap(value) ? value : {}
}

function dialectOf(
  chart: Pick<Library, 'directory' | 'libraries'>,
  templates: string,
  isWhole: (library: string) => boolean,
): Dialect | undefined {
  const vendored = vendoredIn(chart.directory)
  // What it depends on is one or the other.
  const has = (library: string) =>
    chart.libraries.some(({name}) => name === library) ||
    vendored.some((entry) => entry === library || isPackageOf(entry, library))
  if (has('helm-toolkit')) return 'openstack-helm'
  if (hasCommonOfKk(chart, vendored, isWhole)) return 'kk'
  return /["'`]helm-toolkit\./.test(templates) ? 'openstack-helm' : undefined
}

/** Others have libraries named `common`, too: kk's is known by the template that makes a whole chart. */
function hasCommonOfKk(
  {directory, libraries}: Pick<Library, 'directory' | 'libraries'>,
  vendored: readonly string[],
  isWhole: (library: string) => boolean,
): boolean {
  const library = libraries.find(({name}) => name === 'common')
  const charts = join(directory, 'charts')
  if (library) return isWhole(library.directory)
  if (vendored.includes('common')) return isWhole(join(charts, 'common'))
  const packed = vendored.find((entry) => isPackageOf(entry, 'common'))
  return packed !== undefined && WHOLE_CHART.test(unpacked(readFileSync(join(charts, packed))))
}

const WHOLE_CHART = /define\s+"common\.chart"/

/** Whether a library has the template that makes a whole chart of kk. */
export function definesChart(library: string): boolean {
  const files = readChartFiles(library).filter(({path}) => path.startsWith('templates/'))
  return files.some(({bytes}) => WHOLE_CHART.test(bytes.toString()))
}

/** A package of files as they are, one after the other; empty for one that is none, which helm refuses. */
function unpacked(bytes: Buffer): string {
  try {
    return gunzipSync(bytes, {maxOutputLength: MAX_LIBRARY_BYTES}).toString('latin1')
  } catch {
    return ''
  }
}

/** kk's own has a hundredth of it. */
const MAX_LIBRARY_BYTES = 32 * 1024 * 1024

function vendoredIn(directory: string): readonly string[] {
  const charts = join(directory, 'charts')
  return existsSync(charts) ? readdirSync(charts) : []
}
