import type {ReleaseProgress} from '../../run/run-state.ts'
import {doneWord, healthSuffix, STATE_WORDS, skipText} from '../run/run-words.ts'
import type {Labels} from '../text/label.ts'
import {plainLine} from '../text/plain.ts'

/** Returns how a release ended, without its duration: `installed, revision 1`, `failed: KK_UNHEALTHY`. */
export function resultText({kind, progress}: ReleaseProgress, labels: Labels): string {
  switch (progress.state) {
    case 'succeeded':
      return `${doneWord(kind, progress)}, revision ${progress.revision}${healthSuffix(progress.health)}`
    case 'failed':
      return `failed: ${plainLine(progress.error.code)}`
    case 'skipped':
      return skipText(progress.because, progress.reason, labels)
    default:
      return STATE_WORDS[progress.state]
  }
}
