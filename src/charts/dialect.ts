import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {once, oncePer} from '../base/once.ts'
import {isMap, type Values} from '../base/values.ts'
import {readYaml} from '../yaml/yaml.ts'
import type {Dialect, Library} from './chart.ts'
import {defaultValues} from './default-values.ts'
import {isPackageOf} from './dependencies.ts'
import {readChartFiles} from './files/chart-files.ts'
import {unpacked} from './files/package-files.ts'
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
  /** Returns what the defaults have below a key of the top; undefined where they have none. */
  at(key: string): unknown
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
    return {name, dialect, values, ...valuesAt(values), templates}
  }
  const templates = readOwnFiles(chart)
    .filter(({path}) => path.startsWith('templates/'))
    .map(({bytes}) => bytes.toString())
    .join('\n')
  const dialect = dialectOf(chart, templates, isWhole)
  const values = once(() => (dialect === undefined ? {} : defaultValues(directory)))
  const blocks = once(() => (dialect === 'openstack-helm' ? blocksIn(directory) : undefined))
  const at = oncePer((key: string) => {
    const text = blocks()
    const block = text?.get(key)
    if (text && block === undefined) return undefined
    const read = block === undefined ? undefined : parsed(block)
    return (read ?? values())[key]
  })
  return {
    name,
    dialect,
    get values() {
      return values()
    },
    get endpoints() {
      return mapOf(at('endpoints'))
    },
    at,
    templates,
  }
}

/** A key at the top of a file of values, with what is indented below it. */
const BLOCK = /^([A-Za-z_][\w-]*):(?:[ \t].*)?\n(?:(?:[ \t#].*)?\n)*/gm
const HEAD = /^(?:#.*\n|[ \t]*\n)*---[ \t]*\n/
const TAIL = /\n\.\.\.[ \t]*\n\s*$/
const BLANK = /^(?:#.*|[ \t]*)$/

/**
 * The text of each block of a values file that is made of blocks alone, by its key; undefined for any other file. Charts of
 * openstack-helm have thousands of lines, each command asks all charts, and they are asked for a few keys.
 */
function blocksIn(directory: string): ReadonlyMap<string, string> | undefined {
  const file = join(directory, 'values.yaml')
  const text = existsSync(file) ? `${readFileSync(file, 'utf8')}\n`.replace(HEAD, '').replace(TAIL, '\n') : ''
  const found = [...text.matchAll(BLOCK)]
  const isRest = text
    .replace(BLOCK, '')
    .split('\n')
    .every((line) => BLANK.test(line))
  const blocks = new Map(found.map(([block, key = '']) => [key, block]))
  return isRest && blocks.size === found.length ? blocks : undefined
}

/** The value of a block; undefined for an alias of what stands elsewhere, or a fault: the whole file tells, with the line. */
function parsed(block: string): Values | undefined {
  try {
    return mapOf(readYaml(block, {file: 'values.yaml'}))
  } catch {
    return undefined
  }
}

/** The ways to look into defaults that are read already. */
export function valuesAt(values: Values): Pick<SpokenChart, 'endpoints' | 'at'> {
  return {endpoints: mapOf(values.endpoints), at: (key) => values[key]}
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
  return (
    packed !== undefined && WHOLE_CHART.test(unpacked(readFileSync(join(charts, packed))).toString('latin1'))
  )
}

const WHOLE_CHART = /define\s+"common\.chart"/

/** Whether a library has the template that makes a whole chart of kk. */
export function definesChart(library: string): boolean {
  const files = readChartFiles(library).filter(({path}) => path.startsWith('templates/'))
  return files.some(({bytes}) => WHOLE_CHART.test(bytes.toString()))
}

function vendoredIn(directory: string): readonly string[] {
  const charts = join(directory, 'charts')
  return existsSync(charts) ? readdirSync(charts) : []
}
