import {KkError} from '../../base/errors.ts'
import type {Values} from '../../base/values.ts'
import {armadaStream, mergeArmada} from '../../exchange/armada/overrides.ts'
import {type ChartOverrides, helmValues} from '../../exchange/helm/write.ts'
import {blockYaml} from '../../overrides/overrides-yaml.ts'
import type {OverrideService, ShownOverrides} from '../../overrides/service.ts'
import type {ChartPlace} from '../../overrides/user/store.ts'
import {readNamedFile} from '../../state/files/named-file.ts'
import {writeNamedFile} from '../../state/files/write-named-file.ts'
import {writeSplit} from '../../verbs/split.ts'
import {readYaml, readYamlDocuments} from '../../yaml/yaml.ts'
import type {ShowFlags} from './flags.ts'
import {withOverrides} from './open-overrides.ts'
import {allPlaces, namedPlaces, placeOfChart} from './places.ts'

/**
 * The output of a command that shows overrides: a string in another tool's format, or the overrides of each
 * chart.
 */
export type OverridesOutput =
  | {readonly kind: 'text'; readonly text: string}
  | {readonly kind: 'overrides'; readonly charts: readonly ShownOverrides[]}

/** Shows the overrides of the named charts. */
export async function showOverrides(
  words: readonly string[],
  flags: ShowFlags,
  say: (line: string) => void,
): Promise<OverridesOutput> {
  if (flags.all && words.length > 0) {
    throw new KkError('KK_USAGE', `--all selects every chart, but ${words.join(' ')} was specified`, {
      hint: 'omit one of them',
    })
  }
  const [only, ...more] = words
  const single = only !== undefined && more.length === 0 && !only.includes(':') ? only : undefined
  const named = flags.all || single !== undefined ? undefined : namedPlaces(words)
  const {format} = flags
  return withOverrides(flags, {changes: false, say}, async (service): Promise<OverridesOutput> => {
    const places =
      single === undefined
        ? (named ?? (await allPlaces(service)))
        : [await placeOfChart(service, {name: single})]
    if (format) return {kind: 'text', text: await formatted(service, places, {...flags, format})}
    const charts: ShownOverrides[] = []
    for (const {name, namespace} of places)
      charts.push(await service.show(name, namespace, {showSecrets: flags['show-secrets']}))
    return {kind: 'overrides', charts}
  })
}

/**
 * Returns combined overrides in another tool's format, or "" if they were written to a file. Rejects with
 * `KK_SECRET` if they contain a secret and `--show-secrets` is missing: a masked value must not reach a
 * cluster.
 */
async function formatted(
  service: OverrideService,
  places: readonly ChartPlace[],
  flags: ShowFlags & {readonly format: 'helm' | 'armada'},
): Promise<string> {
  const several = places.length !== 1
  if (flags.format === 'helm' && flags.onto !== undefined) {
    throw new KkError('KK_USAGE', '--onto takes an Armada manifest, but the format is helm', {
      hint: 'pass --format armada',
    })
  }
  if (flags.format === 'helm' && several && (flags.file === undefined || flags.file === '-')) {
    throw new KkError('KK_USAGE', 'several charts in the format helm are several files', {
      hint: 'specify a directory for them: --file DIRECTORY',
    })
  }
  const charts: ChartOverrides[] = []
  for (const place of places) charts.push(await combined(service, place, flags['show-secrets']))
  if (flags.format === 'helm' && several) return writeFiles(charts, flags.file!)
  const text = flags.format === 'helm' ? helmValues(charts[0]!) : await armada(charts, flags.onto)
  if (flags.file === undefined) return text
  await writeNamedFile(flags.file, text)
  return ''
}

async function combined(
  service: OverrideService,
  {name, namespace}: ChartPlace,
  showSecrets: boolean,
): Promise<ChartOverrides> {
  const shown = await service.show(name, namespace, {showSecrets: true})
  const masked = showSecrets ? shown : await service.show(name, namespace)
  if (masked.combinedOverrides !== shown.combinedOverrides) {
    throw new KkError('KK_SECRET', `the overrides of ${name} in ${namespace} contain secrets`, {
      hint: 'pass --show-secrets to include them; a file with them is readable only by its owner',
    })
  }
  return {name, namespace, values: (readYaml(shown.combinedOverrides) ?? {}) as Values}
}

async function armada(charts: readonly ChartOverrides[], onto: string | undefined): Promise<string> {
  if (onto === undefined) return armadaStream(charts)
  const text = await readNamedFile(onto, {what: `--onto ${onto}`})
  const documents = readYamlDocuments(text, {file: onto, duplicates: 'error'})
  return mergeArmada({file: onto, documents}, charts)
    .map((document) => `---\n${blockYaml(document)}`)
    .join('')
}

/** Writes `<namespace>-<chart>.yaml` for each chart. */
async function writeFiles(charts: readonly ChartOverrides[], directory: string): Promise<string> {
  const files = charts.map((chart) => [`${chart.namespace}-${chart.name}`, helmValues(chart)] as const)
  await writeSplit(new Map(files), {directory, partial: false})
  return ''
}
