import {isEmpty, isMap, type Values} from '../../base/values.ts'
import {type ContainerFiles, sourceName} from './container-config.ts'
import {type ReadOptions, readOptions} from './options.ts'
import type {ChartFile} from './service-charts.ts'

/**
 * Options with which kolla configures a data store's location and membership, by path of the file. The charts
 * set these themselves; the remaining options, such as `max_connections`, are imported.
 */
const PLACEMENT_OPTIONS: Readonly<Record<string, RegExp>> = {
  '/etc/mysql/my.cnf':
    /^(?:basedir|bind-address|port|datadir|pid-file|socket|log[_-]error|ssl[_-]\w+|wsrep_(?:on|provider\w*|cluster_\w+|node_\w+|sst_\w+))$/,
  '/etc/rabbitmq/rabbitmq.conf':
    /^(?:listeners|management|load_definitions|cluster_formation|cluster_name|prometheus|ssl_options|log)(?:\.|$)/,
}

/** Options of a container that holds data, as `conf` of its chart. */
export interface DataOptions {
  readonly values: Values
  readonly secrets: Values
  readonly files: readonly {readonly name: string; readonly isSecret: boolean}[]
  readonly notes: readonly string[]
}

/** Returns true if kolla's options can be merged over a file of this chart. */
export function takesOptions(files: readonly ChartFile[]): boolean {
  return files.some(({path}) => Object.hasOwn(PLACEMENT_OPTIONS, path))
}

/**
 * Returns what a chart that holds data imports of a container: the options of files that both have. Throws
 * `KK_KOLLA`.
 */
export function dataOptions({config, texts}: ContainerFiles, files: readonly ChartFile[]): DataOptions {
  const importedFiles = config.config_files.flatMap((copied) => {
    const file = files.find(({path}) => path === copied.dest && Object.hasOwn(PLACEMENT_OPTIONS, path))
    const name = sourceName(copied)
    const text = texts.get(name)
    const read = file && text !== undefined ? readOptions({file: name, text}, file.format) : undefined
    return file && read ? [{name, key: file.key, placement: PLACEMENT_OPTIONS[file.path]!, read}] : []
  })
  const unmatched = [...texts.keys()].filter((name) => !importedFiles.some((file) => file.name === name))
  return {
    values: buildConf(importedFiles, 'shown'),
    secrets: buildConf(importedFiles, 'secret'),
    files: importedFiles.map(({name, read, placement}) => ({
      name,
      isSecret: withoutMatching(read.secret, placement) !== undefined,
    })),
    notes: [
      ...importedFiles.flatMap(({name, read, placement}) => {
        const omitted = [...matchingNames(read.shown, placement), ...matchingNames(read.secret, placement)]
        return omitted.length === 0
          ? []
          : [`${name}: the chart sets its address and its members itself: omitted ${omitted.join(', ')}`]
      }),
      ...(unmatched.length === 0
        ? []
        : [`the chart has its own files instead of these: omitted ${unmatched.join(', ')}`]),
      'the chart starts it with its own scripts: command and permissions are omitted',
    ],
  }
}

interface ImportedFile {
  readonly key: string
  readonly placement: RegExp
  readonly read: ReadOptions
}

function buildConf(importedFiles: readonly ImportedFile[], part: keyof ReadOptions): Values {
  const conf = importedFiles.flatMap(({key, placement, read}) => {
    const options = withoutMatching(read[part], placement)
    return options === undefined ? [] : [[key, options] as const]
  })
  if (conf.length === 0) return {}
  const secret = part === 'secret' && {
    files: Object.fromEntries(conf.map(([key]) => [key, {secret: true}])),
  }
  return {conf: Object.fromEntries(conf), ...secret}
}

/** Returns the options, in sections or not, that do not match; undefined if none are left. */
function withoutMatching(options: ReadOptions['shown'], placement: RegExp): Values | undefined {
  if (!isMap(options)) return undefined
  const entries = Object.entries(options).flatMap(([name, value]) => {
    if (!isSection(value)) return placement.test(name) ? [] : [[name, value] as const]
    const remaining = withoutMatching(value, placement)
    return remaining === undefined ? [] : [[name, remaining] as const]
  })
  return isEmpty(Object.fromEntries(entries)) ? undefined : Object.fromEntries(entries)
}

/** Returns the names of matching options, with their sections. */
function matchingNames(options: ReadOptions['shown'], placement: RegExp): readonly string[] {
  if (!isMap(options)) return []
  return Object.entries(options).flatMap(([name, value]) => {
    if (isSection(value)) return matchingNames(value, placement).map((option) => `${name}.${option}`)
    return placement.test(name) ? [name] : []
  })
}

function isSection(value: unknown): value is Values {
  return isMap(value) && value['type'] !== 'multistring'
}
