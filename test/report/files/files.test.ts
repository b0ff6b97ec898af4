import {readdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {instance} from '@viz-js/viz'
import {beforeEach, expect, it} from 'vitest'
import {reportFiles} from '../../../src/report/files/files.ts'
import {nothingDone} from '../../../src/report/files/nothing-done.ts'
import type {ReportKind} from '../../../src/report/files/request.ts'
import {watchRun} from '../../../src/report/run/run-view.ts'
import {testDirectory} from '../../support/test-directory.ts'
import {brokenRun} from '../support/all-in-one.ts'
import {START} from '../support/clock.ts'
import {MIXED_PLAN} from '../support/plans.ts'

let directory: string
beforeEach(async () => {
  directory = testDirectory()
})

const at = (file: string) => join(directory, file)
const open = (...requests: readonly (readonly [ReportKind, string])[]) =>
  reportFiles(
    requests.map(([kind, file]) => ({kind, file: at(file)})),
    instance,
  )

it('all reports, and nothing else, are written at the end of the events', async () => {
  const files = open(
    ['junit', 'run.xml'],
    ['html', 'run.html'],
    ['trace', 'trace.json'],
    ['json', 'run.json'],
  )

  await watchRun(brokenRun(), [files])

  expect(files.problems).toEqual([])
  expect((await readdir(directory)).toSorted()).toEqual(['run.html', 'run.json', 'run.xml', 'trace.json'])
  expect(await readFile(at('run.html'), 'utf8')).toContain('</html>')
})

it('reports are also written if an error interrupts the events', async () => {
  const files = open(['json', 'run.json'])
  async function* events() {
    yield* brokenRun().slice(0, 2)
    throw new Error('broken off')
  }

  await expect(watchRun(events(), [files])).rejects.toThrow('broken off')

  expect(JSON.parse(await readFile(at('run.json'), 'utf8'))).toMatchObject({outcome: 'broken-off'})
})

it('an existing report is kept if the run does not start', async () => {
  await writeFile(at('run.json'), 'old')

  await watchRun([], [open(['json', 'run.json'])])

  expect(await readFile(at('run.json'), 'utf8')).toBe('old')
})

it('an unwritable report is reported, the others are written, and the result of the run is unchanged', async () => {
  const files = open(['json', 'taken/run.json'], ['junit', 'run.xml'])
  await writeFile(at('taken'), '')

  const state = await watchRun(brokenRun(), [files])

  expect(state.finished?.outcome).toBe('failed')
  expect(files.problems).toMatchObject([
    {code: 'KK_REPORT', message: expect.stringContaining('the json report could not be written to')},
  ])
  expect(await readdir(directory)).toContain('run.xml')
})

it('a run with nothing to do has reports, too', async () => {
  await watchRun(nothingDone(MIXED_PLAN, START), [open(['json', 'run.json'])])

  const {run, outcome, releases} = JSON.parse(await readFile(at('run.json'), 'utf8'))
  expect({run, outcome}).toEqual({run: null, outcome: 'succeeded'})
  expect(releases).toHaveLength(MIXED_PLAN.actions.length)
  expect(new Set(releases.map(({state}: {state: string}) => state))).toEqual(new Set(['unchanged']))
})
