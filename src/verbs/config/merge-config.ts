import {join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {isEmpty, isMap, type Values} from '../../base/values.ts'
import {configurationFiles, type ReadOptions, readOptions} from '../../exchange/kolla/options.ts'
import type {ChartFile, ServiceChart} from '../../exchange/kolla/service-charts.ts'
import {mergeValues} from '../../overrides/merge.ts'
import {readNamedFile} from '../../state/files/named-file.ts'
import {directoryFiles} from './directory-files.ts'
import {joinedValues, type ReleaseValues} from './release-values.ts'

export interface ConfigMerge {
  readonly releases: readonly ReleaseValues[]
  /** Files of charts, with the user's that were laid over them, the weakest first. */
  readonly files: readonly {
    readonly release: string
    readonly file: string
    readonly sources: readonly string[]
  }[]
  readonly leftOut: readonly {readonly file: string; readonly why: string}[]
}

interface MergeOptions {
  readonly charts: readonly ServiceChart[]
  /** Whose files come last. */
  readonly host: string | undefined
}

/**
 * Returns the user's configuration files in the layout of kolla's node_custom_config, merged in its order, as values over what
 * the charts write. Rejects with `KK_KOLLA`, `KK_FILE`, `KK_YAML`.
 */
export async function mergeConfig(directory: string, {charts, host}: MergeOptions): Promise<ConfigMerge> {
  const names = await directoryFiles(directory)
  const found = filesFor(names, {charts, host})
  if (found.length === 0 || names.some(isGenerated)) throw noOwnFiles(directory, names)
  const merged = await Promise.all(
    found.map(async ({chart, file, sources}) => {
      const read = await Promise.all(sources.map((source) => optionsOf(directory, source, file)))
      return {release: chart.name, ...valuesOf(file, read)}
    }),
  )
  const used = new Set(found.flatMap(({sources}) => sources))
  return {
    releases: joinedValues(merged),
    files: found.map(({chart, file, sources}) => ({release: chart.name, file: file.name, sources})),
    leftOut: names.filter((name) => !used.has(name)).map((file) => ({file, why: whyNot(file, charts)})),
  }
}

interface Found {
  readonly chart: ServiceChart
  readonly file: ChartFile
  /** The user's files that are there, the weakest first. */
  readonly sources: readonly string[]
}

/** The files of charts that the user has something for. */
function filesFor(names: readonly string[], {charts, host}: MergeOptions): readonly Found[] {
  const all = charts.flatMap((chart) => chart.files.map((file) => ({chart, file})))
  return all.flatMap(({chart, file}) => {
    const order = configurationFiles({service: chart.name, host, ...file})
    const sources = order.filter((name) => names.includes(name))
    return sources.length === 0 ? [] : [{chart, file, sources}]
  })
}

function isGenerated(name: string): boolean {
  return /^(?:[^/]+\/)?config\.json$/.test(name)
}

function noOwnFiles(directory: string, names: readonly string[]): KkError {
  const generated = names.find(isGenerated)
  if (generated === undefined)
    return new KkError('KK_KOLLA', `${directory}: expected global.conf, SERVICE.conf or SERVICE/FILE in it`, {
      hint: "name kolla's node_custom_config, by default /etc/kolla/config",
    })
  return new KkError(
    'KK_KOLLA',
    `${directory}: expected files that you wrote, got what kolla-ansible generated: ${generated}`,
    {hint: `take it whole with: kk config import ${directory}`},
  )
}

async function optionsOf(directory: string, name: string, {key, format}: ChartFile): Promise<ReadOptions> {
  const file = join(directory, name)
  const options = readOptions({file, text: await readNamedFile(file)}, format)
  if (options) return options
  throw new KkError('KK_KOLLA', `${file}: the chart makes this file of values, and takes none whole`, {
    hint: `write the options below conf.${key} of the release, and take the file away`,
  })
}

/** In kolla's order each of an option's values takes the place of the one before, be it secret or not. */
function valuesOf({key}: ChartFile, read: readonly ReadOptions[]): Pick<ReleaseValues, 'values' | 'secrets'> {
  const both = read.reduce<ReadOptions>(
    (before, {shown, secret}) => ({
      shown: laid(without(before.shown, secret), shown),
      secret: laid(without(before.secret, shown), secret),
    }),
    {shown: undefined, secret: undefined},
  )
  return {
    values: both.shown === undefined ? {} : {conf: {[key]: both.shown}},
    // With a secret in it the whole file is for a Secret.
    secrets: both.secret === undefined ? {} : {conf: {[key]: both.secret}, files: {[key]: {secret: true}}},
  }
}

type Options = Values | string | undefined

function laid(lower: Options, upper: Options): Options {
  return isMap(lower) && isMap(upper) ? mergeValues(lower, upper) : (upper ?? lower)
}

/** Returns what is left of options when others have taken the place of some. */
function without(options: Options, others: Options): Options {
  if (!isMap(options) || others === undefined) return options
  if (!isMap(others)) return undefined
  return Object.fromEntries(
    Object.entries(options).flatMap(([key, value]) => {
      if (!Object.hasOwn(others, key)) return [[key, value]]
      const rest = isMap(value) && isMap(others[key]) ? without(value, others[key]) : undefined
      return isMap(rest) && !isEmpty(rest) ? [[key, rest]] : []
    }),
  )
}

function whyNot(name: string, charts: readonly ServiceChart[]): string {
  const [service = '', host = '', file, ...rest] = name.split('/')
  const chart = charts.find((each) => each.name === service)
  const isOfHost = rest.length === 0 && chart?.files.some((each) => each.name === file)
  return isOfHost ? `it is for the host ${host}: --host ${host} takes it` : 'no chart has such a file'
}
