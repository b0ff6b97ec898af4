import {join} from 'node:path'
import {Flags} from '@oclif/core'
import {KkError} from '../base/errors.ts'
import {readServiceCharts, type ServiceChart} from '../exchange/kolla/service-charts.ts'
import {documentText} from '../report/document.ts'
import {builtInFiles} from '../state/assets.ts'
import type {ReleaseValues} from '../verbs/config/release-values.ts'
import {writeSplit} from '../verbs/split.ts'
import {documentFlags} from './flags.ts'

/** A written values file, for `--values RELEASE=FILE`. */
export interface WrittenValues {
  readonly release: string
  readonly file: string
}

/**
 * Writes two values files for each release, the second with the secrets; only the user can read them. Other
 * files that kk wrote to the directory stay. Rejects like `writeSplit`.
 */
export async function writeValues(
  releases: readonly ReleaseValues[],
  {directory, from}: {readonly directory: string | undefined; readonly from: string},
): Promise<readonly WrittenValues[]> {
  const parts = releases.flatMap(({release, values, secrets}) => [
    {release, name: release, values},
    {release, name: `${release}.secrets`, values: secrets},
  ])
  const files = new Map(
    parts.map(({name, values}) => [name, `# Made by kk from ${from}\n${documentText(values, 'yaml')}`]),
  )
  const {paths} = await writeSplit(files, {directory, partial: true})
  return parts.map(({release}, at) => ({release, file: paths[at]!}))
}

/** Returns the service charts in a directory, by default the built-in ones. Rejects with `KK_CHART`. */
export async function chartsIn(directory: string | undefined): Promise<readonly ServiceChart[]> {
  const charts = await readServiceCharts(directory ?? join(await builtInFiles(process.env), 'charts'))
  if (charts.length > 0) return charts
  throw new KkError('KK_CHART', `${directory}: expected charts that depend on the library chart common`, {
    hint: 'pass the directory that contains them, or omit --charts',
  })
}

/** The flags of the two commands that read configuration of kolla. */
export const configFlags = {
  charts: Flags.string({
    summary: 'The directory of the charts that get the configuration (default: the built-in charts).',
    helpValue: 'DIR',
  }),
  'output-dir': Flags.string({
    summary: 'The directory to write the values to (default: a new temporary directory).',
    helpValue: 'DIR',
    exclusive: ['dry-run'],
  }),
  'dry-run': Flags.boolean({summary: 'Show what would be written, and write nothing.'}),
  ...documentFlags,
}
