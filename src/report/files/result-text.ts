import type {ReleaseProgress} from '../../run/run-state.ts'
import {doneWord, healthSuffix, skipText} from '../run/run-words.ts'
import type {Labels} from '../text/label.ts'
import {plainLine} from '../text/plain.ts'

/** How a release ended, without how long it took: `installed, revision 1`, `failed: KK_UNHEALTHY`. */
export function resultText({kind, progress}: ReleaseProgress, labels: Labels): string {
  switch (progress.state) {
    case 'succeeded':
      return `${doneWord(kind, progress)}, revision ${progress.revision}${healthSuffix(progress.health)}`
    case 'failed':
      return `failed: ${plainLine(progress.error.code)}`
    case 'skipped':
      return skipText(progress.because, progress.reason, labels)
    case 'unchanged':
      return 'unchanged'
    case 'running':
      return 'not known to have ended'
    case 'waiting':
      return 'not started'
  }
}
