import {KkError} from '../../errors.ts'
import {armadaStream, mergeArmada} from '../../exchange/armada/write.ts'
import {type ChartOverrides, helmValues} from '../../exchange/helm/write.ts'
import {readYaml, readYamlDocuments} from '../../helm/yaml.ts'
import {blockYaml} from '../../overrides/overrides-yaml.ts'
import type {OverrideService} from '../../overrides/service.ts'
import type {Values} from '../../release.ts'
import {readNamedFile} from '../../state/files/named-file.ts'
import {writeNamedFile} from '../../state/files/write-named-file.ts'
import {writeSplit} from '../../verbs/split.ts'

export interface FormatFlags {
  readonly format: 'helm' | 'armada'
  readonly file?: string | undefined
  readonly onto?: string | undefined
  readonly 'show-secrets': boolean
}

export interface Place {
  readonly name: string
  readonly namespace: string
}

/**
 * Combined overrides in a foreign format: what is to be printed, or "" once it was written to a file. Rejects with
 * `KK_SECRET` where a secret is inside and nobody asked for it: a masked value must not reach a cluster.
 */
export async function formatted(
  service: OverrideService,
  places: readonly Place[],
  flags: FormatFlags,
): Promise<string> {
  const several = places.length !== 1
  if (flags.format === 'helm' && flags.onto !== undefined) {
    throw new KkError('KK_USAGE', '--onto names an Armada manifest, but the format is helm', {
      hint: 'pass --format armada',
    })
  }
  if (flags.format === 'helm' && several && (flags.file === undefined || flags.file === '-')) {
    throw new KkError('KK_USAGE', "several charts in helm's format are several files", {
      hint: 'name a directory for them: --file DIRECTORY',
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
  {name, namespace}: Place,
  showSecrets: boolean,
): Promise<ChartOverrides> {
  const shown = await service.show(name, namespace, {showSecrets: true})
  const masked = showSecrets ? shown : await service.show(name, namespace)
  if (masked.combinedOverrides !== shown.combinedOverrides) {
    throw new KkError('KK_SECRET', `the overrides of ${name} in ${namespace} hold secrets`, {
      hint: 'pass --show-secrets to have them in the output; a file of them is readable by you only',
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

/** `<namespace>-<chart>.yaml` for each chart. */
async function writeFiles(charts: readonly ChartOverrides[], directory: string): Promise<string> {
  const files = charts.map((chart) => [`${chart.namespace}-${chart.name}`, helmValues(chart)] as const)
  await writeSplit(new Map(files), {directory, partial: false})
  return ''
}
