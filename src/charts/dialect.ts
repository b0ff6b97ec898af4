import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {memoize, once} from '../base/once.ts'
import {isMap, type Values} from '../base/values.ts'
import {readYaml} from '../yaml/yaml.ts'
import type {Dialect, Library} from './chart.ts'
import {defaultValues} from './default-values.ts'
import {isChartPackage} from './dependencies.ts'
import {readChartFiles} from './files/chart-files.ts'
import {unpacked} from './files/package-files.ts'
import {readOwnFiles} from './own-files.ts'

/** A chart with the facts that decide which values it reads. */
export interface DialectChart {
  readonly name: string
  /** Undefined for a chart of neither dialect: it is unknown which values it reads. */
  readonly dialect: Dialect | undefined
  /** The default values, read on first use; empty for a chart of neither dialect. */
  readonly values: Values
  /** `endpoints` of the defaults. */
  readonly endpoints: Values
  /** Returns the default value of a top-level key; undefined without one. */
  at(key: string): unknown
  /** The text of its own templates; undefined without files. */
  readonly templates: string | undefined
}

/**
 * Returns the dialect of a chart, with the facts from which it is detected. Throws `KK_CHART`, `KK_YAML`.
 * `isWhole` returns true if the library in a directory renders whole charts; callers with many charts of one
 * library may cache it.
 */
export function readDialectChart(
  chart: Library,
  isWhole: (library: string) => boolean = definesChart,
): DialectChart {
  const {name, directory, known} = chart
  if (known) {
    const {dialect, values, templates} = known
    return {name, dialect, values, ...valuesAt(values), templates}
  }
  const templates = readOwnFiles(chart)
    .filter(({path}) => path.startsWith('templates/'))
    .map(({bytes}) => bytes.toString())
    .join('\n')
  const dialect = detectDialect(chart, templates, isWhole)
  const values = once(() => (dialect === undefined ? {} : defaultValues(directory)))
  const blocks = once(() => (dialect === 'openstack-helm' ? blocksIn(directory) : undefined))
  const at = memoize((key: string) => {
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

/** A top-level key of a values file, with its indented content. */
const BLOCK = /^([A-Za-z_][\w-]*):(?:[ \t].*)?\n(?:(?:[ \t#].*)?\n)*/gm
const HEAD = /^(?:#.*\n|[ \t]*\n)*---[ \t]*\n/
const TAIL = /\n\.\.\.[ \t]*\n\s*$/
const BLANK = /^(?:#.*|[ \t]*)$/

/**
 * Returns the text of each block of a values file that consists only of blocks, by its key; undefined for any
 * other file. Charts of openstack-helm have thousands of lines, each command reads all charts, and only needs
 * a few keys.
 */
function blocksIn(directory: string): ReadonlyMap<string, string> | undefined {
  const file = join(directory, 'values.yaml')
  const text = existsSync(file) ? `${readFileSync(file, 'utf8')}\n`.replace(HEAD, '').replace(TAIL, '\n') : ''
  const matches = [...text.matchAll(BLOCK)]
  const isRest = text
    .replace(BLOCK, '')
    .split('\n')
    .every((line) => BLANK.test(line))
  const blocks = new Map(matches.map(([block, key = '']) => [key, block]))
  return isRest && blocks.size === matches.length ? blocks : undefined
}

/**
 * Returns the value of a block; undefined for an alias to another block, or an error, which parsing the whole
 * file reports with its line.
 */
function parsed(block: string): Values | undefined {
  try {
    return mapOf(readYaml(block, {file: 'values.yaml'}))
  } catch {
    return undefined
  }
}

/** Returns the accessors for default values that are already read. */
export function valuesAt(values: Values): Pick<DialectChart, 'endpoints' | 'at'> {
  return {endpoints: mapOf(values.endpoints), at: (key) => values[key]}
}

function mapOf(value: unknown): Values {
  return isMap(value) ? value : {}
}

function detectDialect(
  chart: Pick<Library, 'directory' | 'libraries'>,
  templates: string,
  isWhole: (library: string) => boolean,
): Dialect | undefined {
  const vendored = vendoredIn(chart.directory)
  // A dependency decides the dialect.
  const has = (library: string) =>
    chart.libraries.some(({name}) => name === library) ||
    vendored.some((entry) => entry === library || isChartPackage(entry, library))
  if (has('helm-toolkit')) return 'openstack-helm'
  if (hasCommonOfKk(chart, vendored, isWhole)) return 'kk'
  return /["'`]helm-toolkit\./.test(templates) ? 'openstack-helm' : undefined
}

/**
 * Returns true for a chart with kk's library `common`, recognized by the template that renders a whole chart,
 * because other libraries have that name, too.
 */
function hasCommonOfKk(
  {directory, libraries}: Pick<Library, 'directory' | 'libraries'>,
  vendored: readonly string[],
  isWhole: (library: string) => boolean,
): boolean {
  const library = libraries.find(({name}) => name === 'common')
  const charts = join(directory, 'charts')
  if (library) return isWhole(library.directory)
  if (vendored.includes('common')) return isWhole(join(charts, 'common'))
  const packed = vendored.find((entry) => isChartPackage(entry, 'common'))
  return (
    packed !== undefined && WHOLE_CHART.test(unpacked(readFileSync(join(charts, packed))).toString('latin1'))
  )
}

const WHOLE_CHART = /define\s+"common\.chart"/

/** Returns true if a library has the template that renders a whole chart of kk. */
export function definesChart(library: string): boolean {
  const files = readChartFiles(library).filter(({path}) => path.startsWith('templates/'))
  return files.some(({bytes}) => WHOLE_CHART.test(bytes.toString()))
}

function vendoredIn(directory: string): readonly string[] {
  const charts = join(directory, 'charts')
  return existsSync(charts) ? readdirSync(charts) : []
}
