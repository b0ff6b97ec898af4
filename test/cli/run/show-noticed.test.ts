import {describe, expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import type {Console} from '../../../src/cli/console.ts'
import {showNoticed} from '../../../src/cli/run/show-noticed.ts'
import type {Exec} from '../../../src/kubernetes/exec/exec.ts'
import type {PreparedRelease} from '../../../src/prepare/prepare.ts'
import {releaseId} from '../../../src/release.ts'
import {NO_RUN, nextState} from '../../../src/run/run-state.ts'
import {port} from '../../kubernetes/support/port.ts'
import {goodRun} from '../../report/support/all-in-one.ts'

/** Shows what probers of a chart in the namespace `cloud` recorded; no namespace may be listed. */
async function shown(chart: string, isInterrupted = false) {
  const asked: string[] = []
  const said: unknown[] = []
  const pods = async (namespace: string) => {
    asked.push(namespace)
    throw new KkError('KK_FORBIDDEN', 'you may not list pods')
  }
  const releases = new Map([
    [releaseId('cloud', 'users'), port<PreparedRelease>({chart: {name: chart} as PreparedRelease['chart']})],
  ])
  const noticed = await showNoticed(
    {state: goodRun().reduce(nextState, NO_RUN), isInterrupted},
    {
      cluster: {exec: port<Exec>({pods})},
      ...{prepared: {releases}, forecast: undefined},
      console: port<Console>({say: (view) => said.push(view)}),
    },
  )
  return {noticed, asked, said}
}

describe('what users noticed, at the end of a run', () => {
  it('is asked in the namespaces of probers, whatever their releases are called; a note says if it is not known', async () => {
    expect(await shown('probers')).toEqual({
      noticed: undefined,
      asked: ['cloud'],
      said: ['note: what users noticed is not known: you may not list pods'],
    })
  })

  it('is not asked without probers, nor after an interruption', async () => {
    const nothing = {noticed: undefined, asked: [], said: []}

    expect(await shown('keystone')).toEqual(nothing)
    expect(await shown('probers', true)).toEqual(nothing)
  })
})
