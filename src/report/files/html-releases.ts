import type {ReleaseId} from '../../release.ts'
import type {Progress, ReleaseProgress, RunState} from '../../run/run-state.ts'
import type {Phase} from '../../run/times.ts'
import {expectedText, isForetold} from '../plan/forecast-text.ts'
import {clockText, durationText} from '../text/duration.ts'
import type {Labels} from '../text/label.ts'
import {type Markup, markup} from './markup.ts'
import {resultText} from './result-text.ts'
import {lastAwaited, runSpan} from './run-span.ts'

const PHASE_WORDS: Readonly<Record<string, string>> = {
  validate: 'validation',
  gate: 'health',
}

/**
 * Returns all releases as a table whose last column is the Gantt chart; the other columns have the same in
 * words.
 */
export function releasesSection(options: SectionOptions): Markup {
  const {state} = options
  const {startedAt, endedAt} = runSpan(state)
  const seconds = Math.max((endedAt - startedAt) / 1000, 1)
  const step = axisStep(seconds)
  const percent = (at: number) => (((at - startedAt) / 1000 / seconds) * 100).toFixed(3)
  const ticks = Array.from({length: Math.floor(seconds / step) + 1}, (_, index) => index * step)
  // The first and the last name of the axis must not hang over its ends.
  const named = ticks.filter((tick) => tick === 0 || tick / seconds < 0.92)
  return markup`<section aria-labelledby="releases">
<h2 id="releases">Releases</h2>
<div class="scroll" role="region" aria-labelledby="releases" tabindex="0">
<table style="--step:${((step / seconds) * 100).toFixed(3)}%">
<thead><tr><th scope="col">Release</th><th scope="col">Result</th><th scope="col">Start</th><th scope="col">Took</th>
<th scope="col" class="lane-head"><span class="only-heard">Time line</span><div class="axis" aria-hidden="true">${named.map(
    (tick) => markup`<span style="left:${percent(startedAt + tick * 1000)}%">${clockText(tick)}</span>`,
  )}</div></th></tr></thead>
<tbody>
${[...state.releases.values()].map((release) => row(release, {...options, percent}))}</tbody>
</table>
</div>
<p class="quiet">In a bar, dark is the time in which helm runs; light is the rest, most of it the wait for health.</p>
</section>
`
}

interface RowOptions extends SectionOptions {
  readonly percent: (at: number) => string
}

function row(progressed: ReleaseProgress, options: RowOptions): Markup {
  const {release, progress} = progressed
  const {labels, rowOf, failureOf} = options
  const result = markup`<span class="sign" aria-hidden="true">${RESULT_SIGNS[progress.state]}</span> ${resultText(progressed, labels)}`
  const linked = progress.state === 'failed' ? markup`<a href="#${failureOf(release)}">${result}</a>` : result
  return markup`<tr id="${rowOf(release)}" class="${progress.state}"><th scope="row">${labels(release)}</th><td class="result">${linked}</td><td class="start">${startText(progressed, options)}</td><td class="took">${tookText(progressed)}</td><td class="lane-cell"><div class="lane" aria-hidden="true">${bars(progressed, options)}</div></td></tr>
`
}

function startText(progressed: ReleaseProgress, {state, labels}: RowOptions): Markup {
  const {startedAt} = progressed.times
  if (startedAt === undefined) return markup``
  const awaited = lastAwaited(progressed, state)
  const after = awaited === undefined ? markup`` : markup` <small>after ${labels(awaited)}</small>`
  return markup`${clockText((startedAt - state.startedAt) / 1000)}${after}`
}

function tookText(progressed: ReleaseProgress): Markup {
  const {progress, times, expected} = progressed
  if (!('seconds' in progress)) return markup``
  const details = [
    ...(expected && isForetold(progressed) ? [`expected ${expectedText(expected)}`] : []),
    ...times.phases.flatMap(phaseText),
  ].join(', ')
  return markup`${durationText(progress.seconds)}${details === '' ? markup`` : markup` <small>${details}</small>`}`
}

/** Returns the phase with its duration; nothing for less than a second. */
function phaseText({phase, since, until}: Phase): readonly string[] {
  const seconds = until === undefined ? undefined : (until - since) / 1000
  if (seconds === undefined || seconds < 1) return []
  return [`${PHASE_WORDS[phase] ?? phase} ${durationText(seconds)}`]
}

function bars({times, progress}: ReleaseProgress, {state, percent}: RowOptions): readonly Markup[] {
  if (times.startedAt === undefined) return []
  const place = (since: number, until = state.lastAt) =>
    markup`style="left:${percent(since)}%;right:calc(100% - ${percent(until)}%)"`
  return [
    markup`<span class="bar ${progress.state}" ${place(times.startedAt, times.endedAt)}></span>`,
    ...times.phases
      .filter(({phase}) => phase === 'helm')
      .map(
        ({since, until}) => markup`<span class="bar helm ${progress.state}" ${place(since, until)}></span>`,
      ),
  ]
}

/** The readable steps of a time axis, in seconds. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400]

const MAX_TICKS = 10

/** The distance of the ticks on an axis of so many seconds. */
export function axisStep(seconds: number): number {
  return STEPS.find((step) => seconds / step <= MAX_TICKS) ?? Math.ceil(seconds / MAX_TICKS / 86400) * 86400
}

/** What every section of the page is made of. */
export interface SectionOptions {
  readonly state: RunState
  readonly labels: Labels
  /** The anchor of a release's row. */
  readonly rowOf: (release: ReleaseId) => string
  /** The anchor of a release's failure. */
  readonly failureOf: (release: ReleaseId) => string
}

type State = Progress['state']

/** The sign of each result, so that results do not differ by colour only. */
export const RESULT_SIGNS = {
  succeeded: '✔',
  failed: '✖',
  skipped: '–',
  unchanged: '=',
  running: '?',
  waiting: '…',
} as const satisfies Record<State, string>
