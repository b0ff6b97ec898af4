import {describeCause} from '../../kubernetes/gate/cause.ts'
import {type Cause, type PassedHealth, partialNotes} from '../../kubernetes/gate/health.ts'
import type {ActionKind} from '../../plan/plan.ts'
import type {ReleaseId} from '../../release.ts'
import type {SkipReason, TestResult} from '../../run/events.ts'
import type {Progress, ReleaseProgress} from '../../run/run-state.ts'
import type {Palette} from '../colour.ts'
import {durationText} from '../text/duration.ts'
import type {Labels} from '../text/label.ts'
import {counted} from '../text/list.ts'
import {plainLine} from '../text/plain.ts'

/** What is happening to a release while its action runs. */
export const PROGRESS_WORDS = {
  install: 'installing',
  upgrade: 'upgrading',
  rollback: 'rolling back',
  remove: 'removing',
  await: 'awaiting its health',
  relabel: 'relabelling',
  adopt: 'adopting',
  'hand-over': 'handing over',
  prune: 'pruning',
  check: 'checking its health',
  test: 'running its tests',
  unchanged: 'unchanged',
} as const satisfies Record<ActionKind, string>

/** The words for the states of a release at the end of a run. */
export const STATE_WORDS = {
  succeeded: 'succeeded',
  failed: 'failed',
  skipped: 'skipped',
  unchanged: 'unchanged',
  running: 'not known to have ended',
  waiting: 'not started',
} as const satisfies Record<Progress['state'], string>

/** What has happened to a release when its action succeeded. */
const DONE = {
  install: 'installed',
  upgrade: 'upgraded',
  rollback: 'rolled back',
  remove: 'removed',
  await: 'healthy',
  relabel: 'relabelled',
  adopt: 'adopted',
  'hand-over': 'handed over',
  prune: 'pruned',
  check: 'checked',
  test: 'tested',
  unchanged: 'unchanged',
} as const satisfies Record<ActionKind, string>

type Succeeded = Pick<Extract<Progress, {state: 'succeeded'}>, 'revision' | 'health'>

/** `installed, revision 1, 12 s`; how its gate has passed follows if there is more to say. */
export function successText(kind: ActionKind, succeeded: Succeeded & {readonly seconds: number}): string {
  const {revision, seconds, health} = succeeded
  const done = doneWord(kind, succeeded)
  if (kind === 'remove') return `${done}, ${durationText(seconds)}`
  return `${done}, revision ${revision}, ${durationText(seconds)}${healthSuffix(health)}`
}

/** The result of an action; a release of which only a part is healthy is not called healthy. */
export function doneWord(kind: ActionKind, {health}: Pick<Succeeded, 'health'>): string {
  return kind === 'await' && health?.state === 'partial' ? health.state : DONE[kind]
}

/**
 * `; partial: StatefulSet/db: 0 of 2 pods are of its current version (OnDelete)`; what makes nothing partial
 * comes first.
 */
export function healthSuffix(health: PassedHealth = {state: 'healthy'}): string {
  const partial = partialNotes(health)
  const aside = (health.notes ?? []).filter((note) => !partial.includes(note))
  const texts = [aside, partial].map((notes) => notes.map(noteText).join('; '))
  return [texts[0], texts[1] && `partial: ${texts[1]}`].map((text) => text && `; ${text}`).join('')
}

/** What is worth knowing of an object whose gate has passed. */
export function noteText({object, message}: Pick<Cause, 'object' | 'message'>): string {
  return plainLine(`${object}: ${message}`)
}

/** `104 tests passed, 2 failed, 3 skipped`. */
export function testsText(tests: readonly TestResult[]): string {
  const {passed, failed, skipped} = testCounts(tests)
  return `${counted(passed, 'test')} passed, ${failed} failed, ${skipped} skipped`
}

export function testCounts(tests: readonly TestResult[]): Readonly<Record<TestResult['outcome'], number>> {
  const count = (wanted: TestResult['outcome']) => tests.filter(({outcome}) => outcome === wanted).length
  return {passed: count('passed'), failed: count('failed'), skipped: count('skipped')}
}

/** `skipped because keystone failed`. */
export function skipText(because: ReleaseId | undefined, reason: SkipReason, labels: Labels): string {
  const cause = because === undefined ? undefined : labels(because)
  if (reason === 'interrupted') return 'skipped because the run was interrupted'
  if (reason === 'lease-lost') return `skipped because the hold on ${cause ?? 'another release'} was lost`
  const failed = `skipped because ${cause ?? 'another release'} failed`
  return reason === 'fail-fast' ? `${failed} (--fail-fast)` : failed
}

/** Returns a line for each reason why releases were skipped, with these releases. */
export function skippedLines(
  releases: Iterable<ReleaseProgress>,
  labels: Labels,
  {change}: Palette,
): readonly string[] {
  const names = new Map<string, readonly string[]>()
  for (const {release, progress} of releases) {
    if (progress.state !== 'skipped') continue
    const text = skipText(progress.because, progress.reason, labels)
    names.set(text, [...(names.get(text) ?? []), labels(release)])
  }
  return [...names].map(([text, skipped]) => `${change('-')} ${skipped.join(', ')} ${text}`)
}

/** What closes a gate, on one line that a terminal may show. */
export function causeText(cause: Cause): string {
  return plainLine(describeCause(cause))
}

/**
 * Returns what an action does now, for a row that is cut at its end: Kubernetes' reason comes first. Of
 * several causes the first is named.
 */
export function progressText(message: string, causes: readonly Cause[]): string {
  const [first, ...others] = causes
  if (first === undefined) return plainLine(message)
  const {reason, detail: _detail, ...rest} = first
  const text = reason === undefined ? causeText(rest) : `${plainLine(reason)} · ${causeText(rest)}`
  return others.length === 0 ? text : `${text}, and ${others.length} more`
}

/** What an interrupted run still waits for. */
export function interruptedText(running: readonly string[]): string {
  if (running.length === 0) return 'nothing more is started'
  return `nothing more is started; waiting for ${running.join(', ')} to end (press Ctrl-C again to stop them)`
}
