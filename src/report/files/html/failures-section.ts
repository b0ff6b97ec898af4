import type {ReleaseId} from '../../../release.ts'
import {type FailureParts, failureParts} from '../../run/failure-parts.ts'
import {type RunState, releasesIn} from '../../run/run-state.ts'
import {durationText} from '../../text/duration.ts'
import type {Labels} from '../../text/label.ts'
import {type Markup, markup} from '../markup.ts'
import type {SectionOptions} from './section.ts'

/** Each failure in full, with its log and what was skipped because of it; nothing when there is none. */
export function failuresSection({state, labels, failureOf}: SectionOptions): Markup {
  const failed = releasesIn(state, 'failed')
  if (failed.length === 0) return markup``
  const articles = failed.map(({release, progress}) =>
    failureArticle(failureParts(progress), {
      anchor: failureOf(release),
      name: labels(release),
      took: durationText(progress.seconds),
      skipped: skippedBecauseOf(release, state, labels),
    }),
  )
  return markup`<section aria-labelledby="failures">
<h2 id="failures">Failures</h2>
${articles}</section>
`
}

interface ArticleOptions {
  readonly anchor: string
  readonly name: string
  readonly took: string
  readonly skipped: readonly string[]
}

function failureArticle(failure: FailureParts, {anchor, name, took, skipped}: ArticleOptions): Markup {
  const {code, message, blames, hint, log} = failure
  return markup`<article id="${anchor}" aria-labelledby="${anchor}-name">
<h3 id="${anchor}-name"><span class="sign" aria-hidden="true">✖</span> ${name} failed after ${took}</h3>
<p class="message"><strong>${code}</strong>: ${message.join('\n')}</p>
${when(blames.length > 0, markup`<p>To blame:</p><ul>${blames.map((blame) => markup`<li>${blame}</li>`)}</ul>\n`)}${when(
  hint !== undefined,
  markup`<p><strong>What to do next</strong>: ${hint ?? ''}</p>\n`,
)}${when(skipped.length > 0, markup`<p>Skipped because of it: ${skipped.join(', ')}</p>\n`)}${when(
  log.length > 0,
  markup`<pre role="region" aria-label="Log of ${name}" tabindex="0">${log.join('\n')}</pre>\n`,
)}</article>
`
}

function skippedBecauseOf(failed: ReleaseId, state: RunState, labels: Labels): readonly string[] {
  return releasesIn(state, 'skipped')
    .filter(({progress}) => progress.because === failed)
    .map(({release}) => labels(release))
}

function when(condition: boolean, text: Markup): Markup {
  return condition ? text : markup``
}
