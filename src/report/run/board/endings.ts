import type {ReleaseId} from '../../../release.ts'
import type {Palette} from '../../colour.ts'
import {durationText} from '../../text/duration.ts'
import type {Labels} from '../../text/label.ts'
import {plainLine} from '../../text/plain.ts'
import type {Progress, ReleaseProgress} from '../run-state.ts'
import {skipText, successText} from '../run-words.ts'

export interface EndingOptions {
  readonly labels: Labels
  readonly colours: Palette
  /** Nothing runs any more: the summary follows, and tells each failure in full. */
  readonly isLast: boolean
}

/** The lines that stay for releases that have ended; those skipped for one reason share a line. */
export function endingLines(
  ended: readonly ReleaseProgress[],
  {labels, colours, isLast}: EndingOptions,
): readonly string[] {
  const skipped = new Map<string, ReleaseId[]>()
  const lines: string[] = []
  for (const {release, kind, progress} of ended) {
    if (progress.state === 'succeeded') {
      const text = successText(kind, progress.revision, progress.seconds)
      lines.push(`${colours.good('✔')} ${labels(release)} ${text}`)
    }
    if (progress.state === 'failed') lines.push(failedLine(labels(release), progress, {colours, isLast}))
    if (progress.state === 'skipped') {
      const text = skipText(progress.because, progress.reason, labels)
      skipped.set(text, [...(skipped.get(text) ?? []), release])
    }
  }
  for (const [text, releases] of skipped) {
    lines.push(`${colours.change('-')} ${releases.map(labels).join(', ')} ${text}`)
  }
  return lines
}

type Failed = Extract<Progress, {state: 'failed'}>

function failedLine(
  name: string,
  {error, seconds}: Failed,
  {colours, isLast}: Omit<EndingOptions, 'labels'>,
): string {
  const why = isLast ? '' : `: ${error.code}: ${plainLine(error.message)}`
  const text = `failed after ${durationText(seconds)}${why}`
  return `${colours.bad('✖')} ${name} ${text}`
}
