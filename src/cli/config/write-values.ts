import {documentText} from '../../report/document.ts'
import type {ReleaseValues} from '../../verbs/config/release-values.ts'
import {writeSplit} from '../../verbs/split.ts'

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
