import {isEmpty, isMap, type Values} from '../../base/values.ts'
import {type ContainerFiles, sourceName} from './container-config.ts'
import {type ReadOptions, readOptions} from './options.ts'
import type {ChartFile} from './service-charts.ts'

/**
 * Options by which kolla tells a store of data where it runs, and how its members find each other, by the path of the file. The
 * charts say so themselves; what is left is how it works, such as `max_connections`.
 */
const OF_THE_PLACE: Readonly<Record<string, RegExp>> = {
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

/** Returns true for a chart whose files are known well enough to take options of kolla's over its own. */
export function takesOptions(files: readonly ChartFile[]): boolean {
  return files.some(({path}) => Object.hasOwn(OF_THE_PLACE, path))
}

/** Returns what a chart that holds data takes of a container: the options of files that it has, too. Throws `KK_KOLLA`. */
export function dataOptions({config, texts}: ContainerFiles, files: readonly ChartFile[]): DataOptions {
  const taken = config.config_files.flatMap((copied) => {
    const file = files.find(({path}) => path === copied.dest && Object.hasOwn(OF_THE_PLACE, path))
    const name = sourceName(copied)
    const text = texts.get(name)
    const read = file && text !== undefined ? readOptions({file: name, text}, file.format) : undefined
    return file && read ? [{name, key: file.key, place: OF_THE_PLACE[file.path]!, read}] : []
  })
  const others = [...texts.keys()].filter((name) => !taken.some((file) => file.name === name))
  return {
    values: confOf(taken, 'shown'),
    secrets: confOf(taken, 'secret'),
    files: taken.map(({name, read, place}) => ({name, isSecret: kept(read.secret, place) !== undefined})),
    notes: [
      ...taken.flatMap(({name, read, place}) => {
        const left = [...placed(read.shown, place), ...placed(read.secret, place)]
        return left.length === 0
          ? []
          : [
              `${name}: the chart says itself where it runs and who its members are: left out ${left.join(', ')}`,
            ]
      }),
      ...(others.length === 0
        ? []
        : [`the chart has other files of its own for these: left out ${others.join(', ')}`]),
      'the chart starts it with scripts of its own: command and permissions are left out',
    ],
  }
}

interface Taken {
  readonly key: string
  readonly place: RegExp
  readonly read: ReadOptions
}

function confOf(taken: readonly Taken[], part: keyof ReadOptions): Values {
  const conf = taken.flatMap(({key, place, read}) => {
    const options = kept(read[part], place)
    return options === undefined ? [] : [[key, options] as const]
  })
  if (conf.length === 0) return {}
  const secret = part === 'secret' && {
    files: Object.fromEntries(conf.map(([key]) => [key, {secret: true}])),
  }
  return {conf: Object.fromEntries(conf), ...secret}
}

/** The options, in sections or not, that do not match; undefined for none. */
function kept(options: ReadOptions['shown'], place: RegExp): Values | undefined {
  if (!isMap(options)) return undefined
  const entries = Object.entries(options).flatMap(([name, value]) => {
    if (!isSection(value)) return place.test(name) ? [] : [[name, value] as const]
    const inside = kept(value, place)
    return inside === undefined ? [] : [[name, inside] as const]
  })
  return isEmpty(Object.fromEntries(entries)) ? undefined : Object.fromEntries(entries)
}

/** The options that match, with their sections. */
function placed(options: ReadOptions['shown'], place: RegExp): readonly string[] {
  if (!isMap(options)) return []
  return Object.entries(options).flatMap(([name, value]) => {
    if (isSection(value)) return placed(value, place).map((option) => `${name}.${option}`)
    return place.test(name) ? [name] : []
  })
}

function isSection(value: unknown): value is Values {
  return isMap(value) && value['type'] !== 'multistring'
}
