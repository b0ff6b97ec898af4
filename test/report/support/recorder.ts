import type {Cause} from '../../../src/kubernetes/gate/health.ts'
import type {ActionKind} from '../../../src/plan/plan.ts'
import {type ReleaseId, releaseId} from '../../../src/release.ts'
import type {FailureDetails, RunEvent, SkipReason} from '../../../src/run/events.ts'
import {START} from './clock.ts'

/** Writes the events of a run, in seconds since its start, of releases in the namespace `openstack`. */
export interface Recorder {
  begin(): RunEvent
  start(second: number, name: string): RunEvent
  progress(
    second: number,
    name: string,
    phase: 'validate' | 'lease' | 'helm' | 'gate',
    message: string,
    blames?: readonly Cause[],
  ): RunEvent
  succeed(second: number, name: string, revision?: number): RunEvent
  fail(second: number, name: string, error: FailureDetails): RunEvent
  skip(second: number, name: string, because: string | undefined, reason?: SkipReason): RunEvent
  interrupt(second: number, running: readonly string[]): RunEvent
  finish(second: number, outcome: 'succeeded' | 'failed' | 'interrupted'): RunEvent
}

/** `actions`: name of each release → what it requires; `kinds`: where it is not an install. */
export function recorder(
  actions: Readonly<Record<string, readonly string[]>>,
  kinds: Readonly<Record<string, ActionKind>> = {},
): Recorder {
  const started = new Map<string, number>()
  const ended = {succeeded: 0, failed: 0, skipped: 0}
  const at = (second: number) => START + second * 1000
  const kind = (name: string) => kinds[name] ?? 'install'
  const took = (second: number, name: string) => second - (started.get(name) ?? 0)

  return {
    begin: () => ({
      type: 'run-started',
      at: at(0),
      run: '20261120-120000',
      environment: 'all-in-one',
      context: 'kk-sandbox',
      actions: Object.entries(actions).map(([name, requires]) => ({
        release: id(name),
        kind: kind(name),
        requires: requires.map(id),
      })),
    }),
    start(second, name) {
      started.set(name, second)
      return {type: 'release-started', at: at(second), release: id(name), kind: kind(name)}
    },
    progress: (second, name, phase, message, blames) => ({
      type: 'release-progressed',
      at: at(second),
      release: id(name),
      phase,
      message,
      ...(blames && {blames}),
    }),
    succeed(second, name, revision = 1) {
      ended.succeeded++
      const seconds = took(second, name)
      return {
        type: 'release-succeeded',
        at: at(second),
        release: id(name),
        kind: kind(name),
        revision,
        seconds,
      }
    },
    fail(second, name, error) {
      ended.failed++
      return {type: 'release-failed', at: at(second), release: id(name), error, seconds: took(second, name)}
    },
    skip(second, name, because, reason = 'failed') {
      ended.skipped++
      const cause = because === undefined ? undefined : id(because)
      return {type: 'release-skipped', at: at(second), release: id(name), because: cause, reason}
    },
    interrupt: (second, running) => ({type: 'run-interrupting', at: at(second), running: running.map(id)}),
    finish(second, outcome) {
      const unchanged = Object.values(kinds).filter((other) => other === 'unchanged').length
      return {type: 'run-finished', at: at(second), outcome, seconds: second, ...ended, unchanged}
    },
  }
}

function id(name: string): ReleaseId {
  return releaseId('openstack', name)
}
