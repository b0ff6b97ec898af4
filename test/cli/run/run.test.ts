import {expect, it} from 'vitest'
import {type ErrorCode, KkError} from '../../../src/base/errors.ts'
import {exitCode} from '../../../src/cli/run/run.ts'
import {releaseName} from '../../../src/release.ts'
import {NO_RUN, nextState} from '../../../src/run/run-state.ts'
import type {Perform} from '../../../src/run/task.ts'
import {collected, runOf} from '../../run/run-of.ts'

/** The exit code of a run of `api` and `db`, of which these fail, at once or when helm was about to start. */
async function exitOf(failures: Readonly<Record<string, {code: ErrorCode; changed?: true}>>) {
  const perform: Perform = async ({release, revision}, controls) => {
    const failure = failures[releaseName(release)]
    if (!failure) return {revision: revision + 1}
    if (failure.changed) controls.onChanging()
    throw new KkError(failure.code, 'it may not go')
  }
  const events = await collected(runOf({api: [], db: []}, {perform}))
  return exitCode(events.reduce(nextState, NO_RUN))
}

it.each(['KK_HAS_DEPENDENTS', 'KK_HELD', 'KK_PENDING', 'KK_CONFLICT', 'KK_UNCONFIRMED'] as const)(
  'a run whose only failure is %s before a change exits with 3',
  async (code) => {
    expect(await exitOf({db: {code}})).toBe(3)
    expect(await exitOf({db: {code}, api: {code: 'KK_HELD'}})).toBe(3)
  },
)

it('a run with another failure exits with 1', async () => {
  expect(await exitOf({db: {code: 'KK_HAS_DEPENDENTS'}, api: {code: 'KK_UNHEALTHY'}})).toBe(1)
  expect(await exitOf({db: {code: 'KK_RACED'}})).toBe(1)
})

it('a run that fails after helm has started exits with 1, whatever the error code', async () => {
  expect(await exitOf({db: {code: 'KK_PENDING', changed: true}})).toBe(1)
})

it('a run without failures exits with 0', async () => {
  expect(await exitOf({})).toBe(0)
})
