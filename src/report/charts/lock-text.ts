import type {ComparedLock, FoundLock} from '../../verbs/charts/lock-charts.ts'
import type {Palette} from '../colour.ts'
import {list} from '../table.ts'
import {counted} from '../text/list.ts'
import type {View} from '../text/view.ts'

/** Returns what was locked: a row for each chart, and how many images. */
export function lockText({lock, unresolved}: FoundLock, file: string, palette: Palette): View {
  const rows = Object.entries(lock.charts)
  const shown = list(rows, [
    ([release]) => release,
    ([, {chart}]) => chart,
    ([, {version}]) => version,
    ([, {from = ''}]) => palette.quiet(from),
  ])
  const images = Object.keys(lock.images).length
  const without = unresolved.length === 0 ? '' : `, ${unresolved.length} of them without a digest`
  const sum = `${counted(rows.length, 'chart')} and ${counted(images, 'image')}${without}`
  return [shown, `${palette.strong('locked')} ${sum} in ${file}`]
}

/** The same for `--output json|yaml`. */
export function lockDocument(
  {lock, unresolved}: FoundLock,
  {file, environment}: {readonly file: string; readonly environment: string},
): object {
  return {
    environment,
    file,
    charts: Object.entries(lock.charts).map(([release, chart]) => ({release, ...chart})),
    images: Object.entries(lock.images).map(([image, digest]) => ({image, digest})),
    unresolved,
  }
}

/** Returns a line for each reason why digests are unknown, with the images. */
export function unresolvedLines({unresolved}: Pick<FoundLock, 'unresolved'>): readonly string[] {
  return [...Map.groupBy(unresolved, ({reason}) => reason)].map(
    ([reason, images]) => `without a digest: ${reason}: ${images.map(({image}) => image).join(', ')}`,
  )
}

/** Returns a line for each difference from a lock. */
export function lockDifferencesText({file, differences}: ComparedLock, palette: Palette): View {
  if (differences.length === 0) return `as ${file} has it\n`
  const lines = differences.map(({what}) => `  ${palette.change('!')} ${what}`)
  return [...lines, `${counted(differences.length, 'difference')} from ${file}`]
}
