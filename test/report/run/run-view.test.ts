import {globSync, readFileSync} from 'node:fs'
import {expect, it} from 'vitest'
import {type RunView, watchRun} from '../../../src/report/run/run-view.ts'
import type {RunEvent} from '../../../src/run/events.ts'
import {releasesIn} from '../../../src/run/run-state.ts'
import {brokenRun} from '../support/all-in-one.ts'

function recordingView(): RunView & {readonly calls: string[]} {
  const calls: string[] = []
  return {
    calls,
    show: (event) => calls.push(event.type),
    async close() {
      calls.push('closed')
    },
  }
}

async function* streamOf(events: readonly RunEvent[], end?: Error): AsyncGenerator<RunEvent> {
  yield* events
  if (end) throw end
}

it('watchRun passes every event to every view, closes each once, and returns the final state', async () => {
  const views = [recordingView(), recordingView()]

  const state = await watchRun(streamOf(brokenRun()), views)

  for (const view of views) expect(view.calls).toEqual([...brokenRun().map(({type}) => type), 'closed'])
  expect(state.finished?.outcome).toBe('failed')
  expect(releasesIn(state, 'skipped').map(({release}) => release)).toEqual([
    'openstack/glance',
    'openstack/horizon',
  ])
})

it('watchRun closes the views and rethrows if the events are interrupted', async () => {
  const view = recordingView()

  const watched = watchRun(streamOf(brokenRun().slice(0, 1), new Error('lost')), [view])

  await expect(watched).rejects.toThrow('lost')
  expect(view.calls).toEqual(['run-started', 'closed'])
})

it('watchRun is the only place where the command line and reports fold events', () => {
  const files = globSync(['src/report/**/*.ts', 'src/cli/**/*.ts', 'src/commands/**/*.ts'])

  const folding = files.filter((file) => /\b(nextState|stateAfter)\b/.test(readFileSync(file, 'utf8')))

  expect(folding).toEqual(['src/report/run/run-view.ts'])
})
