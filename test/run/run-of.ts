import {KkError} from '../../src/base/errors.ts'
import type {Action, ActionKind} from '../../src/plan/plan.ts'
import {releaseName} from '../../src/release.ts'
import type {RunEvent} from '../../src/run/events.ts'
import {type RunOptions, run} from '../../src/run/run.ts'
import type {Controls, Perform} from '../../src/run/task.ts'
import {planOf} from './plan-of.ts'

export type Requires = Readonly<Record<string, readonly string[]>>

interface Setting extends Partial<Omit<RunOptions, 'plan'>> {
  readonly kinds?: Readonly<Record<string, ActionKind>>
}

export function runOf(requires: Requires, {kinds, ...options}: Setting = {}) {
  let time = 0
  return run({
    run: 'r1',
    plan: planOf(requires, kinds),
    perform: async ({revision}) => ({revision: revision + 1}),
    concurrency: 8,
    now: () => (time += 1000),
    ...options,
  })
}

export async function collected(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const result: RunEvent[] = []
  for await (const event of events) result.push(event)
  return result
}

/** `succeeded keystone`, `skipped glance (failed: mariadb)`, …; without the start and the end of the run. */
export function story(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) => {
    if (!('release' in event)) return []
    const line = `${event.type.slice('release-'.length)} ${releaseName(event.release)}`
    if (event.type !== 'release-skipped') return [line]
    return [`${line} (${event.reason}${event.because ? `: ${releaseName(event.because)}` : ''})`]
  })
}

export const failing =
  (...failed: string[]): Perform =>
  async ({release, revision}) => {
    if (failed.includes(releaseName(release)))
      throw new KkError('KK_HELM_FAILED', `helm failed on ${release}`)
    return {revision: revision + 1}
  }

/** A performer whose work ends when the test says so. */
export function byHand() {
  const started = new Map<string, Controls & {end: () => void; fail: (error: Error) => void}>()
  const perform: Perform = (action: Action, controls: Controls) => {
    const {promise, resolve, reject} = Promise.withResolvers<{revision: number}>()
    started.set(releaseName(action.release), {...controls, end: () => resolve({revision: 1}), fail: reject})
    return promise
  }
  return {perform, started, names: () => [...started.keys()]}
}

/** Reads the events in the background, and lets the test wait for one. */
export function listen(events: AsyncGenerator<RunEvent>) {
  const seen: RunEvent[] = []
  const waiting: {matches: (event: RunEvent) => boolean; resolve: () => void}[] = []
  const ended = (async () => {
    for await (const event of events) {
      seen.push(event)
      for (const {matches, resolve} of waiting) if (matches(event)) resolve()
    }
    return seen
  })()
  const until = (line: string): Promise<void> => {
    const matches = (event: RunEvent) => event.type === line || story([event])[0] === line
    const {promise, resolve} = Promise.withResolvers<void>()
    if (seen.some(matches)) resolve()
    else waiting.push({matches, resolve})
    return promise
  }
  return {until, ended}
}
