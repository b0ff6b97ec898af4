import {join} from 'node:path'
import {Flags} from '@oclif/core'
import {KkError} from '../base/errors.ts'
import {readServiceCharts, type ServiceChart} from '../exchange/kolla/service-charts.ts'
import {documentText} from '../report/document.ts'
import {builtInFiles} from '../state/assets.ts'
import type {ReleaseValues} from '../verbs/config/release-values.ts'
import {writeSplit} from '../verbs/split.ts'
import {documentFlags} from './flags.ts'

/** A file that was written, as `--values RELEASE=FILE` takes it. */
export interface WrittenValues {
  readonly release: string
  readonly file: string
}

/**
 * Writes two files of values for each release, the second with what is secret; both are the user's alone. Others of the
 * directory that kk wrote stay. Rejects as `writeSplit` does.
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

/** The charts of services in a directory, by default those that kk carries. Rejects with `KK_CHART`. */
export async function chartsIn(directory: string | undefined): Promise<readonly ServiceChart[]> {
  const charts = await readServiceCharts(directory ?? join(await builtInFiles(process.env), 'charts'))
  if (charts.length > 0) return charts
  throw new KkError('KK_CHART', `${directory}: expected charts that stand on the library chart common`, {
    hint: 'name the directory that holds them, or leave --charts out',
  })
}

/** The flags of both commands that read configuration of kolla's. */
export const configFlags = {
  charts: Flags.string({
    summary: 'The directory of charts that are to take it; by default those that kk carries.',
    helpValue: 'DIR',
  }),
  'output-dir': Flags.string({
    summary: 'The directory to write the values to; by default a fresh one under the temp folder.',
    helpValue: 'DIR',
    exclusive: ['dry-run'],
  }),
  'dry-run': Flags.boolean({summary: 'Show what would be written, and write nothing.'}),
  ...documentFlags,
}
